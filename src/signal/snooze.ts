/** Who asked not to be told for a while, and how long that is. */
import { parseStartTime } from '../callback/check-callback.ts';
import { DAY_MS, dayOf, instantOn } from './calendar.ts';
import type { Snooze } from './rules.ts';
import type { Streak } from './streak.ts';

const NINE = 540;

/** The last to end of those that are in force then for a BOT at a destination; undefined where none is. */
export function lastSnoozeAt(
  at: number,
  snoozes: readonly Snooze[],
  { botId, destination }: { readonly botId: string; readonly destination: string },
): Snooze | undefined {
  return snoozes
    .filter((snooze) => snooze.botId === undefined || snooze.botId === botId)
    .filter((snooze) => snooze.destination === undefined || snooze.destination === destination)
    .filter(({ until }) => until > at)
    .toSorted((a, b) => b.until - a.until)[0];
}

/**
 * The snoozes that end with a BOT's next success, now that it has come.
 * @param streak with the result that came; a run that began before the last error does not make a BOT well
 */
export function endedSnoozes(
  snoozes: readonly Snooze[],
  { botId, streak }: { readonly botId: string; readonly streak: Streak },
): readonly Snooze[] {
  if (streak.results.at(-1)?.isError !== false) return [];
  return snoozes.filter((snooze) => snooze.untilSuccess && snooze.botId === botId);
}

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
