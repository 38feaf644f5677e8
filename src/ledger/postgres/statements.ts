/** The hot statements for a server: as many rows as possible in one, since each waits for a round trip. */
import { sql, type Kysely } from 'kysely';
import type {
  HotStatements,
  JobBegun,
  PlaceInJob,
  Predecessor,
  ResultBefore,
  Settler,
  StatementContext,
  Updated,
} from '../hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from '../ledger.ts';
import { ADDED_TO_BOT_DAY } from '../bot-days.ts';
import { releaseNext } from '../pending-rows.ts';
import type { NewCallback } from '../callback-columns.ts';
import {
  historyRow,
  type NewDelivery,
  plannedRow,
  type StoreTime,
  updatedColumns,
  WAITS_FOR_EARLIER,
} from '../rows.ts';
import { bytesToStore } from '../stored-body.ts';
import type { BotDayRow, Tables } from '../tables.ts';

/** PostgreSQL takes 65,535 parameters, and a delivery has fourteen. */
const ROWS_PER_INSERT = 1000;

export const kyselyStatements: HotStatements = {
  jobsBegun,
  insertCallbacks,
  insertDeliveries,
  haveResults,
  predecessors,
  countCallbacks,
  insertHistory,
  updateDeliveries,
};

/** One look for each job: it may have thousands of callbacks. Null stands first where an index is read backwards. */
async function jobsBegun({ trx }: StatementContext, jobIds: readonly string[]): Promise<readonly JobBegun[]> {
  const { rows } = await sql<JobBegun>`
    select wanted.job_id as "jobId", known.identity is null as "hasUnidentified"
    from (select distinct unnest(${jobIds}::text[]) as job_id) as wanted
    cross join lateral (
      select identity from callbacks where callbacks.job_id = wanted.job_id order by identity desc limit 1
    ) as known`.execute(trx);
  return rows;
}

async function insertCallbacks(
  { trx }: StatementContext,
  rows: readonly NewCallback[],
): Promise<readonly (number | undefined)[]> {
  const inserted = await trx
    .insertInto('callbacks')
    .values(rows.map((row) => ({ ...row, body: Buffer.from(bytesToStore(row.body)).toString('utf8') })))
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
  planned: readonly NewDelivery[],
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let start = 0; start < planned.length; start += ROWS_PER_INSERT) {
    ids.push(...(await insertSome(context, planned.slice(start, start + ROWS_PER_INSERT))));
  }
  return ids;
}

async function insertSome(
  { trx, time }: StatementContext,
  planned: readonly NewDelivery[],
): Promise<readonly number[]> {
  const rows = planned.map((delivery) => plannedRow(delivery, time));
  const inserted = await trx
    .insertInto('deliveries')
    .values(rows)
    .returning(['id', 'callback_id', 'destination'])
    .execute();
  const ids = new Map(inserted.map((row) => [`${row.callback_id} ${row.destination}`, row.id]));
  return rows.map((row) => ids.get(`${row.callback_id} ${row.destination}`) as number);
}

async function haveResults(
  { trx }: StatementContext,
  jobs: readonly ResultBefore[],
): Promise<readonly boolean[]> {
  const jobIds = jobs.map(({ jobId }) => jobId);
  const befores = jobs.map(({ before }) => before);
  const { rows } = await sql<{ job: number }>`
    select job.index as job
    from unnest(${jobIds}::text[], ${befores}::bigint[]) with ordinality as job(job_id, before, index)
    cross join lateral (
      select 1 from callbacks
      where callbacks.job_id = job.job_id and status in (0, 1) and id < job.before and kind = 'callback'
      limit 1
    ) as result`.execute(trx);
  const found = new Set(rows.map(({ job }) => job));
  return jobs.map((_job, index) => found.has(index + 1));
}

async function predecessors(
  { trx, time }: StatementContext,
  places: readonly PlaceInJob[],
): Promise<readonly (Predecessor | undefined)[]> {
  if (places.length === 0) return [];
  const jobIds = places.map(({ jobId }) => jobId);
  const destinations = places.map(({ destination }) => destination);
  const callbackIds = places.map(({ callbackId }) => callbackId);
  const { rows } = await sql<{ place: number; id: number; is_claimed: boolean | null }>`
    select place.index as place, before.id, before.claimed_until > ${time.now} as is_claimed
    from unnest(${jobIds}::text[], ${destinations}::text[], ${callbackIds}::bigint[]) with ordinality
      as place(job_id, destination, callback_id, index)
    cross join lateral (
      select id, claimed_until from deliveries
      where state = 'pending' and job_key = place.job_id and destination = place.destination
        and callback_id < place.callback_id
      order by callback_id desc limit 1
    ) as before`.execute(trx);
  const found = new Map(rows.map((row) => [row.place, { id: row.id, isClaimed: row.is_claimed === true }]));
  return places.map((_place, index) => found.get(index + 1));
}

async function countCallbacks({ trx }: StatementContext, days: readonly BotDayRow[]): Promise<void> {
  await sql`
    insert into bot_days select * from json_populate_recordset(null::bot_days, ${JSON.stringify(days)}::json)
    ${sql.raw(ADDED_TO_BOT_DAY)}`.execute(trx);
}

async function insertHistory({ trx }: StatementContext, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  const inOrder = records.toSorted((a, b) => a.callbackId - b.callbackId);
  await trx.insertInto('history').values(inOrder.map(historyRow)).execute();
}

async function updateDeliveries(
  { trx, time }: StatementContext,
  updates: readonly DeliveryUpdate[],
  { owner, takeOverAfterMs }: Settler,
): Promise<Updated> {
  const counted: number[] = [];
  const finished = updates.filter(({ state }) => state !== 'pending').map(({ id }) => id);
  if (finished.length > 0)
    await lockWithNext(
      trx,
      updates.map(({ id }) => id),
    );
  // Always in the same order, so that two transactions never wait for each other.
  for (const update of updates.toSorted((a, b) => a.id - b.id)) {
    let query = trx
      .updateTable('deliveries')
      .set({
        ...updatedColumns(update, time),
        due_at: dueAfter(update, time),
        // What was taken over meanwhile stays so.
        is_ours: sql<number>`greatest(is_ours, ${Number(update.isTakenOver)})`,
      })
      .where('id', '=', update.id);
    if (update.state !== 'delivered') {
      query = query.where('state', '=', 'pending').where('claimed_by', '=', owner);
    }
    const { numUpdatedRows } = await query.executeTakeFirst();
    if (update.state !== 'delivered' && numUpdatedRows > 0n) counted.push(update.id);
  }
  return { counted, hasReleased: await releaseNext(trx, time, finished, takeOverAfterMs) };
}

/** What another replica has taken over meanwhile is not the service's to retry: it is due at once. */
function dueAfter({ isTakenOver, dueInMs }: DeliveryUpdate, time: StoreTime) {
  const planned = time.in(dueInMs);
  const next = isTakenOver
    ? planned
    : sql<number>`case when is_ours = 1 then ${time.now} else ${planned} end`;
  return sql<number>`case when due_at = ${WAITS_FOR_EARLIER} then due_at else ${next} end`;
}

/** The deliveries, and those of their jobs that may be next, in the order in which all lock them. */
async function lockWithNext(trx: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  await sql`
    select id from deliveries
    where id = any(${ids}::bigint[]) or id in (
      select next.id from deliveries as own cross join lateral (
        select id from deliveries
        where state = 'pending' and job_key = own.job_key and destination = own.destination
          and callback_id > own.callback_id
        order by callback_id limit 1
      ) as next
      where own.id = any(${ids}::bigint[])
    )
    order by id for update`.execute(trx);
}
