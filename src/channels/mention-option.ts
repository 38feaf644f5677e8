/** The option `mention_on_error`: one or more people or groups whom a destination's error messages mention. */
import { mixed, type Schema } from 'yup';
import { faultSaid } from '../text/fault.ts';
import type { ComposeContext } from './channel.ts';
import { rule } from './settings.ts';

export const MENTION_OPTION = 'mention_on_error';

export interface Mentions {
  readonly option: Schema;
  /** The entries as the config has them, each person and group once; none if the message is no error. */
  of(context: Pick<ComposeContext, 'isError' | 'options'>): readonly string[];
  write(entry: string): string;
}

/** More mentions would take too much of the message's room. */
const MOST_MENTIONS = 20;

/** @param accepted says what an entry may be @param one tests an entry @param write an entry in the chat's markup; by default unchanged */
export function mentionsOf(
  accepted: readonly [en: string, ja: string],
  one: { test(entry: string): boolean },
  write = (entry: string) => entry,
  most = MOST_MENTIONS,
): Mentions {
  // YAML reads an ID of digits alone as a number.
  const isMention = (entry: unknown) =>
    (typeof entry === 'string' || typeof entry === 'number') && one.test(String(entry));
  const wrong = faultSaid(
    `must be ${accepted[0]}, or a list of at most ${most} of these`,
    `${accepted[1]}を書いてください（リストなら${most}件まで）`,
  );
  const isRight = (value: unknown) => {
    const entries = entriesOf(value);
    return entries.length <= most && entries.every(isMention);
  };
  const of: Mentions['of'] = ({ isError, options }) => {
    const entries = isError ? entriesOf(options[MENTION_OPTION]).filter(isMention).map(String) : [];
    const once = new Map(entries.map((entry) => [write(entry), entry]));
    return [...once.values()];
  };
  return { option: mixed().test(rule(wrong, isRight)), of, write };
}

function entriesOf(option: unknown): readonly unknown[] {
  return option === undefined ? [] : [option].flat();
}
