/** The slots of destinations that have limited their rate. */
import { sql, type Kysely } from 'kysely';
import { obeyedMs } from '../../channels/failure.ts';
import type { Pace, PaceStore } from './pace-store.ts';
import type { StoreTime } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';

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
