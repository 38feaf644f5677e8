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
