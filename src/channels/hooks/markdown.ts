/** Foreign text in the Markdown of chats, where a backslash takes a sign its meaning; and our own Markdown as it is read. */
import type { Markup } from '../card-lines.ts';
import { chatBox, chatLink, chatText } from './chat-html.ts';

const NUMBERED = /^(\s*\d+)([.)])/gmu;

/** @param signs those that act where no backslash stands before them */
export function markdownWith(signs: RegExp): Markup {
  return {
    text: (text) => text.replace(signs, '\\$&').replace(NUMBERED, '$1\\$2'),
    bold: (text) => `**${text}**`,
    // What stands in a fence is copied as it was sent, but for a fence within, whose signs are parted.
    code: (text) => `\`\`\`\n${text.replaceAll('```', '`\u200b`\u200b`')}\n\`\`\``,
    link: (text, url) => (text === '' ? '' : `[${text}](${url.replace(/[()\\<>*_~`]/g, percentEncoded)})`),
    between: ' · ',
  };
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** An escaped sign first, so that it begins nothing: what is read grows no faster than the text. */
const OWN =
  /\\.|```\n([\s\S]*?)\n```|\[((?:\\.|[^\\\]])*)\]\((https?:[^()\s]+)\)|\*\*((?:\\.|[^\\*])+)\*\*/gu;

/** Of our own Markdown alone: it knows no more than the functions above write. */
export function markdownAsHtml(markdown: string): string {
  let html = '';
  let end = 0;
  for (const { 0: whole, index, 1: code, 2: label = '', 3: url, 4: bold } of markdown.matchAll(OWN)) {
    if (code === undefined && url === undefined && bold === undefined) continue;
    html += unescaped(markdown.slice(end, index));
    if (code !== undefined) html += chatBox('code', chatText(code));
    else html += url === undefined ? `<b>${unescaped(bold ?? '')}</b>` : chatLink(url, unescaped(label));
    end = index + whole.length;
  }
  return html + unescaped(markdown.slice(end));
}

function unescaped(markdown: string): string {
  return chatText(markdown.replace(/\\([^\p{L}\p{N}\s])/gu, '$1'));
}
