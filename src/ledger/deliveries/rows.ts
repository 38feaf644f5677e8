/** Conditions, columns and rows that several operations share, and the order in which they lock rows. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Callback, CheckedCallback, StatusCode } from '../../callback/callback.ts';
import { parseJson } from '../../callback/decode.ts';
import type { Receipt } from '../../channels/channel.ts';
import { type Notice, noticeOf, noticeOfAlert, type RaisedAlert } from '../../notice/notice.ts';
import { shortText } from '../../text/cut.ts';
import { isSqlite, shared, type Tx } from '../database.ts';
import type { CallbackKind, DeliveryError, DeliveryRecord } from '../ledger.ts';
import { storedJson } from '../callbacks/keys.ts';

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

/** A condition on a row of `deliveries` or `timers`: no process has claimed it. Claims of the dead are freed (`freeClaims`). */
export const IS_IDLE: Sql = sql`owner IS NULL`;

/** A condition on a row of `deliveries` under this name: a summary that tells it waits to be delivered. */
export function isSummaryPending(row: string): Sql {
  return sql`EXISTS (
    SELECT 1 FROM deliveries AS summary WHERE summary.callback_id = ${raw(row)}.summary_id AND summary.state = 'pending')`;
}

/**
 * A subquery of a row of `deliveries`: those that must end before it at its destination. These are pending deliveries of earlier callbacks
 * of its job and, before a recovery, of each error of its BOT that is still to be told, by itself or in a summary.
 */
export const EARLIER: Sql = sql`
  SELECT earlier.id, earlier.callback_id, earlier.job_key FROM deliveries AS earlier
  WHERE earlier.state = 'pending' AND earlier.job_key = deliveries.job_key
    AND earlier.destination = deliveries.destination AND earlier.callback_id < deliveries.callback_id
  UNION ALL
  SELECT earlier.id, earlier.callback_id, earlier.job_key FROM deliveries AS earlier
  WHERE earlier.state IN ('pending', 'held') AND earlier.error_of = deliveries.recovery_of
    AND earlier.destination = deliveries.destination AND earlier.callback_id < deliveries.callback_id
    AND (earlier.state = 'pending' OR earlier.held_until IS NOT NULL OR ${isSummaryPending('earlier')})`;

/** The id of the last of `EARLIER`; 0 if they are of several jobs, since nobody knows which of these ends last. */
export const BEHIND: Sql = sql`
  SELECT CASE WHEN min(coalesce(ahead.job_key, '')) OVER () = max(coalesce(ahead.job_key, '')) OVER () THEN ahead.id ELSE 0 END
  FROM (${EARLIER}) AS ahead ORDER BY ahead.callback_id DESC LIMIT 1`;

/**
 * A condition on a row of `callbacks` under this name: the result of its job has come. LIMIT 1, since for EXISTS PostgreSQL may read all
 * results while its statistics are old.
 */
export function hasResult(row: string): Sql {
  const own = raw(row);
  return sql`(SELECT result.id FROM callbacks AS result WHERE result.job_id = ${own}.job_id AND result.bot_key = ${own}.bot_key
    AND result.status IN (0, 1) AND result.kind || '' = 'callback' LIMIT 1) IS NOT NULL`;
}

/**
 * A condition on a row of `callbacks`: what it says is no longer true, so it is told to nobody. An `executing` or an overdue run whose
 * result is known; a missed result that has come; a summary of messages that were told otherwise; an alert whose incident is over, or whose
 * callback has been delivered everywhere since, unless the incident's destination has a dead letter.
 */
export const IS_OUTDATED: Sql = sql`CASE callbacks.kind
  WHEN 'callback' THEN callbacks.status = 2 AND ${hasResult('callbacks')}
  WHEN 'overdue' THEN ${hasResult('callbacks')}
  WHEN 'missed' THEN EXISTS (SELECT 1 FROM callbacks AS came
    WHERE came.kind = 'callback' AND came.bot_key = callbacks.bot_key AND came.id > callbacks.id AND came.status IN (0, 1))
  WHEN 'summary' THEN NOT EXISTS (SELECT 1 FROM deliveries AS part
    WHERE part.summary_id = callbacks.id AND part.summary_id IS NOT NULL AND part.state = 'held')
  WHEN 'alert' THEN EXISTS (SELECT 1 FROM incidents WHERE incidents.id = callbacks.incident_id AND over_at IS NOT NULL)
    OR (callbacks.about IS NOT NULL AND (SELECT min(untold.id) FROM deliveries AS untold
      WHERE untold.callback_id = callbacks.about AND untold.state <> 'delivered') IS NULL
      AND NOT EXISTS (SELECT 1 FROM deliveries AS lost WHERE lost.state = 'dead'
        AND lost.destination = (SELECT subject FROM incidents WHERE incidents.id = callbacks.incident_id)))
  ELSE 1 = 0 END`;

/**
 * A condition on a delivery with its callback: it is a recovery, and its BOT has failed since. CASE, because with AND the database may look
 * for newer errors of messages that are no recoveries, too, through all callbacks after each.
 */
const HAS_FAILED_AGAIN: Sql = sql`CASE WHEN telling LIKE '%"template":"recovered"%' THEN EXISTS (SELECT 1 FROM callbacks AS newer
  WHERE newer.kind = 'callback' AND newer.bot_key = callbacks.bot_key AND newer.id > callbacks.id AND newer.status = 1
    AND newer.started_at > CASE WHEN callbacks.started_at < callbacks.received_at THEN callbacks.started_at ELSE callbacks.received_at END)
  ELSE 1 = 0 END`;

/** A condition on a row of `callbacks`: its messages are grouped with its job's, and in order with them. */
export const IS_OF_JOB: Sql = sql`callbacks.kind IN ('callback', 'overdue')`;

/** The job of a row of `callbacks` (`jobKeyOf`). */
export const JOB_KEY: Sql = sql`callbacks.bot_key || '\n' || callbacks.job_id`;

/** The last answer of a row of `callbacks`. */
export const RESULT: Sql = sql`coalesce(callbacks.result, (
  SELECT CASE WHEN posted_at IS NULL THEN 'accepted' ELSE 'delivered' END FROM deliveries
  WHERE callback_id = callbacks.id AND answered_at IS NOT NULL LIMIT 1))`;

/** A subquery of a row of `deliveries`: when its callback came. */
export const RECEIVED_AT: Sql = sql`SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id`;

/** A delivery with columns of its callback, without the body. */
export interface DeliveryRow extends DeliveryRecord, Omit<NoticeRow, 'body'> {
  readonly jobId: string;
  readonly botKey: string;
  readonly botId: string;
  readonly botName: string;
  readonly status: StatusCode;
  readonly bytes: number;
  readonly error: string | undefined;
  /** `IS_OUTDATED`. */
  readonly isOutdated: boolean;
  /** It is a recovery, and its BOT has failed since. */
  readonly hasFailedAgain: boolean;
  readonly isBulk: boolean;
  readonly jobKey: string | undefined;
  readonly owner: string | undefined;
  /** As the columns of `deliveries`. */
  readonly toldAt: number | undefined;
  readonly toldMs: number | undefined;
  readonly postedAt: number | undefined;
  readonly answeredAt: number | undefined;
}

/** @param which a condition on deliveries with their callbacks, and what order they come in */
export function deliveriesWhere(tx: Tx, which: Sql): Promise<readonly DeliveryRow[]> {
  const { now } = tx;
  return tx.all(sql`
    SELECT deliveries.*, kind, bot_key, bot_id, bot_name, callbacks.job_id, status, started_at, received_at, times_received, bytes, error,
      ${now} - counts_from - waited_ms AS age_ms, due_at - ${now} AS due_in_ms,
      CASE WHEN state = 'pending' AND owner IS NOT NULL THEN 'another' END AS claim,
      ${isSummaryPending('deliveries')} AS is_summary_pending,
      CASE WHEN state = 'pending' THEN (${BEHIND}) END AS behind, ${IS_OUTDATED} AS is_outdated, ${HAS_FAILED_AGAIN} AS has_failed_again
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id WHERE ${which}`);
}

/** The deliveries of these callbacks, in the order in which they were planned. */
export function deliveriesOf(tx: Tx, callbackIds: readonly number[]): Promise<readonly DeliveryRow[]> {
  return deliveriesWhere(tx, sql`callback_id IN (${join(callbackIds)}) ORDER BY deliveries.id`);
}

/** These deliveries, in the order of `ids`. */
export async function deliveriesById(tx: Tx, ids: readonly number[]): Promise<readonly DeliveryRow[]> {
  if (ids.length === 0) return [];
  const rows = await deliveriesWhere(tx, sql`deliveries.id IN (${join(ids)})`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Characters that a column keeps of a remote's text, which may be as long as a body. */
export const LONGEST_TEXT = 1000;

/** An error or a receipt as it is stored: a remote's texts may have any length, so they are cut. */
export function shortened<Told extends DeliveryError | Receipt>(told: Told | undefined): Told | undefined {
  const short: Record<string, unknown> | undefined = told && { ...told };
  for (const name in short) {
    const text = short[name];
    if (typeof text === 'string') short[name] = shortText(text, LONGEST_TEXT);
  }
  return short as Told | undefined;
}

/** The columns of `callbacks` that make a notice. */
export interface NoticeRow {
  readonly kind: CallbackKind;
  readonly startedAt: number;
  readonly timesReceived: number;
  /** In the form of `toStored`. */
  readonly body: Uint8Array;
}

function jsonIn(body: Uint8Array): unknown {
  return parseJson(storedJson(body)).value;
}

/** @param body in the form of `toStored` */
export function callbackIn(body: Uint8Array): Callback {
  return jsonIn(body) as Callback;
}

interface OverdueBody extends Pick<RaisedAlert, 'id'> {
  readonly subject: CheckedCallback & { readonly runningForMs: number };
}

export function noticeIn({ kind, startedAt, timesReceived, body }: NoticeRow): Notice {
  if (kind === 'callback') return noticeOf({ callback: callbackIn(body), startedAt }, timesReceived);
  const told = jsonIn(body);
  if (kind !== 'overdue') return noticeOfAlert(told as RaisedAlert);
  const { id: identity, subject } = told as OverdueBody;
  const { runningForMs, ...checked } = subject;
  // The notice's identity, not the callback's: a run may exceed several limits.
  return { ...noticeOf(checked, 1, { template: 'overdue', runningForMs }), identity };
}

async function lock(tx: Tx, rows: Sql): Promise<void> {
  if (!isSqlite(tx)) await tx.all(sql`${rows} ${tx.forUpdate}`);
}

/** The number of a job's advisory lock, since a job has no row to lock. Two jobs with one number only wait for each other. @param key of a job */
function numberOf(key: Sql): Sql {
  return sql`hashtextextended(${key}, 0)`;
}

/** Locks jobs until the transaction ends. @param keys a query of `job_key` */
async function lockJobs(tx: Tx, keys: Sql): Promise<void> {
  if (isSqlite(tx)) return;
  const inOrder = sql`SELECT DISTINCT job_key COLLATE "C" AS job_key FROM (${keys}) AS jobs ORDER BY 1`;
  await tx.all(sql`SELECT pg_advisory_xact_lock(${numberOf(sql`job_key`)}) FROM (${inOrder}) AS in_order`);
}

const ofJob = shared('text');

/**
 * Locks a job until the transaction ends. Callers at the same time are served in the order of their jobs.
 * @returns with the id for its next callback, above those of all before; undefined: SQLite, which gives it when the row is written
 */
export function lockJob(tx: Tx, jobKey: string): Promise<{ readonly id: number } | undefined> | undefined {
  if (isSqlite(tx)) return undefined;
  return tx.first(ofJob`
    SELECT /*nr*/ pg_advisory_xact_lock(hashtextextended(${jobKey}, 0)), nextval('callbacks_id_seq') AS id /*from given*/`);
}

const ofBursts = shared('text');

/**
 * Locks the windows of all bursts until the transaction ends, after its jobs and before all else: calls that share the transaction reach
 * the windows' rows in any order, and between locks of their BOTs' rows.
 */
export async function lockBursts(tx: Tx): Promise<void> {
  if (!isSqlite(tx))
    await tx.all(ofBursts`
      SELECT /*nr*/ pg_advisory_xact_lock(hashtextextended(${'bursts'}, 0)) /*from given*/`);
}

/** Locks the jobs of these callbacks, without waiting for other transactions' locks. @returns the callbacks whose job is locked now, or that have none */
export async function lockFreeJobs(tx: Tx, callbackIds: readonly number[]): Promise<readonly number[]> {
  if (isSqlite(tx) || callbackIds.length === 0) return callbackIds;
  const rows = await tx.all<{ id: number; isLocked: boolean }>(sql`
    SELECT id, CASE WHEN ${IS_OF_JOB} THEN pg_try_advisory_xact_lock(${numberOf(JOB_KEY)}) ELSE TRUE END AS is_locked
    FROM callbacks WHERE id IN (${join(callbackIds)})`);
  return rows.filter(({ isLocked }) => isLocked).map(({ id }) => id);
}

const ofCallback = shared('bigint');

/** Locks a callback's row alone, for a caller that may write it after its deliveries. */
export async function lockRow(tx: Tx, id: number): Promise<void> {
  if (!isSqlite(tx))
    await tx.all(ofCallback`
      SELECT /*nr*/ callbacks.id FROM callbacks /*, given*/ WHERE callbacks.id = ${id}
      ORDER BY callbacks.id FOR NO KEY UPDATE OF callbacks`);
}

export async function lockCallback(tx: Tx, id: number): Promise<void> {
  await lockJobs(tx, sql`SELECT ${JOB_KEY} AS job_key FROM callbacks WHERE id = ${id} AND ${IS_OF_JOB}`);
  await lockRow(tx, id);
  await lock(tx, sql`SELECT id FROM deliveries WHERE callback_id = ${id} ORDER BY id`);
}

export async function lockDeliveries(tx: Tx, ids: readonly number[]): Promise<void> {
  await lockJobsOf(tx, ids);
  await lockWithoutJobs(tx, ids);
}

/** Locks the jobs of deliveries, for a caller that writes their callback before it locks the deliveries. */
export async function lockJobsOf(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await lockJobs(tx, sql`SELECT job_key FROM deliveries WHERE id IN (${join(ids)}) AND job_key IS NOT NULL`);
}

/** Locks deliveries whose jobs are locked already. */
export async function lockWithoutJobs(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await lock(tx, sql`SELECT id FROM deliveries WHERE id IN (${join(ids)}) ORDER BY id`);
}

export async function lockHeldRows(tx: Tx, destination: string): Promise<void> {
  await lock(
    tx,
    sql`SELECT id FROM deliveries WHERE held_until IS NOT NULL AND destination = ${destination} ORDER BY id`,
  );
}
