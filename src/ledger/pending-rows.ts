/** Writing, claiming and holding back deliveries that are still to be made. */
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import { EXECUTING } from './job-order.ts';
import { type Claim, isClaimedColumn, type StandingRow, type StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

/**
 * The condition of the index of open deliveries, word for word: SQLite uses the index for no other, and for no parameters
 * (sqlite.org/partialindex.html, "Queries Using Partial Indexes").
 */
export const isOpen = sql<boolean>`deliveries.state in ('pending', 'dead')`;

/** By the index, too. */
export const isPending = sql<boolean>`(${isOpen} and deliveries.state = 'pending')`;

/** A transaction that writes deliveries, at one moment of the store's time. */
export interface DeliveryWrites {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
  readonly traits: Pick<DialectTraits, 'lockRows' | 'lockDeliveries'>;
}

/** What nobody else is sending becomes the claimer's. @returns the ids */
export async function claimPending(
  writes: DeliveryWrites,
  callbackId: number,
  { owner, leaseMs }: Claim,
): Promise<number[]> {
  const { trx, time } = writes;
  const ids = await lockIdle(writes, (query) => query.where('callback_id', '=', callbackId));
  if (ids.length === 0) return [];
  await trx
    .updateTable('deliveries')
    .set({ claimed_by: owner, claimed_until: time.in(leaseMs) })
    .where('id', 'in', ids)
    .execute();
  return ids;
}

type DeliveryIds = SelectQueryBuilder<Tables, 'deliveries', { id: number }>;

/**
 * Those of the pending deliveries that nobody is sending, locked. What another transaction is writing at this moment is
 * in its hands: who waited for it here, with the locks of a job, could wait in a circle.
 */
async function lockIdle(
  { trx, time, traits }: DeliveryWrites,
  among: (query: DeliveryIds) => DeliveryIds,
): Promise<number[]> {
  const idle = trx
    .selectFrom('deliveries')
    .select('id')
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', time.now)]))
    .orderBy('id');
  const rows = await traits.lockRows(among(idle)).execute();
  return rows.map(({ id }) => id);
}

/** Ends claims of a process that works on none of these. */
export async function releaseClaims(
  { trx, traits }: Omit<DeliveryWrites, 'time'>,
  owner: string,
  ids: readonly number[],
): Promise<void> {
  await traits.lockDeliveries(trx, ids);
  await trx
    .updateTable('deliveries')
    .set({ claimed_by: null, claimed_until: null })
    .where('id', 'in', ids)
    .where('state', '=', 'pending')
    .where('claimed_by', '=', owner)
    .execute();
}

/** Whether anybody of these is not yet written down as told, once whoever may be writing that is through. */
export async function isAnyUntold(
  { trx, traits }: Omit<DeliveryWrites, 'time'>,
  ids: readonly number[],
): Promise<boolean> {
  await traits.lockDeliveries(trx, ids);
  const untold = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '<>', 'delivered')
    .limit(1)
    .executeTakeFirst();
  return untold !== undefined;
}

/** Holds back deliveries that this process has claimed. */
export async function holdBack(
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  reason: string,
): Promise<void> {
  if (ids.length > 0) await holdingBack(trx, time, ids, reason).execute();
}

/** Holds back what nobody is sending at this moment. @returns the ids */
export async function holdBackIdle(
  writes: DeliveryWrites,
  ids: readonly number[],
  reason: string,
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const idle = await lockIdle(writes, (query) => query.where('id', 'in', ids));
  await holdBack(writes.trx, writes.time, idle, reason);
  return new Set(idle);
}

function holdingBack(trx: Kysely<Tables>, time: StoreTime, ids: readonly number[], reason: string) {
  return trx
    .updateTable('deliveries')
    .set({ state: 'held', held_because: reason, claimed_by: null, claimed_until: null, updated_at: time.now })
    .where('id', 'in', ids)
    .where('state', '=', 'pending');
}

/** Every delivery of a callback, in the order in which they were planned. */
export function deliveryRows(
  db: Pick<Kysely<Tables>, 'selectFrom'>,
  time: StoreTime,
  callbackId: number,
): Promise<StandingRow[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .select(isClaimedColumn(time))
    .where('callback_id', '=', callbackId)
    .orderBy('id')
    .execute();
}

export const SUPERSEDED = 'superseded';

/**
 * A delivery's earlier neighbours: same job, same destination, still pending. For an `exists`. An `executing` that nobody
 * is sending keeps no result waiting: once its result is known, nobody sends it any more.
 */
export function earlierOfTheJob({ now }: StoreTime) {
  return sql`
    select 1 from callbacks as own
    join callbacks as earlier on earlier.job_id = own.job_id and earlier.id < own.id and earlier.kind = own.kind
    join deliveries as waiting on waiting.callback_id = earlier.id
    where own.id = deliveries.callback_id and own.kind = 'callback'
      and waiting.destination = deliveries.destination and waiting.state = 'pending'
      and (earlier.status <> ${EXECUTING} or own.status = ${EXECUTING} or waiting.claimed_until > ${now})`;
}
