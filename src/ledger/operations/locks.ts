/** Who changes several rows locks jobs, callbacks and deliveries, in this order, each by id, so that nobody waits in a circle. */
import sql, { join, type Sql } from 'sql-template-tag';
import { isSqlite, type Tx } from '../database.ts';

export interface ToLock {
  readonly jobKeys?: readonly (string | undefined)[];
  readonly callbackIds?: readonly number[];
  readonly deliveryIds?: readonly number[];
}

export async function lock(
  tx: Tx,
  { jobKeys = [], callbackIds = [], deliveryIds = [] }: ToLock,
): Promise<void> {
  if (isSqlite(tx)) return;
  const keys = jobKeys.filter((key) => key !== undefined);
  await lockRows(tx, keys, (list) => sql`SELECT key FROM jobs WHERE key IN (${list}) ORDER BY key`);
  await lockRows(tx, callbackIds, (list) => sql`SELECT id FROM callbacks WHERE id IN (${list}) ORDER BY id`);
  await lockRows(tx, deliveryIds, (list) => sql`SELECT id FROM deliveries WHERE id IN (${list}) ORDER BY id`);
}

async function lockRows(
  tx: Tx,
  keys: readonly (string | number)[],
  query: (list: Sql) => Sql,
): Promise<void> {
  if (keys.length > 0) await tx.all(sql`${query(join([...new Set(keys)]))} ${tx.forUpdate}`);
}

/** Of deliveries, with their jobs. */
export async function lockDeliveries(tx: Tx, ids: readonly number[]): Promise<void> {
  await lockJobsOf(tx, ids);
  await lock(tx, { deliveryIds: ids });
}

/** For whoever writes their callback before them. */
export async function lockJobsOf(tx: Tx, deliveryIds: readonly number[]): Promise<void> {
  if (deliveryIds.length === 0 || isSqlite(tx)) return;
  const rows = await tx.all<{ jobKey: string | undefined }>(
    sql`SELECT DISTINCT job_key FROM deliveries WHERE id IN (${join(deliveryIds)})`,
  );
  await lock(tx, { jobKeys: rows.map(({ jobKey }) => jobKey) });
}
