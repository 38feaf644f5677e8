/** How long `mute` and snoozes hold a message: until the first moment at which none of them is in force. Also whether a time is in a window. */
import type { StatusName } from '../callback/callback.ts';
import { dateOf, DAY_MS, dayOf, instantFrom, MOST_DAYS_AHEAD, weekdayOf } from './calendar.ts';
import type { MuteEntry, Snooze, TimeWindow } from './rules.ts';

export interface Hold {
  readonly rule: 'mute' | 'snooze' | 'burst';
  /** Undefined: the hold does not end by itself. */
  readonly until: number | undefined;
  /** A snooze that holds the message, perhaps besides `mute`. When somebody ends it, the rules are asked again. */
  readonly snoozeId?: number | undefined;
}

/** The rules that may hold a message, and the facts that they depend on. */
export interface Holders {
  readonly mute: readonly MuteEntry[];
  readonly snoozes: readonly Snooze[];
  readonly botId: string;
  readonly destination: string;
  /** Undefined: the message has no status, so no mute entry excepts it. */
  readonly status: StatusName | undefined;
  readonly timezone: string;
}

/**
 * Most windows that follow each other, of entries that are the same each week: a longer sequence has no end. Of others, it may take as many
 * days as a calendar leaves out. One that is longer still counts as endless, and the rules are asked again.
 */
const MOST_IN_A_CHAIN = 60;

/** Undefined: nothing holds the message. */
export function holdAt(at: number, holders: Holders): Hold | undefined {
  const mutedUntil = muteEndAt(at, holders);
  const snooze = lastSnoozeAt(at, holders);
  if (mutedUntil === undefined && snooze === undefined) return undefined;
  const held = { rule: mutedUntil === undefined ? 'snooze' : 'mute', snoozeId: snooze?.id } as const;
  const most = holders.mute.some(({ dates, calendar }) => dates ?? calendar)
    ? MOST_DAYS_AHEAD
    : MOST_IN_A_CHAIN;
  let until = at;
  for (let count = 0; count <= most; count += 1) {
    const next = muteEndAt(until, holders) ?? lastSnoozeAt(until, holders)?.until;
    if (next === undefined) return { ...held, until };
    until = next;
  }
  return { ...held, until: undefined };
}

/** Of the snoozes in force at a time for a BOT at a destination, the one that ends last; undefined: none. */
function lastSnoozeAt(at: number, { snoozes, botId, destination }: Holders): Snooze | undefined {
  return snoozes
    .filter((snooze) => snooze.botId === undefined || snooze.botId === botId)
    .filter((snooze) => snooze.destination === undefined || snooze.destination === destination)
    .filter(({ until }) => until > at)
    .toSorted((a, b) => b.until - a.until)[0];
}

const DAY_MINUTES = 1440;

/** The latest end of the mute entries in force at a time; undefined: none. */
export function muteEndAt(at: number, { mute, status, timezone }: Holders): number | undefined {
  const applying = mute.filter(({ except }) => status === undefined || except?.includes(status) !== true);
  const ends = applying.flatMap((entry) => endsAt(entry, at, timezone));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** Whether a time is in the window. */
export function isWithin(window: TimeWindow, at: number, timezone: string): boolean {
  return endsAt(window, at, timezone).length > 0;
}

/** When the window ends that a time is in; a window over midnight may have begun yesterday. Empty: the time is in none. */
function endsAt(window: TimeWindow, at: number, timezone: string): readonly number[] {
  const { days, dates, calendar, from = 0, to = DAY_MINUTES } = window;
  const today = dayOf(at, timezone);
  return [today - DAY_MS, today]
    .filter((day) => (days?.includes(weekdayOf(day)) ?? true) && (calendar?.has(day) ?? true))
    .filter((day) => dates?.includes(dateOf(day)) ?? true)
    .filter((day) => instantFrom(day, from, timezone) <= at)
    .map((day) => instantFrom(to > from ? day : day + DAY_MS, to, timezone))
    .filter((end) => at < end);
}
