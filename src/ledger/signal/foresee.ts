/** What the rules would do about a callback if it came at some time, by what is known of its BOT: nothing is written. */
import sql, { join } from 'sql-template-tag';
import type { BurstWindow } from '../../signal/burst.ts';
import type { Decision } from '../../signal/decide.ts';
import type { Snooze } from '../../signal/rules.ts';
import { endedSnoozes } from '../../signal/snooze.ts';
import type { Row } from '../../signal/streak.ts';
import type { Tx } from '../database.ts';
import type { PlannedDelivery } from '../ledger.ts';
import { EXECUTING } from '../rows.ts';
import { type Arriving, askedOf, type ExpectedBot, expectedAfter, withItsResult } from './admission.ts';
import { burstKey, decisionOn } from './decisions.ts';
import { caughtUp, type Facts, NO_FACTS } from './facts.ts';
import { snoozesOf } from './snoozes.ts';

/** What rules go by, beside the callback itself. */
export interface Known {
  readonly facts: Facts;
  readonly snoozes: readonly Snooze[];
  /** What timers know, by their keys: bursts of destinations, expectations of the BOT. */
  readonly timers: Readonly<Record<string, unknown>>;
}

export const NOTHING_KNOWN: Known = { facts: NO_FACTS, snoozes: [], timers: {} };

/** @param expectations keys of timers */
export async function knownOf(
  tx: Tx,
  botKey: string,
  destinations: readonly string[],
  expectations: readonly string[],
): Promise<Known> {
  const row = await tx.first<{ facts: Facts | undefined }>(
    sql`SELECT facts FROM streaks WHERE bot_key = ${botKey}`,
  );
  const keys = [...expectations, ...destinations.map(burstKey)];
  const timers =
    keys.length === 0
      ? []
      : await tx.all<{ key: string; data: unknown }>(
          sql`SELECT key, data FROM timers WHERE key IN (${join(keys)})`,
        );
  return {
    facts: await caughtUp(tx, row?.facts ?? NO_FACTS, botKey, Number.MAX_SAFE_INTEGER),
    snoozes: await snoozesOf(tx, botKey, destinations),
    timers: Object.fromEntries(timers.map(({ key, data }) => [key, data])),
  };
}

export interface Foreseen {
  readonly target: PlannedDelivery;
  /** Undefined: it has no rules, and is told. */
  readonly decision: Decision | undefined;
  /** Of errors, with this result; undefined: it is none. */
  readonly row: Row | undefined;
  /** Those that end with this result are not among them. */
  readonly snoozes: readonly Snooze[];
}

/** @returns of each that is planned, in their order */
export function foresee(arrived: Arriving, { facts, snoozes, timers }: Known): readonly Foreseen[] {
  const { botId, status, receivedAt: now, planned, watched } = arrived;
  const lateFor = new Map<string, number>();
  for (const { key, rule } of watched.expected) {
    const { lateFor: dueAt } = expectedAfter(rule, timers[key] as ExpectedBot | undefined, arrived);
    if (dueAt !== undefined) lateFor.set(key, dueAt);
  }
  const result = status === EXECUTING ? undefined : withItsResult(facts, arrived);
  const ended = result === undefined ? [] : endedSnoozes(snoozes, { botId, streak: result.streak });
  const row = result?.row;
  const asked = askedOf({ ...arrived, hasSnoozes: false }, facts, { row, lateFor });
  const left = snoozes.filter((snooze) => !ended.includes(snooze));
  return planned.map((target) => {
    const window = timers[burstKey(target.destination)] as BurstWindow | undefined;
    return {
      target,
      decision: decisionOn(asked, target, { snoozes: left, window, now }),
      row,
      snoozes: left,
    };
  });
}
