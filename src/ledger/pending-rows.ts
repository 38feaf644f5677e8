/** Writing, claiming and holding back deliveries that are still to be made. */
import { sql, type Kysely } from 'kysely';
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

/** What nobody else is sending becomes the claimer's. @returns the ids */
export async function claimPending(
  trx: Kysely<Tables>,
  time: StoreTime,
  callbackId: number,
  { owner, leaseMs }: Claim,
): Promise<number[]> {
  const claimed = await trx
    .updateTable('deliveries')
    .set({ claimed_by: owner, claimed_until: time.in(leaseMs) })
    .where('callback_id', '=', callbackId)
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', time.now)]))
    .returning('id')
    .execute();
  return claimed.map(({ id }) => id);
}

/** Ends claims of a process that works on none of these. */
export async function releaseClaims(
  trx: Kysely<Tables>,
  owner: string,
  ids: readonly number[],
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ claimed_by: null, claimed_until: null })
    .where('id', 'in', ids)
    .where('state', '=', 'pending')
    .where('claimed_by', '=', owner)
    .execute();
}

/** Those of the deliveries that nobody has written down as made, locked. @returns their ids */
export async function lockUntold(trx: Kysely<Tables>, ids: readonly number[]): Promise<number[]> {
  const untold = await trx
    .updateTable('deliveries')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', 'in', ids)
    .where('state', '<>', 'delivered')
    .returning('id')
    .execute();
  return untold.map(({ id }) => id);
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
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  reason: string,
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const held = await holdingBack(trx, time, ids, reason)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', time.now)]))
    .returning('id')
    .execute();
  return new Set(held.map(({ id }) => id));
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
