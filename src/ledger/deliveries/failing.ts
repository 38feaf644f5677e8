/** For all processes: each destination's last success and failure, since when attempts fail there, which are down, and when the next message may go where the rate is limited. */
import sql, { bulk, join, type Sql } from 'sql-template-tag';
import type { ArchivedDestination } from '../archive/archive.ts';
import { storedTime, type Tx } from '../database.ts';
import type { AttemptRecord, DeliveryError, DeliveryUpdate } from '../ledger.ts';
import { IS_IDLE, shortened } from './rows.ts';

/** The longest wait before Botbell attempts by itself what has failed. */
export const LONGEST_BACKOFF_MS = 15 * 60_000;

/** No retry soon mends it. */
export function isLasting(error: Pick<DeliveryError, 'class'> | undefined): boolean {
  return error?.class === 'permanent' || error?.class === 'config';
}

/** A destination is down if its first and its last failure are so far apart. */
export const DOWN_AFTER_MS = 120_000;

/** At a destination that is down, the wait after the last failure is the time that it has been failing, divided by this: 15 s at first. */
const PROBE_SHARE = 8;

/** The span of a destination's failures, by whichever clock. */
export interface Failures {
  readonly first: number;
  readonly last: number;
}

export function isDown({ first, last }: Failures): boolean {
  return last - first >= DOWN_AFTER_MS;
}

/** When the oldest due message at a destination that is down is attempted; before that, nothing is attempted there. */
export function probeAt({ first, last }: Failures): number {
  return last + Math.min((last - first) / PROBE_SHARE, LONGEST_BACKOFF_MS);
}

export interface FailingDestination extends Failures {
  readonly destination: string;
}

/** Milliseconds from now: times that are past are negative. */
export function failingDestinations(tx: Tx): Promise<readonly FailingDestination[]> {
  return tx.all(sql`
    SELECT destination, failing_since - ${tx.now} AS first, failing_at - ${tx.now} AS last FROM destinations
    WHERE failing_since IS NOT NULL`);
}

/** @returns `left`: the due destinations, except those that are down and not to be tried yet, or being tried; `down`: all that are down */
export async function withoutProbed(tx: Tx, due: readonly string[], failing: readonly FailingDestination[]) {
  const down = failing.filter(isDown);
  const excluded = new Set<string>();
  for (const each of down)
    if (due.includes(each.destination) && (probeAt(each) > 0 || !(await mayProbe(tx, each))))
      excluded.add(each.destination);
  return { left: due.filter((destination) => !excluded.has(destination)), down };
}

/** Whether no process has a delivery to it in hand. Locks the destination's row, so that one process at a time decides this. */
async function mayProbe(tx: Tx, { destination }: FailingDestination): Promise<boolean> {
  const isMine = await tx.first(
    sql`SELECT destination FROM destinations WHERE destination = ${destination} ${tx.skipLocked}`,
  );
  if (isMine === undefined) return false;
  const inHand = await tx.first(sql`
    SELECT id FROM deliveries
    WHERE state = 'pending' AND destination = ${destination} AND NOT (${IS_IDLE}) LIMIT 1`);
  return inHand === undefined;
}

/** A delivery that is given up with a transient failure says nothing new of its destination: the next one there may be tried at once. */
export async function noteFailedAttempts(
  tx: Tx,
  attempts: readonly Pick<AttemptRecord, 'outcome' | 'endedAt'>[],
  { destination, state }: Pick<DeliveryUpdate, 'destination' | 'state'>,
): Promise<void> {
  const failed = attempts.filter(({ outcome }) => outcome === 'transient').map(({ endedAt }) => endedAt);
  const isGivenUp = state === 'dead' && attempts.at(-1)?.outcome === 'transient';
  if (!isGivenUp && failed.length > 0)
    await widenFailing(tx, destination, { first: Math.min(...failed), last: Math.max(...failed) });
}

/** Widens the span of failures both ways, since an earlier failure may be written later. @param times by the monotonic clock */
export async function widenFailing(tx: Tx, destination: string, times: Failures): Promise<void> {
  const [first, last] = [storedTime(tx, times.first), storedTime(tx, times.last)];
  await tx.all(sql`
    INSERT INTO destinations (destination, failing_since, failing_at) VALUES (${destination}, ${first}, ${last})
    ON CONFLICT (destination) DO UPDATE SET
      failing_since = CASE WHEN destinations.failing_since < excluded.failing_since THEN destinations.failing_since
        ELSE excluded.failing_since END,
      failing_at = CASE WHEN destinations.failing_at > excluded.failing_at THEN destinations.failing_at
        ELSE excluded.failing_at END`);
}

/** By destination that is down: milliseconds until its oldest due message is attempted. */
export async function probesOf(tx: Tx): Promise<ReadonlyMap<string, number>> {
  const down = (await failingDestinations(tx)).filter(isDown);
  return new Map(down.map((failing) => [failing.destination, Math.round(probeAt(failing))]));
}

/** The destination takes messages again. If it was down, its unclaimed deliveries that failed as transient are due now. */
export async function endFailing(tx: Tx, destination: string, wasDown: boolean): Promise<void> {
  await tx.all(sql`
    UPDATE destinations SET failing_since = NULL, failing_at = NULL
    WHERE destination = ${destination} AND failing_since IS NOT NULL`);
  if (!wasDown) return;
  await tx.all(sql`
    UPDATE deliveries SET due_at = ${tx.now}
    WHERE id IN (
      SELECT id FROM deliveries
      WHERE state = 'pending' AND destination = ${destination} AND is_taken_over = 1 AND due_at > ${tx.now}
        AND error_class = 'transient' AND ${IS_IDLE}
      ORDER BY id ${tx.skipLocked})`);
}

/** What a process has seen of a destination since its last write, by its monotonic clock: a write per message would cost too much. */
export type SeenDestination = Pick<ArchivedDestination, 'destination'> & Partial<ArchivedDestination>;

export async function recordDestinations(tx: Tx, seen: readonly SeenDestination[]): Promise<void> {
  const at = (time?: number) => time && storedTime(tx, time);
  // Sorted, so that all writers lock the rows in the same order.
  const rows = seen.toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
  await tx.all(sql`
    INSERT INTO destinations (destination, last_delivered_at, last_failed_at, last_error)
    VALUES ${bulk(rows.map((row) => [row.destination, at(row.lastDeliveredAt), at(row.lastFailedAt), shortened(row.lastError)]))}
    ON CONFLICT (destination) DO UPDATE SET
      last_delivered_at = coalesce(excluded.last_delivered_at, destinations.last_delivered_at),
      last_failed_at = coalesce(excluded.last_failed_at, destinations.last_failed_at),
      last_error = coalesce(excluded.last_error, destinations.last_error)`);
}

/** Takes the next slot. @returns milliseconds until it; undefined: it is more than `mostMs` away, and was not taken */
export async function reservePace(tx: Tx, key: string, intervalMs: number, mostMs: number) {
  const row = await tx.first<{ nextAt: number }>(sql`
    INSERT INTO paces (key, next_at) VALUES (${key}, ${tx.now + intervalMs})
    ON CONFLICT (key) DO UPDATE SET
      next_at = CASE WHEN paces.next_at > ${tx.now} THEN paces.next_at + ${intervalMs} ELSE excluded.next_at END
    WHERE paces.next_at <= ${tx.now + mostMs}
    RETURNING next_at`);
  return row && Math.max(0, row.nextAt - intervalMs - tx.now);
}

const MARK = /\n[^]{2}$/;

/** @param mark two characters, which stand for the settings that a remote refuses */
export function markedKey(place: string, mark: string): string {
  return `${place}\n${mark}`;
}

export function isMarked(key: string): boolean {
  return MARK.test(key);
}

/** The destination or channel of a key. */
export function placeOf(key: string): string {
  return key.replace(MARK, '');
}

/** As `placeOf`, of a row of `paces`. */
export const PACED_PLACE = sql`CASE WHEN key LIKE ${'%\n__'} THEN substr(key, 1, length(key) - 3) ELSE key END`;

/** Gives no slot for `ms`, or until the end of a longer pause; slots given before that lie within the pause are void. */
export async function pausePace(tx: Tx, key: string, ms: number): Promise<void> {
  const later = (time: Sql) =>
    sql`CASE WHEN ${time} > excluded.next_at THEN ${time} ELSE excluded.next_at END`;
  await tx.all(sql`
    INSERT INTO paces (key, next_at, paused_until) VALUES (${key}, ${tx.now + ms}, ${tx.now + ms})
    ON CONFLICT (key) DO UPDATE SET
      next_at = ${later(sql`paces.next_at`)}, paused_until = ${later(sql`paces.paused_until`)}`);
}

export async function forgetPaces(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.all(sql`DELETE FROM paces WHERE key IN (${join(['', ...keys])})`);
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
    WHERE next_at >= ${tx.now - IDLE_MS}`);
}

/** A condition on a row of `paces`. */
export function isPaused({ now }: Tx): Sql {
  return sql`paused_until > ${now}`;
}

/** When the last pause of each of these ends or ended, by the store's clock. */
export function pausesOf(tx: Tx, keys: readonly string[]): Promise<readonly unknown[]> {
  return tx.all(sql`SELECT key, paused_until FROM paces WHERE key IN (${join(keys)}) ORDER BY key`);
}
