/** What is Botbell's own to attempt: claimed by one process at a time, in the order of its callbacks and of each job. */
import { type Kysely, type Selection, sql } from 'kysely';
import { countValues } from '../../callback/decode.ts';
import { noticeIn } from '../alert-rows.ts';
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements } from '../hot-statements.ts';
import { EXECUTING } from '../callback-columns.ts';
import type { ClaimedDelivery, UnreadNotice } from '../ledger.ts';
import type { DueDestination, DueRequest } from './due-request.ts';
import { SUPERSEDED } from '../hold.ts';
import { holdBack, makePending } from './held.ts';
import { earlierInJob, isIdle, isPending, releaseNext, waitedSinceWritten } from '../pending-rows.ts';
import { type Claim, deliveryRecord, standingColumns, type StandingRow, type StoreTime } from '../rows.ts';
import { isReadAtOnce, readBody, type StoredBody } from '../stored-body.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';

export interface DueContext {
  readonly trx: Kysely<Tables>;
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
  readonly time: StoreTime;
  readonly claim: Claim;
  readonly takeOverAfterMs: number;
}

/** From destination to destination by the index: what one of them has pending is not gone through. */
export async function dueDestinations(
  db: Kysely<Tables>,
  { now }: StoreTime,
): Promise<readonly DueDestination[]> {
  const { rows } = await sql<{ destination: string; has_bulk: number }>`
    with recursive each(destination) as (
      select min(destination) from deliveries where ${isPending}
      union all
      select (select min(destination) from deliveries where ${isPending} and destination > each.destination)
      from each where each.destination is not null
    )
    select destination, case when exists (
      select 1 from deliveries where ${isPending} and deliveries.destination = each.destination and is_bulk = 1
    ) then 1 else 0 end as has_bulk
    from each where destination is not null and exists (
      select 1 from deliveries where ${isPending} and deliveries.destination = each.destination and due_at <= ${now}
    )`.execute(db);
  return rows.map(({ destination, has_bulk }) => ({ destination, hasBulk: has_bulk === 1 }));
}

export async function claimDue(
  context: DueContext,
  requests: readonly DueRequest[],
): Promise<readonly ClaimedDelivery[]> {
  const found: DueRow[] = [];
  for (const request of requests) found.push(...(await dueRows(context, request)));
  if (found.length === 0) return [];
  const claimed = await withCallbacks(context, await claimRows(context, found), found);
  const { due, hasReleased } = await withoutSuperseded(context, claimed);
  return hasReleased
    ? [
        ...due,
        ...(await claimDue(
          context,
          requests.map((each) => without(each, due)),
        )),
      ]
    : due;
}

function without({ destination, limit }: DueRequest, due: readonly ClaimedDelivery[]): DueRequest {
  const count = due.filter(({ record }) => record.destination === destination).length;
  return { destination, limit: limit - count };
}

type DueRow = Pick<Tables['deliveries'], 'is_ours'> & { readonly id: number };

/** What was given back in bulk first where it has turns, and then whatever is first. */
async function dueRows(
  { trx, traits, time }: DueContext,
  { destination, limit, bulkTurns = 0 }: DueRequest,
): Promise<DueRow[]> {
  const due = dueQuery(trx, time, destination);
  if (bulkTurns === 0) return traits.lockRows(due.limit(limit)).execute();
  const bulk = await traits.lockRows(due.where('is_bulk', '=', 1).limit(bulkTurns)).execute();
  const others = due.limit(limit - bulk.length);
  const taken = bulk.map(({ id }) => id);
  const rest = taken.length === 0 ? others : others.where('id', 'not in', taken);
  return [...bulk, ...(taken.length === limit ? [] : await traits.lockRows(rest).execute())];
}

/** In the order of the index of what is pending, in which all else stands before what was given back in bulk. */
export function dueQuery(db: Kysely<Tables>, time: StoreTime, destination: string) {
  return (
    db
      .selectFrom('deliveries')
      .select(['id', 'is_ours'])
      .where(isPending)
      .where('destination', '=', destination)
      .where('due_at', '<=', time.now)
      .where(isIdle(time))
      // What an earlier version wrote may be due before its turn.
      .where(sql<boolean>`not exists (${earlierInJob})`)
      .orderBy('is_bulk')
      .orderBy('callback_id')
  );
}

/** While the claim lasts it is due to nobody; that it was due until now was waiting. */
async function claimRows(
  { trx, time, claim }: DueContext,
  found: readonly DueRow[],
): Promise<readonly StandingRow[]> {
  const ids = found.map(({ id }) => id);
  const until = time.in(claim.leaseMs);
  const rows = await trx
    .updateTable('deliveries')
    .set({
      claimed_by: claim.owner,
      claimed_until: until,
      is_ours: 1,
      waited_ms: sql<number>`waited_ms + ${time.now} - due_at`,
      due_at: until,
    })
    .where('id', 'in', ids)
    .returningAll()
    .returning(standingColumns(time))
    .execute();
  return rows.toSorted((a, b) => a.is_bulk - b.is_bulk || a.callback_id - b.callback_id);
}

interface Claimed {
  readonly delivery: ClaimedDelivery;
  /** The job of which it tells the start; undefined: it tells something else. */
  readonly startOf: string | undefined;
}

async function withCallbacks(
  { trx, traits }: DueContext,
  rows: readonly StandingRow[],
  found: readonly DueRow[],
): Promise<Claimed[]> {
  const taken = new Set(found.filter((row) => row.is_ours === 0).map(({ id }) => id));
  const body = sql<StoredBody | null>`case when ${isReadAtOnce(traits.isCompressing)} then body end`.as(
    'body',
  );
  const callbacks = await trx
    .selectFrom('callbacks')
    .select([
      'id',
      'kind',
      'identity',
      'started_at',
      'times_received',
      'received_at',
      'job_id',
      'status',
      body,
    ])
    .where('id', 'in', [...new Set(rows.map((row) => row.callback_id))])
    .execute();
  const byId = new Map(callbacks.map((callback) => [callback.id, callback]));
  return rows.flatMap((row) => {
    const callback = byId.get(row.callback_id);
    if (callback === undefined) return [];
    const { kind, status, job_id, received_at: firstReceivedAt } = callback;
    const delivery = {
      record: deliveryRecord(row),
      callbackId: callback.id,
      notice: callback.body === null ? undefined : noticeIn({ ...callback, body: callback.body }),
      firstReceivedAt,
      isTakenOver: taken.has(row.id),
    };
    return { delivery, startOf: kind === 'callback' && status === EXECUTING ? job_id : undefined };
  });
}

/** Whatever its size. */
export async function unreadNotice(db: Kysely<Tables>, callbackId: number): Promise<UnreadNotice> {
  const row = await db
    .selectFrom('callbacks')
    .select(noticeColumns)
    .where('id', '=', callbackId)
    .executeTakeFirstOrThrow();
  return unreadNoticeIn(row);
}

export const noticeColumns = ['kind', 'identity', 'body', 'started_at', 'times_received'] as const;

export async function unreadNoticeIn(
  row: Selection<Tables, 'callbacks', (typeof noticeColumns)[number]>,
): Promise<UnreadNotice> {
  const json = await readBody(row.body);
  const read = () => noticeIn({ ...row, body: json.toString('utf8') });
  const { started_at: startedAt, times_received: timesReceived } = row;
  const kept = row.kind === 'callback' ? { json, startedAt, timesReceived } : undefined;
  return { bytes: json.byteLength, values: countValues(json), kept, read };
}

/** A start that could not be told before its result came is not told any more. */
async function withoutSuperseded(
  context: DueContext,
  claimed: readonly Claimed[],
): Promise<{ readonly due: readonly ClaimedDelivery[]; readonly hasReleased: boolean }> {
  const due = claimed.map(({ delivery }) => delivery);
  const jobIds = claimed.flatMap(({ startOf }) => startOf ?? []);
  if (jobIds.length === 0) return { due, hasReleased: false };
  const { trx, time, takeOverAfterMs } = context;
  const finished = await jobsWithResult(context, jobIds);
  const superseded = claimed
    .filter(({ startOf }) => startOf !== undefined && finished.has(startOf))
    .map(({ delivery }) => delivery);
  const ids = superseded.map(({ record }) => record.id);
  await holdBack(trx, time, ids, SUPERSEDED);
  const hasReleased = await releaseNext(trx, time, ids, takeOverAfterMs);
  return { due: due.filter((each) => !superseded.includes(each)), hasReleased };
}

async function jobsWithResult(
  { trx, time, statements }: DueContext,
  jobIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const jobs = [...new Set(jobIds)].map((jobId) => ({ jobId, before: Number.MAX_SAFE_INTEGER }));
  const haveResults = await statements.haveResults({ trx, time }, jobs);
  return new Set(jobs.flatMap(({ jobId }, index) => (haveResults[index] === true ? jobId : [])));
}

const RELEASED_PER_STEP = 200;

/** @returns how many were released; as many as one step takes: there may be more */
export async function releaseHeld(store: TimedStore): Promise<number> {
  const time = store.time();
  const ended = await store.read(store.deadline(), (db) => endedHoldsQuery(db, time).execute());
  if (ended.length === 0) return 0;
  const settings = { isDurable: false, deadline: store.deadline() };
  return store.transact(settings, (trx) => makeDue(trx, store.traits, store.time(), ended));
}

type EndedHold = Pick<Tables['deliveries'], 'job_key'> & { readonly id: number };

/** By the index of holds that end. */
export function endedHoldsQuery(db: Kysely<Tables>, { now }: StoreTime) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'job_key'])
    .where('held_until', '<=', now)
    .orderBy('held_until')
    .limit(RELEASED_PER_STEP);
}

/** Of two processes that release at the same moment, the second one finds nothing left. To be held counts for nothing. */
async function makeDue(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockJobs' | 'lockDeliveries'>,
  time: StoreTime,
  ended: readonly EndedHold[],
): Promise<number> {
  const ids = ended.map(({ id }) => id);
  await traits.lockJobs(trx, [...new Set(ended.flatMap(({ job_key }) => job_key ?? []))]);
  await traits.lockDeliveries(trx, ids);
  const held = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where('held_until', '<=', time.now)
    .execute();
  const age = { waited_ms: waitedSinceWritten(time) };
  await makePending(
    trx,
    time,
    held.map(({ id }) => id),
    age,
  );
  return held.length;
}
