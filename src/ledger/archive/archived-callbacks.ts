/** Callbacks with their deliveries, as the archive gives them. */
import { type Kysely, type Selection, sql } from 'kysely';
import type { StatusCode } from '../../callback/callback.ts';
import type { CallbackResult } from '../ledger.ts';
import { deliveryRecord, standingColumns, type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { ArchivedCallback, ArchivedDelivery } from './archive.ts';
import { resultsOf } from './find-callbacks.ts';

export const columns = [
  'id',
  'job_id as jobId',
  'bot_id as botId',
  'bot_name as botName',
  'status',
  'started_at as startedAt',
  'received_at as receivedAt',
  'last_received_at as lastReceivedAt',
  'times_received as timesReceived',
  'elapsed_time as elapsedSeconds',
] as const;

export async function callbacksWith(
  db: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('callbacks').select(columns).where('id', 'in', ids).execute();
  const deliveries = await deliveriesOf(db, time, ids);
  const results = await resultsOf(db, ids);
  return rows
    .toSorted((a, b) => b.id - a.id)
    .map((row) => archived(row, deliveries.get(row.id) ?? [], results.get(row.id)));
}

export function archived(
  row: Selection<Tables, 'callbacks', (typeof columns)[number]>,
  deliveries: readonly ArchivedDelivery[],
  result: string | undefined,
): ArchivedCallback {
  return {
    ...row,
    status: row.status as StatusCode,
    elapsedSeconds: row.elapsedSeconds ?? undefined,
    result: result as CallbackResult | undefined,
    deliveries,
  };
}

/** Of each callback, in the order in which they were planned. */
export async function deliveriesOf(
  db: Kysely<Tables>,
  time: StoreTime,
  callbackIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ArchivedDelivery[]>> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .select(standingColumns(time))
    .select(sql<number>`due_at - ${time.now}`.as('due_in_ms'))
    .where('callback_id', 'in', callbackIds)
    .orderBy('id')
    .execute();
  const grouped = new Map(callbackIds.map((id): [number, ArchivedDelivery[]] => [id, []]));
  for (const row of rows) {
    const dueInMs = row.state === 'pending' && row.due_at < WAITS_FOR_EARLIER ? row.due_in_ms : undefined;
    grouped.get(row.callback_id)?.push({ ...deliveryRecord(row), updatedAt: row.updated_at, dueInMs });
  }
  return grouped;
}
