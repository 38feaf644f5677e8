/** A message's HTML as text for a terminal: only for our own HTML, which uses few tags. Also plain text as HTML. */
import { escapeHtml } from '../text/clean.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Marks the edges of block elements until they become line ends; cleaned text never contains this character. */
const EDGE = '\u0001';

const RULE = '─'.repeat(24);

export function htmlAsText(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/>\n</g, '><')
    .replace(/<a [^<>]*href="([^"]*)"[^<>]*>(.*?)<\/a>/gs, withAddress)
    .replace(/<\/?code>/g, '`')
    .replace(/<hr>/g, EDGE + RULE + EDGE)
    .replace(/<li>/g, `${EDGE}• `)
    .replace(/<\/t[hd]><t[hd][^<>]*>/g, ' | ')
    .replace(/<br>/g, '\n')
    .replace(/<\/?(?:div|h3|pre|blockquote|ul|ol|li|table|tr)(?: [^<>]*)?>/g, EDGE)
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\u0001+/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\s+$/g, '');
}

function withAddress(_: string, address: string, label: string): string {
  return label.replace(/<[^<>]*>/g, '') === address ? label : `${label} (${address})`;
}

/** The `asHtml` and `asText` of a format whose text is derived from its HTML. */
export function shownBy<Message>(asHtml: (message: Message) => string) {
  return { asHtml, asText: (message: Message) => htmlAsText(asHtml(message)) };
}

export function textAsHtml(text: string): string {
  return `<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</pre>`;
}
