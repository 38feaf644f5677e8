/** Days and times of day in the display's timezone, for digests, snoozes and filters. A day is its midnight in ms, read as UTC. */
import { instantToZoned, zonedToInstant } from '../time/display.ts';
import { type Digest, type Weekday, WEEKDAYS } from './rules.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The day of an instant. */
export function dayOf(instant: number, timezone: string): number {
  return Math.floor(instantToZoned(instant, timezone) / DAY_MS) * DAY_MS;
}

/** The instant at which clocks show `minutes` after midnight on that day. */
export function instantOn(day: number, minutes: number, timezone: string): number {
  return zonedToInstant(day + minutes * MINUTE_MS, timezone);
}

export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[new Date(day).getUTCDay()] ?? 'sun';
}

/** The day in ISO 8601, `2026-12-29`. */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** The first time after `after` at which a digest is due; infinite if it names no day. */
export function nextDigest({ at, days }: Digest, after: number, timezone: string): number {
  const today = dayOf(after, timezone);
  // From yesterday, since clocks set forward at midnight may move its last minutes to today; to this weekday in a week.
  const coming = Array.from({ length: 10 }, (_, index) => today + (index - 1) * DAY_MS);
  const dues = coming
    .filter((day) => days.includes(weekdayOf(day)))
    .map((day) => instantOn(day, at, timezone));
  return Math.min(...dues.filter((due) => due > after));
}

const DIGEST_STILL_TOLD_MS = 3_600_000;

/** The first due time after a start: the next one, or one that was due within the last hour and not told. */
export function digestAtStart(
  digest: Digest,
  { now, toldAt, timezone }: { readonly now: number; readonly toldAt?: number; readonly timezone: string },
): number {
  return nextDigest(digest, Math.max(now - DIGEST_STILL_TOLD_MS, Math.min(toldAt ?? 0, now)), timezone);
}
