/** Whose turn it is in a job, read from the deliveries. */
import { sql, type Kysely } from 'kysely';
import type { Receipt } from '../../channels/channel.ts';
import type { PlaceInJob } from '../hot-statements.ts';
import { isIdle, isPending, placeOf } from '../pending-rows.ts';
import { type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';
import type { Turns } from './turns.ts';

export function createTurns(store: TimedStore): Turns {
  return {
    predecessorOf: (deliveryId, withinMs) =>
      store.read(store.deadline(withinMs), async (db) => {
        const place = await placeOf(db, deliveryId);
        const places = place === undefined ? [] : [place];
        return (await store.statements.predecessors({ trx: db, time: store.time() }, places))[0];
      }),
    earlierReceipts: (deliveryId, withinMs) =>
      store.read(store.deadline(withinMs), async (db) => {
        const place = await placeOf(db, deliveryId);
        if (place === undefined) return [];
        const [first] = await followedBefore(db, place, 'asc').execute();
        const [last] = await followedBefore(db, place, 'desc').execute();
        const rows = first?.id === last?.id ? [first] : [first, last];
        const receipts = rows.flatMap((row) => row?.receipt ?? []);
        return receipts.map((json) => JSON.parse(json) as Receipt);
      }),
    claimedAmong: (deliveryIds, withinMs) =>
      store.read(store.deadline(withinMs), (db) => claimedAmong(db, store.time(), deliveryIds)),
    takeOver: (deliveryIds, withinMs) =>
      store.transact({ isDurable: true, deadline: store.deadline(withinMs) }, async (trx) => {
        await store.traits.lockDeliveries(trx, deliveryIds);
        await trx
          .updateTable('deliveries')
          .set({ is_ours: 1, due_at: dueAtEndOfClaim })
          .where('id', 'in', deliveryIds)
          .where(isPending)
          .execute();
      }),
  };
}

/** By the index of what is followed: one row, however many the job has. */
export function followedBefore(db: Kysely<Tables>, place: PlaceInJob, order: 'asc' | 'desc') {
  return db
    .selectFrom('deliveries')
    .select(['id', 'receipt'])
    .where(sql<boolean>`is_followed = 1`)
    .where('job_key', '=', place.jobId)
    .where('destination', '=', place.destination)
    .where('callback_id', '<', place.callbackId)
    .orderBy('callback_id', order)
    .limit(1);
}

/** Should whoever attempts it be gone, it is due as soon as that shows, and not when the service could have retried it. */
const dueAtEndOfClaim = sql<number>`case
  when due_at <> ${WAITS_FOR_EARLIER} and claimed_until < due_at then claimed_until else due_at end`;

async function claimedAmong(db: Kysely<Tables>, time: StoreTime, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where(isPending)
    .where((eb) => eb.not(isIdle(time)))
    .execute();
  return rows.map(({ id }) => id);
}
