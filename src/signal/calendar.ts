/** What is due by the display's clocks: days and times of day, digests, ends of snoozes. A day is its midnight, as if that were UTC's. */
import { parseStartTime } from '../callback/check-callback.ts';
import { instantToZoned, zonedToInstant } from '../time/display.ts';
import { type Digest, type Snooze, type Weekday, WEEKDAYS } from './rules.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The day that an instant is in. */
export function dayOf(instant: number, timezone: string): number {
  return Math.floor(instantToZoned(instant, timezone) / DAY_MS) * DAY_MS;
}

/** The instant at which that day's clocks show `minutes` after midnight. */
export function instantOn(day: number, minutes: number, timezone: string): number {
  return zonedToInstant(day + minutes * MINUTE_MS, timezone);
}

export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[new Date(day).getUTCDay()] ?? 'sun';
}

/** `2026-12-29` */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** The first time after `after` at which one is due; infinite where no day is named. */
export function nextDigest({ at, days }: Digest, after: number, timezone: string): number {
  const today = dayOf(after, timezone);
  // From yesterday, since clocks that are set at midnight may put its last minutes on today, to this weekday in a week.
  const coming = Array.from({ length: 10 }, (_, index) => today + (index - 1) * DAY_MS);
  const dues = coming
    .filter((day) => days.includes(weekdayOf(day)))
    .map((day) => instantOn(day, at, timezone));
  return Math.min(...dues.filter((due) => due > after));
}

const DIGEST_STILL_TOLD_MS = 3_600_000;

/** At the start: the next one, or the one that was due within the last hour and was not told. */
export function digestAtStart(
  digest: Digest,
  { now, toldAt, timezone }: { readonly now: number; readonly toldAt?: number; readonly timezone: string },
): number {
  return nextDigest(digest, Math.max(now - DIGEST_STILL_TOLD_MS, Math.min(toldAt ?? 0, now)), timezone);
}

const NINE = 540;

/**
 * What somebody means by `tomorrow`, `next-success` or a date-time.
 * @param timezone where a date-time without an offset is read
 * @returns undefined: none of these, or over already
 */
export function readSnoozeEnd(
  text: string,
  { now, timezone }: { readonly now: number; readonly timezone: string },
): Pick<Snooze, 'until' | 'untilSuccess'> | undefined {
  if (text === 'next-success') return { until: now + 7 * DAY_MS, untilSuccess: true };
  const until =
    text === 'tomorrow'
      ? instantOn(dayOf(now, timezone) + DAY_MS, NINE, timezone)
      : parseStartTime(text, timezone);
  return until === undefined || until <= now ? undefined : { until, untilSuccess: false };
}
