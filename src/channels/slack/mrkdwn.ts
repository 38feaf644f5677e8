/** mrkdwn, Slack's markup: escaping, cutting, and the mentions of `mention_on_error`. */
import { cutEnd } from '../../text/cut.ts';
import type { Markup } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';
import { isUsableUrl } from './message.ts';

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
export function cutMrkdwn(text: string, most: number, mark = '…'): string {
  if (text.length <= most) return text;
  const room = most - mark.length - FENCE.length - 1;
  const kept = cutEnd(text, room, '')
    .replace(/&[a-z]{0,3}$/u, '')
    .replace(/<[^<>]*$/u, '');
  const isOpen = kept.split(FENCE).length % 2 === 0;
  return `${kept}${isOpen ? `\n${FENCE}` : ''}${mark}`;
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORM = /^(?:@|<@|<!|<!subteam\^)?(?:(here|channel|everyone)|([UW][A-Z0-9]{2,30})|(S[A-Z0-9]{2,30}))>?$/;

export const slackMentions = mentionsOf(
  '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)',
  FORM,
  (entry) => {
    const [, everybody, user, group = ''] = FORM.exec(entry) ?? [];
    if (everybody !== undefined) return `<!${everybody}>`;
    return user === undefined ? `<!subteam^${group}>` : `<@${user}>`;
  },
);

export const MRKDWN: Markup = {
  text: escapeMrkdwn,
  bold: (text) => text,
  between: ' · ',
  code: escapeMrkdwn,
  link: (text, url) => (isUsableUrl(url) ? `<${escapeMrkdwn(url)}|${text || escapeMrkdwn(url)}>` : text),
};
