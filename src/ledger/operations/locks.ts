/** Locks jobs, callbacks and deliveries, in this order, each by id, so that transactions cannot deadlock. */
import sql, { join, type Sql } from 'sql-template-tag';
import { isSqlite, type Tx } from '../database.ts';

async function lock(tx: Tx, rows: Sql): Promise<void> {
  if (!isSqlite(tx)) await tx.all(sql`${rows} ${tx.forUpdate}`);
}

export async function lockCallback(tx: Tx, id: number): Promise<void> {
  await lock(tx, sql`SELECT key FROM jobs WHERE key = (SELECT job_key FROM callbacks WHERE id = ${id})`);
  await lock(tx, sql`SELECT id FROM callbacks WHERE id = ${id}`);
  await lock(tx, sql`SELECT id FROM deliveries WHERE callback_id = ${id} ORDER BY id`);
}

export async function lockDeliveries(tx: Tx, ids: readonly number[]): Promise<void> {
  await lockJobsOf(tx, ids);
  await lockWithoutJobs(tx, ids);
}

/** Locks the jobs of deliveries, for a caller that writes their callback before it locks the deliveries. */
export async function lockJobsOf(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const keys = sql`SELECT job_key FROM deliveries WHERE id IN (${join(ids)})`;
  await lock(tx, sql`SELECT key FROM jobs WHERE key IN (${keys}) ORDER BY key`);
}

/** Locks deliveries whose jobs are locked already. */
export async function lockWithoutJobs(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await lock(tx, sql`SELECT id FROM deliveries WHERE id IN (${join(ids)}) ORDER BY id`);
}
