/** The option `mention_on_error`: one or more people or groups whom a destination's error messages mention. */
import { mixed, type Schema } from 'yup';
import type { ComposeContext } from './channel.ts';

export const MENTION_OPTION = 'mention_on_error';

/** @param accepted the accepted entries in words @param one tests a single entry */
export function mentionOption(accepted: string, one: { test(entry: string): boolean }): Schema {
  return mixed().test('mention', `\${path} must be ${accepted}, or a list of these`, (option) =>
    entriesOf(option).every((entry) => isWord(entry) && one.test(String(entry))),
  );
}

/** More mentions would take too much of the message's room. */
const MOST_MENTIONS = 20;

/** The entries as the config has them; none if the message is no error. */
export function calledFor({
  isError,
  options,
}: Pick<ComposeContext, 'isError' | 'options'>): readonly string[] {
  if (!isError) return [];
  return entriesOf(options[MENTION_OPTION]).filter(isWord).slice(0, MOST_MENTIONS).map(String);
}

/** YAML reads an ID of digits as a number. */
function isWord(entry: unknown): entry is string | number {
  return typeof entry === 'string' || typeof entry === 'number';
}

function entriesOf(option: unknown): readonly unknown[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}
