/** Locks jobs, callbacks and deliveries, in this order, each in an order of its own, so that transactions cannot deadlock. */
import sql, { join, type Sql } from 'sql-template-tag';
import { isSqlite, shared, type Tx } from '../database.ts';
import { IS_OF_JOB, JOB_KEY } from './rows.ts';

async function lock(tx: Tx, rows: Sql): Promise<void> {
  if (!isSqlite(tx)) await tx.all(sql`${rows} ${tx.forUpdate}`);
}

/** A number for a job, which is no row that could be locked. Two jobs with one number only wait for each other. @param key of a job */
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
 * @returns the id for its next callback, above those of all before; undefined: SQLite, which gives it when the row is written
 */
export async function lockJob(tx: Tx, jobKey: string): Promise<number | undefined> {
  if (isSqlite(tx)) return undefined;
  const row = await tx.first<{ id: number }>(ofJob`
    SELECT /*nr*/ pg_advisory_xact_lock(hashtextextended(${jobKey}, 0)), nextval('callbacks_id_seq') AS id /*from given*/`);
  return row?.id;
}

/** Locks the jobs of these callbacks, but those that another transaction has locked. @returns callbacks whose jobs are locked, or that are of none */
export async function lockFreeJobs(tx: Tx, callbackIds: readonly number[]): Promise<readonly number[]> {
  if (isSqlite(tx)) return callbackIds;
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

export async function lockHeld(tx: Tx, destination: string): Promise<void> {
  await lock(
    tx,
    sql`SELECT id FROM deliveries WHERE held_until IS NOT NULL AND destination = ${destination} ORDER BY id`,
  );
}
