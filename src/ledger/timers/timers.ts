/** Timers: rows that are due at a time whatever comes. A process claims one; what it leads to is written with its end. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import sql, { bulk, join, type Sql } from 'sql-template-tag';
import { inChunks, type Tx } from '../database.ts';
import { IS_IDLE } from '../deliveries/rows.ts';

/** `burst` counts the messages of a window, and fires nothing. `hold`: holds have ended at a destination. `escalation`: a route's steps of an incident. */
export type TimerKind = 'overdue' | 'expect' | 'digest' | 'hold' | 'burst' | 'escalation';

export interface Timer<Data = unknown> {
  readonly key: string;
  readonly kind: TimerKind;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Plain data whose type depends on the kind. */
  readonly data: Data;
}

const AT_ONCE = 100;

/** Claims what is due, the earliest first. Makes a timer of each destination where holds have ended. */
export async function claimTimers(tx: Tx, most: number): Promise<readonly Timer[]> {
  // What a snooze holds that somebody has ended, even if that was while it was being held.
  await beginHolds(
    tx,
    sql`
    SELECT destination FROM deliveries WHERE held_until <= ${tx.now}
    UNION SELECT deliveries.destination FROM snoozes CROSS JOIN deliveries
      WHERE until_at <= ${tx.now} AND snooze_id = snoozes.id AND held_until IS NOT NULL AND snooze_id IS NOT NULL`,
    sql`NOTHING`,
  );
  return tx.all<Timer>(sql`
    UPDATE timers SET owner = ${tx.owner} WHERE key IN (
      SELECT key FROM timers WHERE due_at <= ${tx.now} AND kind <> 'burst' AND ${IS_IDLE} ORDER BY due_at LIMIT ${most} ${tx.skipLocked})
    RETURNING key, kind, due_at, data`);
}

/** @param otherwise what becomes of timers that exist */
async function beginHolds(tx: Tx, destinations: Sql, otherwise: Sql): Promise<void> {
  await tx.all(sql`
    INSERT INTO timers (key, kind, due_at, data)
    SELECT 'hold ' || destination, 'hold', CAST(${tx.now} AS BIGINT), '{}' FROM (${destinations}) AS places WHERE destination <> ''
    ON CONFLICT (key) DO ${otherwise}`);
}

/** The destination of a timer of kind `hold`. */
export function destinationOf({ key }: Pick<Timer, 'key'>): string {
  return key.slice('hold '.length);
}

/** Ends a claimed timer, or sets its next time. @returns false: it is not this process's any more, or it was begun anew */
export async function endTimer(
  tx: Tx,
  { key, dueAt }: Pick<Timer, 'key' | 'dueAt'>,
  next?: Pick<Timer<object>, 'dueAt' | 'data'>,
): Promise<boolean> {
  const own = sql`key = ${key} AND due_at = ${dueAt} AND owner = ${tx.owner}`;
  const ended = await tx.all(
    next === undefined
      ? sql`DELETE FROM timers WHERE ${own} RETURNING key`
      : sql`UPDATE timers SET due_at = ${next.dueAt}, data = ${next.data}, owner = NULL WHERE ${own} RETURNING key`,
  );
  return ended.length > 0;
}

/** Inserts timers that do not exist yet. */
export async function beginTimers(tx: Tx, timers: readonly Timer[]): Promise<void> {
  const rows = timers
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, kind, dueAt, data }) => [key, kind, dueAt, data as object]);
  for (const some of inChunks(rows, AT_ONCE))
    await tx.all(sql`
      INSERT INTO timers (key, kind, due_at, data) VALUES ${bulk(some)}
      ON CONFLICT (key) DO NOTHING`);
}

/** @returns the data of timers, by key */
export async function readTimers(tx: Tx, keys: readonly string[]) {
  if (keys.length === 0) return {};
  return knownBy(await tx.all<Timer>(sql`SELECT key, data FROM timers WHERE key IN (${join(keys)})`));
}

/** Locks timers until the transaction ends, and inserts missing ones, which have no data. */
export async function lockTimers(tx: Tx, kind: TimerKind, keys: readonly string[]) {
  if (keys.length === 0) return {};
  const rows = await tx.all<Timer>(sql`
    INSERT INTO timers (key, kind, due_at) VALUES ${bulk(keys.toSorted().map((key) => [key, kind, tx.now]))}
    ON CONFLICT (key) DO UPDATE SET kind = excluded.kind RETURNING key, data`);
  return knownBy(rows);
}

function knownBy(timers: readonly Timer[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(timers.map(({ key, data }) => [key, data]));
}

/** Updates timers that this transaction has locked: who has claimed one has it no more. */
export async function putTimers(tx: Tx, timers: readonly Timer<object>[]): Promise<void> {
  for (const { key, dueAt, data } of timers)
    await tx.all(sql`UPDATE timers SET due_at = ${dueAt}, data = ${data}, owner = NULL WHERE key = ${key}`);
}

/** The key of a timer that a part of the config (`what`) asks for; callers append the BOT's key for a timer of one BOT. */
export function timerKey(kind: TimerKind, what: unknown): string {
  return `${kind} ${hash('sha256', JSON.stringify(what), 'hex').slice(0, 16)} `;
}

/** A timer as a config asks for it, and its data in the ledger; undefined: the ledger does not hold it yet. */
export interface AskedTimer<Data extends object = object> extends Timer<Data> {
  readonly was?: Data | undefined;
}

/** What becomes of the timers and holds of a config that takes effect. */
export interface Adoption {
  /** All that it asks for. Of those that the ledger holds, digests and those with other data are changed. */
  readonly timers: readonly AskedTimer[];
  /** Keys of those that it no longer asks for. */
  readonly ended: readonly string[];
  /** The destinations whose messages that `mute` or a snooze holds are decided anew. */
  readonly reasked: readonly string[] | 'all';
}

export async function adoptTimers(tx: Tx, { timers, ended, reasked }: Adoption): Promise<void> {
  // One that is locked is being fired at this moment.
  const free = (which: Sql) =>
    sql`key IN (SELECT key FROM timers WHERE ${which} ORDER BY key ${tx.skipLocked})`;
  for (const keys of inChunks(ended, AT_ONCE))
    await tx.all(sql`DELETE FROM timers WHERE ${free(sql`key IN (${join(keys)})`)}`);
  await beginTimers(tx, timers);
  // By today's steps.
  await tx.all(
    sql`UPDATE timers SET due_at = ${tx.now}, owner = NULL WHERE ${free(sql`kind = 'escalation' AND due_at > ${tx.now}`)}`,
  );
  // One with other data has been told, or met by a result, meanwhile.
  for (const { key, dueAt, data, was } of timers.filter(isChanged))
    await tx.all(
      sql`UPDATE timers SET due_at = ${dueAt}, data = ${data}, owner = NULL WHERE ${free(sql`key = ${key} AND data = ${was}`)}`,
    );
  const all = sql`SELECT DISTINCT destination FROM deliveries WHERE held_until IS NOT NULL AND reason IN ('mute', 'snooze')`;
  // At another time than before: what is being decided about them by the former config is not written.
  const anew = sql`UPDATE SET due_at = timers.due_at - 1, owner = NULL`;
  if (reasked === 'all') await beginHolds(tx, all, anew);
  else
    for (const some of inChunks(reasked, AT_ONCE))
      await beginHolds(tx, sql`${all} AND destination IN (${join(some)})`, anew);
}

function isChanged({ kind, data, was }: AskedTimer): boolean {
  return was !== undefined && (kind === 'digest' || !isDeepStrictEqual(data, was));
}

/** The timers of these kinds, in the order of their keys. */
export function timersOf(tx: Tx, kinds: readonly TimerKind[]): Promise<readonly Timer[]> {
  return tx.all<Timer>(
    sql`SELECT key, kind, due_at, data FROM timers WHERE kind IN (${join(kinds)}) ORDER BY key`,
  );
}
