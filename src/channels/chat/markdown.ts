/** Markdown as chats take it: foreign text is escaped with backslashes. */
import type { Markup } from '../lines.ts';

const NUMBERED = /^(\s*\d+)([.)])/gmu;

/** @param signs the characters that need a backslash before them @param code writes a block of code */
export function markdownWith(signs: RegExp, code: Markup['code']): Markup {
  return {
    text: (text) => text.replace(signs, '\\$&').replace(NUMBERED, '$1\\$2'),
    bold: (text) => `**${text}**`,
    code,
    // One of these characters could end the code too early.
    inlineCode: (text) => (/[`\\\n]/.test(text) || text.trim() === '' ? undefined : `\`${text}\``),
    link: (text, url) => (text === '' ? '' : `[${text}](${url.replace(/[()\\<>`]/g, percentEncoded)})`),
    between: ' · ',
  };
}

export function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
