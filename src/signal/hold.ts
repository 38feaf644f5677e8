/** How long `mute` and snoozes hold a message back: until none of them holds any more. */
import type { StatusName } from '../callback/callback.ts';
import { dateOf, DAY_MS, dayOf, instantOn, weekdayOf } from './calendar.ts';
import type { MuteEntry, Snooze } from './rules.ts';

export interface Hold {
  readonly rule: 'mute' | 'snooze' | 'burst';
  /** Undefined: it does not end by itself. */
  readonly until: number | undefined;
  /** The snooze that holds it as well, or alone: when somebody ends that, the others are asked. */
  readonly snoozeId?: number | undefined;
}

/** Who may hold a message, and what they go by. */
export interface Holders {
  readonly mute: readonly MuteEntry[];
  readonly snoozes: readonly Snooze[];
  readonly botId: string;
  readonly destination: string;
  /** Undefined: of what has none, so that no mute entry excepts it. */
  readonly status: StatusName | undefined;
  readonly timezone: string;
}

/** A year of single days, and more; what goes on after that never ends. */
const MOST_IN_A_CHAIN = 400;

/** Undefined: nobody holds it. */
export function holdAt(at: number, holders: Holders): Hold | undefined {
  const mutedUntil = muteEndAt(at, holders);
  const snooze = lastSnoozeAt(at, holders);
  const first = mutedUntil ?? snooze?.until;
  if (first === undefined) return undefined;
  let until = first;
  const held = { rule: mutedUntil === undefined ? 'snooze' : 'mute', snoozeId: snooze?.id } as const;
  for (let count = 0; count < MOST_IN_A_CHAIN; count += 1) {
    const next = muteEndAt(until, holders) ?? lastSnoozeAt(until, holders)?.until;
    if (next === undefined) return { ...held, until };
    until = next;
  }
  return { ...held, until: undefined };
}

/** The last to end of those that are in force then for a BOT at a destination; undefined where none is. */
export function lastSnoozeAt(
  at: number,
  { snoozes, botId, destination }: Pick<Holders, 'snoozes' | 'botId' | 'destination'>,
): Snooze | undefined {
  return snoozes
    .filter((snooze) => snooze.botId === undefined || snooze.botId === botId)
    .filter((snooze) => snooze.destination === undefined || snooze.destination === destination)
    .filter(({ until }) => until > at)
    .toSorted((a, b) => b.until - a.until)[0];
}

const DAY_MINUTES = 1440;

/** When the entry that holds then ends; the latest end where several do, undefined where none does. */
export function muteEndAt(
  at: number,
  { mute, status, timezone }: Pick<Holders, 'mute' | 'status' | 'timezone'>,
): number | undefined {
  const applying = mute.filter(({ except }) => status === undefined || except?.includes(status) !== true);
  if (applying.length === 0) return undefined;
  const today = dayOf(at, timezone);
  // A window over midnight may have begun yesterday.
  const ends = applying.flatMap((entry) =>
    [today - DAY_MS, today]
      .filter((day) => beginsOn(entry, day))
      .map((day) => windowOf(entry, day, timezone))
      .filter(({ begin, end }) => begin <= at && at < end)
      .map(({ end }) => end),
  );
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function beginsOn({ days, dates }: MuteEntry, day: number): boolean {
  return (days?.includes(weekdayOf(day)) ?? true) && (dates?.includes(dateOf(day)) ?? true);
}

function windowOf({ from = 0, to = DAY_MINUTES }: MuteEntry, day: number, timezone: string) {
  return {
    begin: instantOn(day, from, timezone),
    end: instantOn(to > from ? day : day + DAY_MS, to, timezone),
  };
}
