/** How long `mute` and snoozes hold a message back: until none of them holds any more. */
import type { StatusName } from '../callback/callback.ts';
import { muteEndAt } from './mute.ts';
import type { MuteEntry, Snooze } from './rules.ts';
import { lastSnoozeAt } from './snooze.ts';

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
  /** Undefined: of what has none. */
  readonly status: StatusName | undefined;
  readonly timezone: string;
}

/** A year of single days, and more; what goes on after that never ends. */
const MOST_IN_A_CHAIN = 400;

/** Undefined: nobody holds it. */
export function holdAt(at: number, holders: Holders): Hold | undefined {
  const { mute, snoozes } = holders;
  const mutedUntil = muteEndAt(at, mute, holders);
  const snooze = lastSnoozeAt(at, snoozes, holders);
  const first = mutedUntil ?? snooze?.until;
  if (first === undefined) return undefined;
  let until = first;
  const held = { rule: mutedUntil === undefined ? 'snooze' : 'mute', snoozeId: snooze?.id } as const;
  for (let count = 0; count < MOST_IN_A_CHAIN; count += 1) {
    const next = muteEndAt(until, mute, holders) ?? lastSnoozeAt(until, snoozes, holders)?.until;
    if (next === undefined) return { ...held, until };
    until = next;
  }
  return { ...held, until: undefined };
}
