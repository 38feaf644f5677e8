/** The hot statements for a server: as many rows as possible in one, since each waits for a round trip. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
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
import { ADDED_TO_BOT_DAY, type NewCallback } from '../callback-columns.ts';
import { releaseNext } from '../pending-rows.ts';
import {
  historyRow,
  type Moment,
  type NewDelivery,
  plannedRow,
  type StoreTime,
  updatedColumns,
  WAITS_FOR_EARLIER,
} from '../rows.ts';
import { inOneTrip } from '../timed-store.ts';
import { bytesToStore } from '../stored-body.ts';
import type { BotDayRow, Tables } from '../tables.ts';

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

/** Relative to the store's time, which the statement adds. */
const RELATIVE: StoreTime = { now: 0, in: (ms) => ms };

/** Those in a row of JSON that are not written as they stand there. */
const insertedColumns = (now: Moment) => ({
  claimed_until: sql`${now} + claimed_until`,
  due_at: sql`case when due_at = ${WAITS_FOR_EARLIER} then due_at else ${now} + due_at end`,
  updated_at: sql`${now}`,
  counts_from: sql`${now}`,
});

async function insertDeliveries(
  { trx, time }: StatementContext,
  planned: readonly NewDelivery[],
): Promise<readonly number[]> {
  const rows = planned.map((delivery) => plannedRow(delivery, RELATIVE));
  const columns = columnsOf(rows);
  const others: Readonly<Record<string, RawBuilder<unknown>>> = insertedColumns(time.now);
  const values = columns.map((column) => others[column] ?? sql.raw(column));
  const { rows: inserted } = await sql<{ id: number; callback_id: number; destination: string }>`
    insert into deliveries (${sql.raw(columns.join())})
    select ${sql.join(values)} from json_populate_recordset(null::deliveries, ${JSON.stringify(rows)}::json)
    returning id, callback_id, destination`.execute(trx);
  const ids = new Map(inserted.map((row) => [`${row.callback_id} ${row.destination}`, row.id]));
  return rows.map((row) => ids.get(`${row.callback_id} ${row.destination}`) as number);
}

/** Of rows of one type, which all have the same. */
function columnsOf([row]: readonly object[]): string[] {
  return Object.keys(row ?? {});
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
  if (days.length === 0) return;
  const columns = sql.raw(columnsOf(days).join());
  await sql`
    insert into bot_days (${columns}) select ${columns} from json_populate_recordset(null::bot_days, ${JSON.stringify(days)}::json)
    ${sql.raw(ADDED_TO_BOT_DAY)}`.execute(trx);
}

async function insertHistory({ trx }: StatementContext, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  const inOrder = records.toSorted((a, b) => a.callbackId - b.callbackId);
  await trx.insertInto('history').values(inOrder.map(historyRow)).execute();
}

/** All at once: the server does them one after the other, and each but the first fails where one before it has. */
async function updateDeliveries(
  { trx, time }: StatementContext,
  updates: readonly DeliveryUpdate[],
  { owner, takeOverAfterMs }: Settler,
): Promise<Updated> {
  if (updates.length === 0) return { counted: [], hasReleased: false };
  const finished = updates.filter(({ state }) => state !== 'pending').map(({ id }) => id);
  const ids = updates.map(({ id }) => id);
  const [, counted, hasReleased] = await inOneTrip([
    lockWithNext(trx, ids),
    inOneTrip(roundsOf(updates).map((round) => updateOnce(trx, time, round, owner))),
    releaseNext(trx, time, finished, takeOverAfterMs),
  ] as const);
  return { counted: counted.flat(), hasReleased };
}

/** One statement writes a row once. */
function roundsOf(updates: readonly DeliveryUpdate[]): readonly (readonly DeliveryUpdate[])[] {
  const rounds: DeliveryUpdate[][] = [];
  const timesSeen = new Map<number, number>();
  for (const update of updates) {
    const times = timesSeen.get(update.id) ?? 0;
    timesSeen.set(update.id, times + 1);
    (rounds[times] ??= []).push(update);
  }
  return rounds;
}

/** @returns ids of the deliveries that failed, or were held back, while the claim still stood */
async function updateOnce(
  trx: Kysely<Tables>,
  time: StoreTime,
  updates: readonly DeliveryUpdate[],
  owner: string,
): Promise<number[]> {
  const rows = updates.map((update) => updatedColumns(update, RELATIVE));
  const given = rows.map((row, index) => ({
    ...row,
    id: updates[index]?.id,
    due_at: updates[index]?.dueInMs,
  }));
  const values = columnsOf(rows).map((column) => sql`${sql.raw(column)} = ${updatedValue(column, time)}`);
  const { rows: written } = await sql<{ id: number; state: string }>`
    update deliveries set ${sql.join(values)}, due_at = ${dueAfter(time)}
    from json_populate_recordset(null::deliveries, ${JSON.stringify(given)}::json) as given
    where deliveries.id = given.id
      and (given.state = 'delivered' or deliveries.state = 'pending' and deliveries.claimed_by = ${owner})
    returning deliveries.id, deliveries.state`.execute(trx);
  return written.filter(({ state }) => state !== 'delivered').map(({ id }) => id);
}

function updatedValue(column: string, { now }: StoreTime): RawBuilder<unknown> {
  if (column === 'updated_at') return sql`${now}`;
  if (column === 'held_until') return sql`${now} + given.held_until`;
  // What was taken over meanwhile stays so.
  if (column === 'is_ours') return sql`greatest(deliveries.is_ours, given.is_ours)`;
  return sql.raw(`given.${column}`);
}

/** What another replica has taken over meanwhile is not the service's to retry: it is due at once. */
function dueAfter({ now }: StoreTime): RawBuilder<number> {
  return sql<number>`case
    when deliveries.due_at = ${WAITS_FOR_EARLIER} then deliveries.due_at
    when given.is_ours = 0 and deliveries.is_ours = 1 then ${now}
    else ${now} + given.due_at end`;
}

/**
 * The deliveries, and those of their jobs that may be next, in the order in which all lock them. One list of ids: with
 * `or id in (select …)` the planner walks the whole table.
 */
async function lockWithNext(trx: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  await sql`
    select id from deliveries
    where id = any(${ids}::bigint[] || array(
      select next.id from deliveries as own cross join lateral (
        select id from deliveries
        where state = 'pending' and job_key = own.job_key and destination = own.destination
          and callback_id > own.callback_id
        order by callback_id limit 1
      ) as next
      where own.id = any(${ids}::bigint[])
    ))
    order by id for update`.execute(trx);
}
