/** Reads the request for a snooze, and its end, from texts. */
import { type InferType, object, string } from 'yup';
import { isKnownInstant, parseDuration, parseStartTime, parseTimeOfDay } from '../time/display.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import { LONGEST_UNTIL_SUCCESS_MS, type SnoozeRequest } from '../ledger/timers/timers.ts';
import { DAY_MS, dayIn, dayOf, instantOn } from '../signal/calendar.ts';
import type { Snooze } from '../signal/rules.ts';
import { cleanText } from '../text/clean.ts';
import { shortLine, shortText } from '../text/cut.ts';
import type { FilterContext } from './filters.ts';
import { Refused } from './outcomes.ts';

const text = string().nullable();
/** The body of a request to snooze. */
export const SNOOZE_BODY = object({ bot_id: text, destination: text, until: text, because: text, by: text });
export type SnoozeFields = InferType<typeof SNOOZE_BODY>;

/** More than anybody has. */
export const MOST_SNOOZES = 1_000_000;

/** Characters of a field; more are cut. */
const LONGEST_TEXT = 1000;

/** Minutes after midnight at which people begin to work. */
const NINE = 540;

/** @throws {Refused} nothing is named, or the end is no future time */
export function readSnooze(fields: SnoozeFields, context: FilterContext): Omit<SnoozeRequest, 'actor'> {
  const textOf = (name: keyof SnoozeFields) => shortText(cleanText(fields[name] ?? ''), LONGEST_TEXT);
  // Blanks around an id are part of it.
  const botId = textOf('bot_id').trim() === '' ? undefined : textOf('bot_id');
  const destination = textOf('destination').trim() || undefined;
  if ((botId ?? destination) === undefined) throw new Refused({ name: 'snooze nothing' });
  const end = readEnd(textOf('until').trim(), context);
  if (end.isUntilSuccess && botId === undefined) throw new Refused({ name: 'snooze whose' });
  return { botId, destination, ...end, because: shortLine(fields.because ?? '', LONGEST_TEXT) };
}

/** The person that `by` names, else the sender. */
export function askerOf({ by }: SnoozeFields, sender: Actor): Actor {
  const user = shortLine(by ?? '', LONGEST_TEXT);
  return user === '' ? sender : { ...sender, user };
}

/** `next-success` (within seven days), or a time in the display's time zone. */
function readEnd(text: string, context: FilterContext): Pick<Snooze, 'until' | 'isUntilSuccess'> {
  const { now } = context;
  if (text === 'next-success') return { until: now + LONGEST_UNTIL_SUCCESS_MS, isUntilSuccess: true };
  const until = timeIn(text.normalize('NFKC'), context);
  if (until === undefined || !isKnownInstant(until)) throw new Refused({ name: 'snooze no time' });
  if (until <= now) throw new Refused({ name: 'snooze past' });
  return { until, isUntilSuccess: false };
}

/** `2h` from now, the next `18:00`, `2026-12-24` at 9:00, `tomorrow` at 9:00, or a date-time. */
function timeIn(text: string, { now, timezone }: FilterContext): number | undefined {
  const [duration, day] = [parseDuration(text), dayIn(text)];
  if (duration !== undefined) return now + duration;
  if (day !== undefined) return instantOn(day, NINE, timezone);
  const minutes = text === 'tomorrow' ? NINE : parseTimeOfDay(text);
  if (minutes === undefined) return parseStartTime(text, timezone, now);
  const today = dayOf(now, timezone);
  const next = instantOn(today, minutes, timezone, now);
  return next > now ? next : instantOn(today + DAY_MS, minutes, timezone);
}
