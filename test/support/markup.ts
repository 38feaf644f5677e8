/** What is left open, acts or is seen in the markup of chats. */
import { firstWrong } from './chat-stand-in.ts';

/** A block of code ends at the first three backticks wherever they stand, or at a line of as many as it begins with. */
const FENCES = {
  anywhere: /(?<!\\)```[\s\S]*?```/g,
  atLine: /^(`{3,})\n[\s\S]*?\n\1`*$/gm,
} as const;

/** Markdown without its blocks of code, in which nothing acts. */
export function outOfFences(markdown: string, end: keyof typeof FENCES): string {
  return markdown.replaceAll(FENCES[end], '');
}

/** Code in a line; also links that show their address, which only Discord is sent. */
export const CODE = /(?<!\\)`[^`\\\n]+`|<https?:\/\/[^\s<>]+>/g;

/** Markdown that a cut has left open, so that foreign text in it acts or our own signs show: a fence, a link or an escape. */
export function openMarkdown(markdown: string, end: keyof typeof FENCES): string | false {
  const drawn = outOfFences(markdown, end)
    .replaceAll(CODE, '')
    .replaceAll(end === 'atLine' ? /\\(?:[^\p{L}\p{N}\s]|(?=[\p{L}\p{N}$]))/gu : /\\[^\p{L}\p{N}\s]/gu, '');
  const links = drawn.replaceAll(/\[[^[\]]*\]\(https?:[^()\s]+\)/g, '');
  const wrong = firstWrong(
    [links.includes('`'), 'code without an end'],
    [/[[\]]/.test(links), 'a link without an end'],
    [links.includes('\\'), 'an escape without its sign'],
    [(links.match(/\*\*/g) ?? []).length % 2 === 1, 'bold without an end'],
    [/<[@#/:!]|<(?:t|id):/.test(links), 'a sequence'],
  );
  return wrong ?? false;
}

const TAG = /<(\/?)(b|font|a)( color="#\w{6}"| href="https?:\/\/[^"<>]*")?>/g;

/** Of the HTML that cards of Google Chat support: `b`, `font` and `a`, closed in turn, and `br`. */
export function wrongHtml(html: string): string | false {
  const open: string[] = [];
  const rest = html.replaceAll('<br>', '').replaceAll(TAG, (tag, end: string, name: string) => {
    if (end === '') open.push(name);
    return end === '' || open.pop() === name ? '' : tag;
  });
  const wrong = firstWrong(
    [open.length > 0 || /[<>]/.test(rest), 'a tag'],
    [/&(?!(?:amp|lt|gt|quot|#39);)/.test(rest), 'an entity'],
    [rest.trim() === '' || html.includes('\n'), 'an empty text, or a line end that Chat does not show'],
  );
  return wrong ?? false;
}

/** Markdown of a chat as its reader sees it: without fences, marks, escapes and the addresses of links. */
export function markdownAsText(markdown: string): string {
  return markdown
    .replaceAll(/^`{3,}$/gm, '')
    .replaceAll(/\]\(https?:[^()\s]+\)/g, ']')
    .replaceAll(/(?<!\\)`|(?<=<https?:[^<>\s]*)>|<(?=https?:)/g, '')
    .replaceAll(/\*\*|(?<!\\)[[\]]/g, '')
    .replaceAll(/\\([^\p{L}\p{N}\s])/gu, '$1')
    .trim();
}
