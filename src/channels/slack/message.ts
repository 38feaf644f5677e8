/** What a Slack message is made of, as chat.postMessage takes it. */
import { isJsonObject } from '../../text/json-object.ts';
import type { TemplateValue } from '../format.ts';

export type SlackObject = { readonly [key: string]: TemplateValue };

/** `blocks` is left out rather than empty: Slack refuses an empty list. */
export interface SlackMessage {
  /** mrkdwn; what notifications show, and the whole message where there are no blocks. */
  readonly text: string;
  readonly blocks?: readonly SlackObject[];
}

export function isObject(value: TemplateValue | undefined): value is SlackObject {
  return isJsonObject(value);
}

export function isList(value: TemplateValue | undefined): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

export function typeOf(object: SlackObject): string {
  return typeof object['type'] === 'string' ? object['type'] : '';
}

/** The string at `key`, or '' where there is none. */
export function stringAt(object: SlackObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function objectsAt(object: SlackObject, key: string): readonly SlackObject[] {
  const value = object[key];
  return isList(value) ? value.filter(isObject) : [];
}

/** Characters in all strings of a value; Slack counts the escaped text. */
export function lengthOf(value: TemplateValue | undefined): number {
  if (typeof value === 'string') return value.length;
  let sum = 0;
  if (isList(value)) for (const item of value) sum += lengthOf(item);
  else if (isObject(value)) for (const key of Object.keys(value)) sum += lengthOf(value[key]);
  return sum;
}
