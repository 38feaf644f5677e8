/** Whose turn it is in a job, and the slots of destinations that have limited their rate. */
import { type Kysely, sql } from 'kysely';
import type { Receipt } from '../../channels/channel.ts';
import type { PlaceInJob } from '../hot-statements.ts';
import { isIdle, isPending, placeOf } from '../pending-rows.ts';
import { type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';
import type { Pace, PaceStore, Turns } from './turns.ts';
import { obeyedMs } from '../../channels/failure.ts';

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

export function createPaceStore(store: TimedStore): PaceStore {
  const transact = <T>(work: (trx: Kysely<Tables>) => Promise<T>) =>
    store.transact({ isDurable: false, deadline: store.deadline() }, work);
  return {
    isShared: store.traits.isShared,
    reserve: (destination, intervalMs, mostMs) =>
      transact((trx) => reserveSlot(trx, store.time(), { destination, intervalMs, mostMs })),
    pause: (destination, ms) => transact((trx) => pausePace(trx, store.time(), destination, obeyedMs(ms))),
    forget: (channel) => transact((trx) => forgetPaces(trx, channel)),
    current: (idleMs) => transact((trx) => currentPaces(trx, store.time(), idleMs)),
  };
}

/** A row is where its slots begin: `next_at` is the first one that nobody has taken. */
async function reserveSlot(
  trx: Kysely<Tables>,
  time: StoreTime,
  { destination, intervalMs, mostMs }: { destination: string; intervalMs: number; mostMs: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ wait: number }>`
    insert into paces (destination, next_at) values (${destination}, ${time.in(intervalMs)})
    on conflict (destination) do update
      set next_at = ${intervalMs} + case when paces.next_at > ${time.now} then paces.next_at else ${time.now} end
      where paces.next_at <= ${time.in(mostMs)}
    returning next_at - ${time.in(intervalMs)} as wait`.execute(trx);
  const [row] = rows;
  return row === undefined ? undefined : Math.max(0, row.wait);
}

async function pausePace(
  trx: Kysely<Tables>,
  time: StoreTime,
  destination: string,
  ms: number,
): Promise<void> {
  const next_at = time.in(ms);
  await trx
    .insertInto('paces')
    .values({ destination, next_at })
    .onConflict((conflict) => conflict.column('destination').doUpdateSet({ next_at }))
    .execute();
}

async function forgetPaces(trx: Kysely<Tables>, channel: string): Promise<void> {
  const ofChannel = `${channel}:`;
  await trx
    .deleteFrom('paces')
    .where((eb) =>
      eb.or([
        eb('destination', '=', channel),
        eb(sql<string>`substr(destination, 1, ${sql.lit(ofChannel.length)})`, '=', ofChannel),
      ]),
    )
    .execute();
}

async function currentPaces(trx: Kysely<Tables>, time: StoreTime, idleMs: number): Promise<Pace[]> {
  await trx.deleteFrom('paces').where('next_at', '<', time.in(-idleMs)).execute();
  const rows = await trx
    .selectFrom('paces')
    .select(['destination', sql<number>`next_at - ${time.now}`.as('nextInMs')])
    .execute();
  return rows;
}
