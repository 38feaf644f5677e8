/** A Slack message as chat.postMessage takes it, and mrkdwn, its markup: escaping, cutting, and the mentions of `mention_on_error`. */
import { cutEnd } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json.ts';
import type { TemplateValue } from '../channel.ts';
import type { Markup } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';

export type SlackObject = { readonly [key: string]: TemplateValue };

/** `blocks` is left out rather than empty: Slack refuses an empty list. */
export interface SlackMessage {
  /** mrkdwn for push notifications; the whole message if there are no blocks. */
  readonly text: string;
  readonly blocks?: readonly SlackObject[];
}

export function isObject(value: TemplateValue | undefined): value is SlackObject {
  return isJsonObject(value);
}

/** The string at `key`, or '' if there is none. */
export function stringAt(object: SlackObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function typeOf(object: SlackObject): string {
  return stringAt(object, 'type');
}

/** Slack: Block Kit reference, button and image. */
const MAX_URL_LENGTH = 3000;

/** True for an http or https URL that Slack takes unchanged: it refuses blanks, and `|`, `<` and `>` end a link. */
export function isUsableUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^\s<>|]+$/iu.test(text)) return false;
  return text.isWellFormed() && URL.canParse(text);
}

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
  [
    '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)',
    '"@here"、"@channel"、"@everyone"、ユーザーID（U…）、ユーザーグループID（S…）のどれか',
  ],
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
