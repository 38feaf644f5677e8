/** `mention_on_error`: whom a destination has called for an error, one or a list of them. */
import { mixed, type Schema } from 'yup';
import type { ComposeContext } from './channel.ts';

/** @param accepted in words @param one of an entry: whether it is accepted */
export function mentionOption(accepted: string, one: { test(entry: string): boolean }): Schema {
  return mixed().test('mention', `\${path} must be ${accepted}, or a list of these`, (option) =>
    entriesOf(option).every((entry) => isWord(entry) && one.test(String(entry))),
  );
}

/** More would take the room of what they are called for. */
const MOST_MENTIONS = 20;

/** As they stand in the config; none of a message that is no error. */
export function calledFor({
  isError,
  options,
}: Pick<ComposeContext, 'isError' | 'options'>): readonly string[] {
  if (!isError) return [];
  return entriesOf(options['mention_on_error']).filter(isWord).slice(0, MOST_MENTIONS).map(String);
}

/** YAML reads an ID of digits as a number. */
function isWord(entry: unknown): entry is string | number {
  return typeof entry === 'string' || typeof entry === 'number';
}

function entriesOf(option: unknown): readonly unknown[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}
