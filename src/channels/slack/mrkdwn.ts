/** Escaping and cutting for mrkdwn, Slack's markup. */
import { cutEnd } from '../../text/cut.ts';

/** Slack, "Formatting message text": escape these three characters only. Escaped text can neither mention nor link. */
export function escapeMrkdwn(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeMrkdwn(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const FENCE = '```';

/** Cuts the end, but not inside an entity or `<…>`, and closes a fence that the cut left open. */
export function cutMrkdwn(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const room = most - mark.length - FENCE.length - 1;
  const kept = cutEnd(text, room, '')
    .replace(/&[a-z]{0,3}$/u, '')
    .replace(/<[^<>]*$/u, '');
  const isOpen = kept.split(FENCE).length % 2 === 0;
  return `${kept}${isOpen ? `\n${FENCE}` : ''}${mark}`;
}
