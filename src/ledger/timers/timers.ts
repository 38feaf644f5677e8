/** Timers: rows that are due at a time whatever comes, such as that of a run without a result; and snoozes. A process claims one; what it leads to is written with its end. */
import { hash } from 'node:crypto';
import sql, { bulk, join, type Sql } from 'sql-template-tag';
import { inChunks, onlyRow, type Tx } from '../database.ts';
import { hasResult, IS_IDLE, type NoticeRow } from '../deliveries/rows.ts';
import type { ArchivedCallback, Page, PageRequest, Run } from '../archive/archive.ts';
import { COMMON_PAGE, pageOf } from '../archive/stories.ts';
import { keyOf, keysFor, nameIn, storedJson } from '../callbacks/keys.ts';
import type { Snooze } from '../../signal/rules.ts';
import type { Actor } from '../callbacks/history.ts';

/** `burst` counts the messages of a window, and fires nothing. `hold`: holds have ended at a destination. `escalation`: a route's steps of an incident. */
export type TimerKind =
  'overdue' | 'expect' | 'digest' | 'report' | 'budget' | 'hold' | 'burst' | 'escalation';

export interface Timer<Data = unknown> {
  readonly key: string;
  readonly kind: TimerKind;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Plain data whose type depends on the kind. */
  readonly data: Data;
}

/** A timer that exists: its kind stays. */
export type KnownTimer<Data = unknown> = Omit<Timer<Data>, 'kind'>;

export const AT_ONCE = 100;

/** Claims what is due, the earliest first. Makes a timer of each destination where holds have ended. */
export async function claimTimers(tx: Tx, most: number): Promise<readonly Timer[]> {
  // Also deliveries held by a snooze that has been ended, even if it was ended while they were being held.
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
export async function beginHolds(tx: Tx, destinations: Sql, otherwise: Sql): Promise<void> {
  await tx.all(sql`
    INSERT INTO timers (key, kind, due_at, data)
    SELECT 'hold ' || destination, 'hold', CAST(${tx.now} AS BIGINT), '{}' FROM (${destinations}) AS places WHERE destination <> ''
    ON CONFLICT (key) DO ${otherwise}`);
}

/** The destination of a timer of kind `hold` or `burst`. */
export function destinationOf({ key }: Pick<Timer, 'key'>): string {
  return key.slice(key.indexOf(' ') + 1);
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

export async function beginTimers(tx: Tx, timers: readonly Timer[]): Promise<void> {
  const rows = timers.toSorted(byKey).map(({ key, kind, dueAt, data }) => [key, kind, dueAt, data as object]);
  for (const some of inChunks(rows, AT_ONCE))
    await tx.all(sql`
      INSERT INTO timers (key, kind, due_at, data) VALUES ${bulk(some)}
      ON CONFLICT (key) DO NOTHING`);
}

/** In the order in which rows are locked. */
function byKey(a: Timer, b: Timer): number {
  return a.key < b.key ? -1 : 1;
}

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

/** Updates timers that this transaction has locked, all at once, and ends the claims on them. */
export async function putTimers(tx: Tx, timers: readonly KnownTimer<object>[]): Promise<void> {
  const put = ({ key, dueAt, data }: KnownTimer<object>) => {
    tx.timersPut?.set(key, data);
    return tx.all(sql`UPDATE timers SET due_at = ${dueAt}, data = ${data}, owner = NULL WHERE key = ${key}`);
  };
  await Promise.all(timers.map(put));
}

/** The key of a timer that a part of the config (`what`) asks for; callers append the BOT's key for a timer of one BOT. */
export function timerKey(kind: TimerKind, what: unknown): string {
  return `${kind} ${hash('sha256', JSON.stringify(what), 'hex').slice(0, 16)} `;
}

/** The first callback of a job, an `executing`. */
export type BegunRun = Pick<Run, 'callbackId' | 'startedAt' | 'receivedAt'>;

/** The data of a timer of kind `overdue`. */
export interface OpenRunTimer {
  readonly callbackId: number;
  readonly overdueMs: number;
}

/** Counted from the run's start, or from the arrival of its callback if that names a later start. */
export function overdueTimers(
  { callbackId, startedAt, receivedAt }: BegunRun,
  overdueMs: readonly number[],
): readonly Timer<OpenRunTimer>[] {
  return overdueMs.map((ms) => ({
    key: `overdue ${callbackId} ${ms}`,
    kind: 'overdue',
    dueAt: Math.min(startedAt, receivedAt) + ms,
    data: { callbackId, overdueMs: ms },
  }));
}

const MOST_OPEN = 5000;

/** The most `executing` callbacks that are looked at, the newest: it takes about a tenth of a second. */
const MOST_BEGUN = 20_000;

/** Runs without a result for which no `overdue` notice was written. */
export function openRuns(tx: Tx): Promise<readonly (BegunRun & { readonly botId: string })[]> {
  return tx.all(sql`
    SELECT id AS callback_id, bot_id, started_at, received_at
    FROM (SELECT * FROM callbacks WHERE status = 2 ORDER BY id DESC LIMIT ${MOST_BEGUN}) AS begun
    WHERE NOT ${hasResult('begun')} AND NOT EXISTS (
      SELECT 1 FROM callbacks AS earlier
      WHERE earlier.job_id = begun.job_id AND earlier.bot_key = begun.bot_key AND earlier.status = 2 AND earlier.id < begun.id)
    AND NOT EXISTS (SELECT 1 FROM callbacks AS told WHERE told.about = begun.id AND told.kind = 'overdue')
    ORDER BY id DESC LIMIT ${MOST_OPEN}`);
}

/** `body`: JSON as received. Undefined: its result has come, or it was deleted. */
export async function openRun(tx: Tx, callbackId: number) {
  const row = await tx.first<
    Pick<ArchivedCallback, 'jobId' | 'botId' | 'botName' | 'startedAt'> & Pick<NoticeRow, 'body'>
  >(sql`
    SELECT job_id, bot_id, bot_name, started_at, body
    FROM callbacks WHERE id = ${callbackId} AND NOT ${hasResult('callbacks')}`);
  return row && { ...row, body: Buffer.from(storedJson(row.body)).toString() };
}

/** A snooze until a success that never comes ends then. */
export const LONGEST_UNTIL_SUCCESS_MS = 7 * 86_400_000;

export interface SnoozeRequest
  extends
    Pick<Snooze, 'until' | 'isUntilSuccess' | 'because'>,
    Partial<Pick<Snooze, 'botId' | 'destination'>> {
  readonly actor: Actor;
}

export interface KeptSnooze extends Snooze {
  readonly held: number;
}

const COLUMNS = sql`id, bot_id, destination, until_at AS until, is_until_success, because, actor`;

function snoozeOf<Row extends { readonly actor: Actor }>({ actor, ...row }: Row) {
  return { ...row, by: actor.user ?? actor.via };
}

/** If an open snooze ends with the same success, and with no incident, it is changed to what is asked now, and none is added. @returns its id */
export async function snooze(tx: Tx, request: SnoozeRequest): Promise<number> {
  const { destination, until, isUntilSuccess, because, actor } = request;
  const { botKey, botId } = await botNamed(tx, request.botId);
  const [known] = await tx.all<{ id: number }>(sql`
    UPDATE snoozes SET until_at = ${until}, because = ${because}, actor = ${actor}
    WHERE is_until_success = 1 AND ${isUntilSuccess} = 1 AND until_at > ${tx.now} AND incident_id IS NULL
      AND bot_key = ${botKey} AND coalesce(destination, '') = ${destination ?? ''} RETURNING id`);
  if (known !== undefined) return known.id;
  const begun = await tx.all<{ id: number }>(sql`
    INSERT INTO snoozes (bot_key, bot_id, destination, until_at, is_until_success, because, actor, created_at)
    VALUES (${botKey}, ${botId}, ${destination}, ${until}, ${isUntilSuccess},
      ${because}, ${actor}, ${tx.now}) RETURNING id`);
  return onlyRow(begun).id;
}

/** A BOT as its callbacks name it: lists have the key of a long id. */
async function botNamed(tx: Tx, id: string | undefined): Promise<{ botKey?: string; botId?: string }> {
  if (id === undefined) return {};
  const known = await tx.first<{ botKey: string; botId: string }>(
    sql`SELECT bot_key, bot_id FROM callbacks WHERE kind = 'callback' AND bot_key = ${id} ORDER BY id DESC LIMIT 1`,
  );
  return known ?? { botKey: keyOf(id), botId: nameIn(id) };
}

/** Of any of these; undefined: of all. */
export interface SnoozesOf {
  readonly ids?: readonly number[];
  readonly botIds?: readonly string[];
  readonly destinations?: readonly string[];
}

/** Snoozes that have not ended, newest first, with how much each holds. @param page of any size: each admission reads them all */
export async function findSnoozes(tx: Tx, page: PageRequest = {}, of?: SnoozesOf): Promise<Page<KeptSnooze>> {
  const { before = Number.MAX_SAFE_INTEGER, limit = COMMON_PAGE } = page;
  const { ids = [], botIds = [], destinations = [] } = of ?? {};
  const isOf = sql`(id IN (${join([0, ...ids])}) OR bot_key IN (${join(['', ...botIds.flatMap(keysFor)])})
    OR destination IN (${join(['', ...destinations])}))`;
  const rows = await tx.all<Omit<KeptSnooze, 'by'> & { readonly actor: Actor }>(sql`
    SELECT ${COLUMNS}, (SELECT count(*) FROM deliveries WHERE snooze_id = snoozes.id AND held_until IS NOT NULL) AS held
    FROM snoozes WHERE until_at > ${tx.now} AND id < ${before} AND ${of === undefined ? sql`1 = 1` : isOf}
    ORDER BY id DESC LIMIT ${limit + 1}`);
  return pageOf(rows.map(snoozeOf), limit);
}

export async function openSnoozes(tx: Tx): Promise<readonly Snooze[]> {
  const rows = await tx.all<Omit<Snooze, 'by'> & { readonly actor: Actor }>(
    sql`SELECT ${COLUMNS} FROM snoozes WHERE until_at > ${tx.now} ORDER BY id`,
  );
  return rows.map(snoozeOf);
}

/** Ends snoozes; `claimTimers` then begins the timers that decide what they held. @returns whether any had not ended yet */
export async function endSnoozes(tx: Tx, which: Sql): Promise<boolean> {
  const ended = await tx.all<{ id: number }>(
    sql`UPDATE snoozes SET until_at = ${tx.now} WHERE until_at > ${tx.now} AND ${which} RETURNING id`,
  );
  return ended.length > 0;
}

export function endSnooze(tx: Tx, id: number): Promise<boolean> {
  return endSnoozes(tx, sql`id = ${id}`);
}
