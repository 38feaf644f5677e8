/** Who asked not to be told for a while, and how long that is. */
import { parseStartTime } from '../callback/check-callback.ts';
import { DAY_MS, dayOf, instantOn } from './calendar.ts';
import type { Snooze } from './rules.ts';

const NINE = 540;

/** When the snoozes end that are in force then for a BOT at a destination; undefined where none is. */
export function snoozeEndAt(
  at: number,
  snoozes: readonly Snooze[],
  { botId, destination }: { readonly botId: string; readonly destination: string },
): number | undefined {
  const ends = snoozes
    .filter((snooze) => snooze.botId === undefined || snooze.botId === botId)
    .filter((snooze) => snooze.destination === undefined || snooze.destination === destination)
    .map(({ until }) => until)
    .filter((until) => until > at);
  return ends.length === 0 ? undefined : Math.max(...ends);
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
