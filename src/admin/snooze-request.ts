/** Reads the request for a snooze from the fields of a form or of JSON. */
import type { SnoozeRequest } from '../ledger/signal/snoozes.ts';
import { readSnoozeEnd } from '../signal/calendar.ts';
import { cleanText } from '../text/clean.ts';
import { shortText } from '../text/cut.ts';
import type { FilterContext } from './filters.ts';

export const SNOOZE_FIELDS = ['bot_id', 'destination', 'until', 'because'] as const;

/** Characters of a field; more are cut. */
const LONGEST_TEXT = 1000;

/** `nothing`: no BOT and no destination; `past`: no end in the future; `whose`: until a success, but of no BOT. */
type SnoozeFault = 'nothing' | 'past' | 'whose';

export function readSnooze(
  fields: Readonly<Record<(typeof SNOOZE_FIELDS)[number], string>>,
  context: FilterContext,
): Omit<SnoozeRequest, 'actor'> | SnoozeFault {
  const textOf = (name: keyof typeof fields) => shortText(cleanText(fields[name]).trim(), LONGEST_TEXT);
  const [botId, destination] = [textOf('bot_id') || undefined, textOf('destination') || undefined];
  if ((botId ?? destination) === undefined) return 'nothing';
  const end = readSnoozeEnd(textOf('until'), context);
  if (end === undefined) return 'past';
  if (end.untilSuccess && botId === undefined) return 'whose';
  return { botId, destination, ...end, because: textOf('because') };
}
