/** Writing and claiming deliveries that are still to be made. */
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import type { PlaceInJob } from './hot-statements.ts';
import { NO_LONGER_ROUTED } from './hold.ts';
import type { OpenCounts } from './ledger.ts';
import { type Claim, standingColumns, type StandingRow, type StoreTime, WAITS_FOR_EARLIER } from './rows.ts';
import type { Tables } from './tables.ts';

/**
 * The condition of the indexes of pending deliveries, word for word: SQLite uses such an index for no other, and for no
 * parameters (sqlite.org/partialindex.html, "Queries Using Partial Indexes").
 */
export const isPending = sql<boolean>`deliveries.state = 'pending'`;

/** The condition of the index of dead letters, likewise. */
export const isDead = sql<boolean>`deliveries.state = 'dead'`;

/** The condition of the index of what ended because no route named it, likewise. */
export const isUnrouted = sql<boolean>`deliveries.held_because = ${sql.lit(NO_LONGER_ROUTED)}`;

/** That nobody is attempting it at this moment, as far as is known. */
export function isIdle({ now }: StoreTime) {
  return sql<boolean>`(claimed_until is null or claimed_until <= ${now})`;
}

/** Of a row of `deliveries`: an earlier one of its job that is pending at its destination. For an `exists`. */
export const earlierInJob = sql`
  select 1 from deliveries as earlier
  where earlier.state = 'pending' and earlier.job_key = deliveries.job_key
    and earlier.destination = deliveries.destination and earlier.callback_id < deliveries.callback_id`;

/** A transaction that writes deliveries, at one moment of the store's time. */
export interface DeliveryWrites {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
  readonly traits: Pick<DialectTraits, 'lockRows' | 'lockDeliveries'>;
}

/** What nobody else is sending becomes the claimer's, and is due to nobody while the claim lasts. @returns the ids */
export async function claimPending(
  writes: DeliveryWrites,
  callbackId: number,
  { owner, leaseMs }: Claim,
): Promise<number[]> {
  const { trx, time } = writes;
  const ids = await lockIdle(writes, (query) => query.where('callback_id', '=', callbackId));
  if (ids.length === 0) return [];
  const until = time.in(leaseMs);
  await trx
    .updateTable('deliveries')
    .set({
      claimed_by: owner,
      claimed_until: until,
      due_at: sql<number>`case when due_at < ${until} then ${until} else due_at end`,
    })
    .where('id', 'in', ids)
    .execute();
  return ids;
}

type DeliveryIds = SelectQueryBuilder<Tables, 'deliveries', { id: number }>;

/**
 * Those of the pending deliveries that nobody is sending, locked. What another transaction is writing at this moment is
 * in its hands: who waited for it here, with the locks of a job, could wait in a circle.
 */
export async function lockIdle(
  { trx, time, traits }: DeliveryWrites,
  among: (query: DeliveryIds) => DeliveryIds,
): Promise<number[]> {
  const idle = trx.selectFrom('deliveries').select('id').where(isPending).where(isIdle(time)).orderBy('id');
  const rows = await traits.lockRows(among(idle)).execute();
  return rows.map(({ id }) => id);
}

/** Ends claims of a process that works on none of these. */
export async function releaseClaims(
  { trx, time, traits }: DeliveryWrites,
  owner: string,
  ids: readonly number[],
): Promise<void> {
  await traits.lockDeliveries(trx, ids);
  await trx
    .updateTable('deliveries')
    .set({
      claimed_by: null,
      claimed_until: null,
      // While it was claimed it was due to nobody else.
      due_at: sql<number>`case
        when is_ours = 1 and due_at < ${WAITS_FOR_EARLIER} then ${time.now} else due_at end`,
    })
    .where('id', 'in', ids)
    .where(isPending)
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

/**
 * Makes due what waited for these, and is now the first of its job: at once where it is Botbell's own, else when the
 * service has had the time to retry it.
 * @returns whether anything waited
 */
export async function releaseNext(
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  takeOverAfterMs: number,
): Promise<boolean> {
  if (ids.length === 0) return false;
  const released = await trx
    .updateTable('deliveries')
    .set({ due_at: dueOnceReleased(time, takeOverAfterMs), waited_ms: waitedSinceWritten(time) })
    .where(isPending)
    .where('due_at', '=', WAITS_FOR_EARLIER)
    .where(
      sql<boolean>`id in (select ${firstOfItsJob} from deliveries as own where own.id in (${sql.join(ids)}))`,
    )
    .executeTakeFirst();
  return released.numUpdatedRows > 0n;
}

/**
 * Makes due what waits for nothing any more: a replica of the version before finishes deliveries without a look at what
 * waits for them.
 */
export async function releaseStranded(trx: Kysely<Tables>, time: StoreTime): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ due_at: time.now, waited_ms: waitedSinceWritten(time) })
    .where(isPending)
    .where('due_at', '=', WAITS_FOR_EARLIER)
    .where(sql<boolean>`not exists (${earlierInJob})`)
    .execute();
}

/** The first that is pending of the job, at the destination, of the delivery `own`. */
const firstOfItsJob = sql`(
  select pending.id from deliveries as pending
  where pending.state = 'pending' and pending.job_key = own.job_key and pending.destination = own.destination
  order by pending.callback_id limit 1
)`;

function dueOnceReleased({ now }: StoreTime, takeOverAfterMs: number) {
  return sql<number>`case
    when is_ours = 1 or updated_at + ${takeOverAfterMs} < ${now} then ${now} else updated_at + ${takeOverAfterMs} end`;
}

/** To wait for its turn counts for nothing. */
export function waitedSinceWritten({ now }: StoreTime) {
  return sql<number>`waited_ms + case when ${now} > updated_at then ${now} - updated_at else 0 end`;
}

/** Each from an index of its own. */
export async function countOpen(db: Kysely<Tables>): Promise<OpenCounts> {
  const count = async (condition: typeof isPending) => {
    const query = db.selectFrom('deliveries').select((eb) => eb.fn.countAll().as('count'));
    return Number((await query.where(condition).executeTakeFirstOrThrow()).count);
  };
  return {
    pending: await count(isPending),
    dead: await count(isDead),
    held:
      (await count(sql<boolean>`${isUnrouted} and deliveries.state = 'held'`)) +
      (await count(sql<boolean>`deliveries.held_until is not null`)),
  };
}

/** Undefined: it belongs to no job, as an alert does. */
export async function placeOf(db: Kysely<Tables>, deliveryId: number): Promise<PlaceInJob | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select(['job_key', 'destination', 'callback_id'])
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  if (row === undefined || row.job_key === null) return undefined;
  return { jobId: row.job_key, destination: row.destination, callbackId: row.callback_id };
}

/** Every delivery of these callbacks, in the order in which they were planned. */
export function deliveryRows(
  db: Pick<Kysely<Tables>, 'selectFrom'>,
  time: StoreTime,
  ...callbackIds: readonly number[]
): Promise<StandingRow[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .select(standingColumns(time))
    .where('callback_id', 'in', callbackIds)
    .orderBy('id')
    .execute();
}
