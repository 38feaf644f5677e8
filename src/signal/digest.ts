/** When a group is told what ran. */
import { DAY_MS, dayOf, instantOn, weekdayOf } from './calendar.ts';
import type { Digest } from './rules.ts';

const STILL_TOLD_MS = 3_600_000;

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

/** At the start: the next one, or the one that was due within the last hour and was not told. */
export function digestAtStart(
  digest: Digest,
  { now, toldAt, timezone }: { readonly now: number; readonly toldAt?: number; readonly timezone: string },
): number {
  return nextDigest(digest, Math.max(now - STILL_TOLD_MS, Math.min(toldAt ?? 0, now)), timezone);
}
