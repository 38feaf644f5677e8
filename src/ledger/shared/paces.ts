/** For all processes: when the next message may go to a destination or channel that has limited its rate. */
import sql, { join, type Sql } from 'sql-template-tag';
import { LONGEST_PAUSE_MS, obeyedMs } from '../../channels/retry-after.ts';
import type { Tx } from '../database.ts';

/** No slot is further away: one that is was given by a clock that has been set back since, and counts as over. */
const FURTHEST_MS = LONGEST_PAUSE_MS + 60_000;

/** Takes the next slot. @returns milliseconds until it; undefined: it is more than `mostMs` away, and was not taken */
export async function reservePace(tx: Tx, key: string, intervalMs: number, mostMs: number) {
  const row = await tx.first<{ nextAt: number }>(sql`
    INSERT INTO paces (key, next_at) VALUES (${key}, ${tx.now + intervalMs})
    ON CONFLICT (key) DO UPDATE SET next_at = CASE
      WHEN paces.next_at > ${tx.now} AND paces.next_at <= ${tx.now + FURTHEST_MS} THEN paces.next_at + ${intervalMs} ELSE excluded.next_at END
    WHERE paces.next_at <= ${tx.now + mostMs} OR paces.next_at > ${tx.now + FURTHEST_MS}
    RETURNING next_at`);
  return row && Math.max(0, row.nextAt - intervalMs - tx.now);
}

/** Gives no slot for `ms`, as limited by `obeyedMs`, unless a longer pause is on; slots given before that end in it are void. */
export async function pausePace(tx: Tx, key: string, ms: number): Promise<void> {
  const later = (time: Sql) => sql`
    CASE WHEN ${time} > excluded.next_at AND ${time} <= ${tx.now + FURTHEST_MS} THEN ${time} ELSE excluded.next_at END`;
  await tx.all(sql`
    INSERT INTO paces (key, next_at, paused_until) VALUES (${key}, ${tx.now + obeyedMs(ms)}, ${tx.now + obeyedMs(ms)})
    ON CONFLICT (key) DO UPDATE SET next_at = ${later(sql`paces.next_at`)}, paused_until = ${later(sql`paces.paused_until`)}`);
}

export async function forgetPace(tx: Tx, key: string): Promise<void> {
  await tx.all(sql`DELETE FROM paces WHERE key = ${key}`);
}

export async function forgetPaces(tx: Tx, channel: string): Promise<void> {
  const beginning = `${channel}:`;
  await tx.all(
    sql`DELETE FROM paces WHERE key = ${channel} OR substr(key, 1, ${beginning.length}) = ${beginning}`,
  );
}

/** Paces whose last slot is longer ago have ended. */
export const IDLE_MS = 60_000;

/** nextInMs: milliseconds until its next slot; pausedMs: until its last pause ends. Negative if that is in the past. */
export interface CurrentPace {
  readonly key: string;
  readonly nextInMs: number;
  readonly pausedMs?: number | undefined;
}

/** The paces that are kept: until nothing has been sent for a minute. */
export function currentPaces(tx: Tx): Promise<readonly CurrentPace[]> {
  return tx.all(sql`
    SELECT key, next_at - ${tx.now} AS next_in_ms, paused_until - ${tx.now} AS paused_ms FROM paces
    WHERE next_at >= ${tx.now - IDLE_MS} AND next_at <= ${tx.now + FURTHEST_MS}`);
}

/** When the last pause of each of these ends or ended, by the store's clock. */
export function pausesOf(tx: Tx, keys: readonly string[]): Promise<readonly unknown[]> {
  return tx.all(sql`SELECT key, paused_until FROM paces WHERE key IN (${join(keys)}) ORDER BY key`);
}
