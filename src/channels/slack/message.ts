/** A Slack message as chat.postMessage takes it. */
import { isJsonObject } from '../../text/json.ts';
import type { TemplateValue } from '../channel.ts';

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

export function isList(value: TemplateValue | undefined): value is readonly TemplateValue[] {
  return Array.isArray(value);
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
