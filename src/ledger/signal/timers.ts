/** Timers: rows that are due at a time whatever comes; the first process that finds one due fires it once. */
import { hash } from 'node:crypto';
import sql, { bulk, join } from 'sql-template-tag';
import type { Tx } from '../database.ts';

/** `burst` counts the messages of a window, and fires nothing. */
export type TimerKind = 'overdue' | 'expect' | 'digest' | 'route' | 'burst';

export interface Timer<Data = unknown> {
  readonly key: string;
  readonly kind: TimerKind;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Plain data whose type depends on the kind. */
  readonly data: Data;
}

const AT_ONCE = 100;

/** The earliest due first. */
export function dueTimers(tx: Tx): Promise<readonly Timer[]> {
  return tx.all<Timer>(sql`
    SELECT key, kind, due_at, data FROM timers
    WHERE due_at <= ${tx.now} AND kind <> 'burst' ORDER BY due_at, key LIMIT ${AT_ONCE}`);
}

/** Inserts timers that do not exist yet. */
export async function beginTimers(tx: Tx, timers: readonly Timer[]): Promise<void> {
  const rows = timers
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, kind, dueAt, data }) => [key, kind, dueAt, data as object]);
  // A statement of SQLite has 32,766 values at most.
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await tx.all(sql`
      INSERT INTO timers (key, kind, due_at, data) VALUES ${bulk(rows.slice(from, from + AT_ONCE))}
      ON CONFLICT (key) DO NOTHING`);
}

/** The data of timers, by key. */
type KnownByTimers = Readonly<Record<string, unknown>>;

export async function readTimers(tx: Tx, keys: readonly string[]): Promise<KnownByTimers> {
  if (keys.length === 0) return {};
  return knownBy(await tx.all<Timer>(sql`SELECT key, data FROM timers WHERE key IN (${join(keys)})`));
}

/** Locks timers until the transaction ends, and inserts missing ones, which have no data. */
export async function lockTimers(tx: Tx, kind: TimerKind, keys: readonly string[]): Promise<KnownByTimers> {
  if (keys.length === 0) return {};
  const rows = await tx.all<Timer>(sql`
    INSERT INTO timers (key, kind, due_at) VALUES ${bulk(keys.toSorted().map((key) => [key, kind, tx.now]))}
    ON CONFLICT (key) DO UPDATE SET kind = excluded.kind RETURNING key, data`);
  return knownBy(rows);
}

function knownBy(timers: readonly Pick<Timer, 'key' | 'data'>[]): KnownByTimers {
  return Object.fromEntries(timers.map(({ key, data }) => [key, data]));
}

/** Updates timers that this transaction has locked. */
export async function putTimers(tx: Tx, timers: readonly Timer<object>[]): Promise<void> {
  for (const { key, dueAt, data } of timers)
    await tx.all(sql`UPDATE timers SET due_at = ${dueAt}, data = ${data} WHERE key = ${key}`);
}

/** The data of a timer of kind `route`. */
export interface WatchedRoute {
  /** When a callback last matched it, or the config began with it: callbacks are deleted long before 30 days are over. */
  readonly lastAt: number;
  /** It had matched nothing for 30 days when it was looked at. */
  readonly isIdle: boolean;
}

/** The key of a timer that a part of the config (`what`) asks for; callers append the BOT's key for a timer of one BOT. */
export function timerKey(kind: TimerKind, what: unknown): string {
  return `${kind} ${hash('sha256', JSON.stringify(what), 'hex').slice(0, 16)} `;
}

/**
 * Deletes timers, inserts missing ones, and moves digests to their new times.
 * @param timers all that the config asks for, with what is known of them @param ended keys of those that it no longer asks for
 */
export async function adoptTimers(
  tx: Tx,
  timers: readonly Timer<object>[],
  ended: readonly string[],
): Promise<void> {
  for (let from = 0; from < ended.length; from += AT_ONCE)
    await tx.all(sql`DELETE FROM timers WHERE key IN (${join(ended.slice(from, from + AT_ONCE))})`);
  await beginTimers(tx, timers);
  // A digest with other data was told by another process meanwhile, which moved it.
  for (const { key, dueAt, data } of timers.filter(({ kind }) => kind === 'digest'))
    await tx.all(sql`UPDATE timers SET due_at = ${dueAt} WHERE key = ${key} AND data = ${data}`);
}

/** The timers of a kind, in the order of their keys. */
export function timersOfKind(tx: Tx, kind: TimerKind): Promise<readonly Timer[]> {
  return tx.all<Timer>(sql`SELECT key, kind, due_at, data FROM timers WHERE kind = ${kind} ORDER BY key`);
}
