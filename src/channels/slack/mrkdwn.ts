/** Slack's markup in a text: how a value is escaped in it, and how it is cut. */
import { cutEnd } from '../../text/cut.ts';

/** Slack: formatting message text: these three, and nothing else. What is escaped neither mentions nor links. */
export function escapeMrkdwn(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeMrkdwn(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const FENCE = '```';

/** Cuts at the end, inside no entity and no `<…>`, and closes the fence that it cut open. */
export function cutMrkdwn(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const room = most - mark.length - FENCE.length - 1;
  const kept = cutEnd(text, room, '')
    .replace(/&[a-z]{0,3}$/u, '')
    .replace(/<[^<>]*$/u, '');
  const isOpen = kept.split(FENCE).length % 2 === 0;
  return `${kept}${isOpen ? `\n${FENCE}` : ''}${mark}`;
}
