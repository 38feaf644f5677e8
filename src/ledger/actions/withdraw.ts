/** Withdrawing what a stopped redelivery in bulk has given back: a short transaction a step, by whichever process gets to it. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { isIdle, isPending, lockIdle, releaseNext } from '../pending-rows.ts';
import type { StoreTime } from '../rows.ts';
import type { BulkRow, Tables } from '../tables.ts';
import { type ActionContext, actionsByCallback, actorIn, writeActions } from './action-rows.ts';
import type { EndedBefore } from './action.ts';
import { isStopping } from './bulk-rows.ts';

/** Takes SQLite some milliseconds. */
const WITHDRAWN_AT_ONCE = 100;

/** That only wait for attempts which are under way: such a one keeps no other waiting. */
const MOST_LOOKED_AT = 20;

/** @param bulkId undefined: any one @returns how many were withdrawn */
export async function withdrawStep(context: ActionContext, bulkId?: number): Promise<number> {
  const { trx, traits } = context;
  let stopping = trx.selectFrom('bulks').selectAll().where(isStopping).orderBy('id').limit(MOST_LOOKED_AT);
  if (bulkId !== undefined) stopping = stopping.where('id', '=', bulkId);
  for (const bulk of await traits.lockRows(stopping).execute()) {
    const count = await withdraw(context, bulk);
    if (count > 0) return count;
  }
  return 0;
}

/** What is being attempted at this moment is looked at again, until nothing is pending any more. */
async function withdraw(context: ActionContext, bulk: Selectable<BulkRow>): Promise<number> {
  const { trx, time } = context;
  const found = await pendingOf(trx, bulk.id).where(isIdle(time)).limit(WITHDRAWN_AT_ONCE).execute();
  const count = found.length === 0 ? 0 : await takeBack(context, bulk, found);
  const [left] = await pendingOf(trx, bulk.id).limit(1).execute();
  if (count > 0 || left === undefined) {
    const state = left === undefined ? 'stopped' : bulk.state;
    const progress = { withdrawn: bulk.withdrawn + count, state };
    await trx.updateTable('bulks').set(progress).where('id', '=', bulk.id).execute();
  }
  return count;
}

/** By an index that has nothing else. */
function pendingOf(db: Kysely<Tables>, bulkId: number) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'callback_id', 'job_key'])
    .where(isPending)
    .where('bulk_id', '=', bulkId)
    .orderBy('id');
}

interface Found {
  readonly id: number;
  readonly callback_id: number;
  readonly job_key: string | null;
}

/** Locks jobs, callbacks and deliveries, in this order, as everybody does. */
async function takeBack(
  context: ActionContext,
  bulk: Selectable<BulkRow>,
  found: readonly Found[],
): Promise<number> {
  const { trx, time, traits, takeOverAfterMs } = context;
  await traits.lockJobs(trx, [...new Set(found.flatMap(({ job_key }) => job_key ?? []))]);
  await traits.lockCallbacks(trx, [...new Set(found.map(({ callback_id }) => callback_id))]);
  const among = found.map(({ id }) => id);
  const ids = await lockIdle(context, (query) =>
    query.where('id', 'in', among).where(isGivenBackBy(bulk.id)),
  );
  if (ids.length === 0) return 0;
  const rows = found.filter(({ id }) => ids.includes(id));
  const ends = await endsBefore(trx, bulk.id, rows);
  await writeActions(context, withdrawals(bulk, rows));
  await standAgain(trx, time, ids, ends);
  await releaseNext(trx, time, ids, takeOverAfterMs);
  return ids.length;
}

/** Still. Of a few ids, so no index is to be looked up for it. */
function isGivenBackBy(bulkId: number) {
  return sql<boolean>`coalesce(bulk_id, 0) = ${bulkId}`;
}

function withdrawals(bulk: Selectable<BulkRow>, rows: readonly Found[]) {
  return actionsByCallback(rows, {
    what: 'withdrawn',
    actor: actorIn(bulk.stopped_by ?? bulk.actor),
    note: bulk.stop_note ?? undefined,
    nonce: undefined,
    bulkId: bulk.id,
  });
}

/** How these had ended when it gave them back. */
async function endsBefore(
  db: Kysely<Tables>,
  bulkId: number,
  rows: readonly Found[],
): Promise<ReadonlyMap<number, EndedBefore>> {
  const given = await db
    .selectFrom('actions')
    .select('ended_before')
    .where('callback_id', 'in', [...new Set(rows.map(({ callback_id }) => callback_id))])
    .where('bulk_id', '=', bulkId)
    .where('what', '=', 'redelivered')
    .execute();
  const ends = given.flatMap(({ ended_before }) => JSON.parse(ended_before ?? '[]') as EndedBefore[]);
  return new Map(ends.map((end) => [end.deliveryId, end]));
}

/** Given back by nobody any more. What a version before had given back, without a word of how it had ended, is dead. */
async function standAgain(
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  ends: ReadonlyMap<number, EndedBefore>,
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({
      state: 'dead',
      claimed_by: null,
      claimed_until: null,
      is_bulk: 0,
      bulk_id: null,
      given_back_at: null,
      updated_at: time.now,
    })
    .where('id', 'in', ids)
    .execute();
  const known = ids.flatMap((id) => ends.get(id) ?? []);
  if (known.length > 0) await endAsBefore(trx, known);
}

/** Its age counts from there, so that what is long past is not told once a route names it again. */
async function endAsBefore(trx: Kysely<Tables>, ends: readonly EndedBefore[]): Promise<void> {
  const rows = ends.map(({ deliveryId, state, updatedAt, hold, lastError: error }) => {
    // By SQLite's clock an end has a fraction of a millisecond, without which it would look like another one.
    const times = sql`cast(${deliveryId} as bigint), cast(${updatedAt} as numeric)`;
    const texts = [
      state,
      hold?.code ?? null,
      error?.class ?? null,
      error?.code ?? null,
      error?.message ?? null,
    ];
    return sql`(${times}, ${sql.join(texts.map((text) => sql`cast(${text} as text)`))})`;
  });
  await sql`
    with ended (id, at, state, held_because, error_class, error_code, error_message) as (values ${sql.join(rows)})
    update deliveries set state = ended.state, held_because = ended.held_because, error_class = ended.error_class,
      error_code = ended.error_code, error_message = ended.error_message,
      updated_at = ended.at, counts_from = ended.at, waited_ms = 0
    from ended where deliveries.id = ended.id`.execute(trx);
}
