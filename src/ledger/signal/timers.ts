/** Timers: what is due at a time whatever comes, fired once by whoever gets there first. */
import { hash } from 'node:crypto';
import sql, { bulk, join, raw } from 'sql-template-tag';
import type { Tx } from '../database.ts';

/** `burst` counts the messages of a window, and fires nothing. */
export type TimerKind = 'overdue' | 'expect' | 'digest' | 'route' | 'burst';

export interface Timer<Data = unknown> {
  readonly key: string;
  readonly kind: TimerKind;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** What its kind needs to know. */
  readonly data: Data;
}

const AT_ONCE = 100;

/** The oldest first. */
export function dueTimers(tx: Tx): Promise<readonly Timer[]> {
  return tx.all<Timer>(sql`
    SELECT key, kind, due_at, data FROM timers
    WHERE due_at <= ${tx.now} AND kind <> 'burst' ORDER BY due_at, key LIMIT ${AT_ONCE}`);
}

/** Begins those that are not there yet. */
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

/** What timers know, by their keys. */
type KnownByTimers = Readonly<Record<string, unknown>>;

export async function readTimers(tx: Tx, keys: readonly string[]): Promise<KnownByTimers> {
  if (keys.length === 0) return {};
  return knownBy(await tx.all<Timer>(sql`SELECT key, data FROM timers WHERE key IN (${join(keys)})`));
}

/** Nobody else writes them before this transaction ends. Of one that begins now, nothing is known. */
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

/** Those that are locked, or that nobody else writes. */
export async function putTimers(tx: Tx, timers: readonly Timer<object>[]): Promise<void> {
  for (const { key, dueAt, data } of timers)
    await tx.all(sql`UPDATE timers SET due_at = ${dueAt}, data = ${data} WHERE key = ${key}`);
}

/** What a timer of kind `route` knows. */
export interface WatchedRoute {
  readonly name: string;
  /** It has matched nothing for 30 days. */
  readonly isIdle: boolean;
}

/** Names of routes that have matched nothing for 30 days. */
export async function idleRoutes(tx: Tx): Promise<readonly string[]> {
  const watched = await timersOfKind(tx, 'route');
  return watched.flatMap(({ data }) => ((data as WatchedRoute).isIdle ? (data as WatchedRoute).name : []));
}

/** Of what the config asks for by `what`; a timer of one BOT has its id behind it. */
export function timerKey(kind: TimerKind, what: unknown): string {
  return `${kind} ${hash('sha256', JSON.stringify(what), 'hex').slice(0, 16)} `;
}

/** Characters of the longest of these. */
const KEY_LENGTH = 24;

/**
 * Begins those that the config asks for and that are not there, has digests follow their times, and ends what it does not ask for any
 * more.
 * @param kept keys as `timerKey` has them of what goes on for BOTs that nothing is known of any more
 */
export async function adoptTimers(
  tx: Tx,
  timers: readonly Timer<object>[],
  kept: readonly string[],
): Promise<void> {
  const wanted = [...kept, ...timers.map(({ key }) => key.slice(0, KEY_LENGTH))];
  const others =
    wanted.length === 0 ? raw('') : sql` AND substr(key, 1, ${KEY_LENGTH}) NOT IN (${join(wanted)})`;
  await tx.all(sql`DELETE FROM timers WHERE kind IN ('digest', 'expect', 'route')${others}`);
  await beginTimers(tx, timers);
  for (const { key, dueAt } of timers.filter(({ kind }) => kind === 'digest'))
    await tx.all(sql`UPDATE timers SET due_at = ${dueAt} WHERE key = ${key}`);
}

/** What timers of a kind know, by their keys. */
export function timersOfKind(tx: Tx, kind: TimerKind): Promise<readonly Timer[]> {
  return tx.all<Timer>(sql`SELECT key, kind, due_at, data FROM timers WHERE kind = ${kind} ORDER BY key`);
}
