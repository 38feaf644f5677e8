/** Escapes foreign text with backslashes for the Markdown of chats, and shows our own Markdown as HTML. */
import type { Markup } from '../card-lines.ts';
import { chatBox, chatLink, chatText } from './chat-html.ts';

const NUMBERED = /^(\s*\d+)([.)])/gmu;

/** @param signs the characters that need a backslash before them */
export function markdownWith(signs: RegExp): Markup {
  return {
    text: (text) => text.replace(signs, '\\$&').replace(NUMBERED, '$1\\$2'),
    bold: (text) => `**${text}**`,
    // Copying from a fence gives the original text, except that zero-width spaces break up any fence inside it.
    code: (text) => `\`\`\`\n${text.replaceAll('```', '`\u200b`\u200b`')}\n\`\`\``,
    link: (text, url) => (text === '' ? '' : `[${text}](${url.replace(/[()\\<>*_~`]/g, percentEncoded)})`),
    between: ' · ',
  };
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Escaped characters match first, so that they begin no markup; the time to read is linear in the text. */
const OWN =
  /\\.|\n?```\n([\s\S]*?)\n```\n?|\[((?:\\.|[^\\\]])*)\]\((https?:[^()\s]+)\)|\*\*((?:\\.|[^\\*])+)\*\*/gu;

/** Reads only what the functions above write, not Markdown in general. */
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
