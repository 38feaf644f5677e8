/** The hot statements for a server: as many rows as possible in one, since each waits for a round trip. */
import type { Insertable } from 'kysely';
import type { HotStatements, PlannedRow, StatementContext, WrittenCallback } from './hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from './ledger.ts';
import { historyRow, plannedRow, updatedColumns } from './rows.ts';
import type { CallbackRow } from './tables.ts';

/** PostgreSQL takes 65,535 parameters, and a delivery has twelve. */
const ROWS_PER_INSERT = 1000;

export const kyselyStatements: HotStatements = {
  insertCallbacks,
  jobsBegunBefore,
  insertDeliveries,
  insertHistory,
  updateDeliveries,
};

async function insertCallbacks(
  { trx }: StatementContext,
  rows: readonly Insertable<CallbackRow>[],
): Promise<Map<string, number>> {
  const inserted = await trx
    .insertInto('callbacks')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['job_id', 'identity']).doNothing())
    .returning(['id', 'identity'])
    .execute();
  return new Map(inserted.map(({ id, identity }) => [identity, id]));
}

async function jobsBegunBefore(
  { trx }: StatementContext,
  written: readonly WrittenCallback[],
): Promise<readonly string[]> {
  const known = await trx
    .selectFrom('callbacks')
    .select(['job_id as jobId', (eb) => eb.fn.min('id').as('first')])
    .where(
      'job_id',
      'in',
      written.map(({ jobId }) => jobId),
    )
    .groupBy('job_id')
    .execute();
  const firstOf = new Map(known.map(({ jobId, first }) => [jobId, first]));
  return written
    .filter(({ jobId, callbackId }) => (firstOf.get(jobId) ?? callbackId) < callbackId)
    .map(({ jobId }) => jobId);
}

async function insertDeliveries(
  context: StatementContext,
  planned: readonly PlannedRow[],
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let start = 0; start < planned.length; start += ROWS_PER_INSERT) {
    ids.push(...(await insertSome(context, planned.slice(start, start + ROWS_PER_INSERT))));
  }
  return ids;
}

async function insertSome(
  { trx, time }: StatementContext,
  planned: readonly PlannedRow[],
): Promise<readonly number[]> {
  const rows = planned.map(({ callbackId, target, plan }) => plannedRow(callbackId, target, plan, time));
  const inserted = await trx
    .insertInto('deliveries')
    .values(rows)
    .returning(['id', 'callback_id', 'destination'])
    .execute();
  const ids = new Map(inserted.map((row) => [`${row.callback_id} ${row.destination}`, row.id]));
  return rows.map((row) => ids.get(`${row.callback_id} ${row.destination}`) as number);
}

async function insertHistory({ trx }: StatementContext, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length > 0) await trx.insertInto('history').values(records.map(historyRow)).execute();
}

async function updateDeliveries(
  { trx, time }: StatementContext,
  updates: readonly DeliveryUpdate[],
  owner: string,
): Promise<void> {
  for (const update of updates) {
    let query = trx.updateTable('deliveries').set(updatedColumns(update, time)).where('id', '=', update.id);
    if (update.state !== 'delivered') {
      query = query.where('state', '=', 'pending').where('claimed_by', '=', owner);
    }
    await query.execute();
  }
}
