/** The hot statements for a server: as many rows as possible in one, since each waits for a round trip. */
import { identityOf } from '../callback/identity.ts';
import type { HotStatements, PlannedRow, StatementContext } from './hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from './ledger.ts';
import { callbackIn, historyRow, type NewCallback, plannedRow, updatedColumns } from './rows.ts';

/** PostgreSQL takes 65,535 parameters, and a delivery has twelve. */
const ROWS_PER_INSERT = 1000;

export const kyselyStatements: HotStatements = {
  jobsBegun,
  identifyCallbacks,
  insertCallbacks,
  insertDeliveries,
  insertHistory,
  updateDeliveries,
};

async function jobsBegun({ trx }: StatementContext, jobIds: readonly string[]): Promise<readonly string[]> {
  const known = await trx
    .selectFrom('callbacks')
    .select('job_id as jobId')
    .distinct()
    .where('job_id', 'in', jobIds)
    .execute();
  return known.map(({ jobId }) => jobId);
}

async function identifyCallbacks({ trx }: StatementContext, jobIds: readonly string[]): Promise<void> {
  const unidentified = await trx
    .selectFrom('callbacks')
    .select(['id', 'body'])
    .where('job_id', 'in', jobIds)
    .where('identity', 'is', null)
    // In the order in which history is written, which locks the same rows.
    .orderBy('id')
    .execute();
  for (const { id, body } of unidentified) {
    const identity = identityOf(callbackIn(body));
    await trx.updateTable('callbacks').set({ identity }).where('id', '=', id).execute();
  }
}

async function insertCallbacks(
  { trx }: StatementContext,
  rows: readonly NewCallback[],
): Promise<readonly (number | undefined)[]> {
  const inserted = await trx
    .insertInto('callbacks')
    .values(rows.map((row) => ({ ...row, body: Buffer.from(row.body).toString('utf8') })))
    .onConflict((conflict) => conflict.columns(['job_id', 'identity']).doNothing())
    .returning(['id', 'job_id', 'identity'])
    .execute();
  const ids = new Map(inserted.map((row) => [keyOf(row), row.id]));
  return rows.map((row) => {
    const id = ids.get(keyOf(row));
    // Of two that are the same, the first one is new.
    ids.delete(keyOf(row));
    return id;
  });
}

function keyOf({ job_id, identity }: Pick<NewCallback, 'job_id' | 'identity'>): string {
  return `${identity ?? ''} ${job_id}`;
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
  if (records.length === 0) return;
  const inOrder = records.toSorted((a, b) => a.callbackId - b.callbackId);
  await trx.insertInto('history').values(inOrder.map(historyRow)).execute();
}

async function updateDeliveries(
  { trx, time }: StatementContext,
  updates: readonly DeliveryUpdate[],
  owner: string,
): Promise<void> {
  // In the order in which everybody locks deliveries, so that two settlements never wait for each other.
  for (const update of updates.toSorted((a, b) => a.id - b.id)) {
    let query = trx.updateTable('deliveries').set(updatedColumns(update, time)).where('id', '=', update.id);
    if (update.state !== 'delivered') {
      query = query.where('state', '=', 'pending').where('claimed_by', '=', owner);
    }
    await query.execute();
  }
}
