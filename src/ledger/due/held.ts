/** Holding deliveries back, and making them pending again. */
import { type Kysely, sql, type Updateable } from 'kysely';
import { SUPERSEDED } from '../hold.ts';
import { EXECUTING } from '../callback-columns.ts';
import {
  type DeliveryWrites,
  earlierInJob,
  isIdle,
  isPending,
  lockIdle,
  releaseNext,
} from '../pending-rows.ts';
import { type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import type { DeliveryRow, Tables } from '../tables.ts';

/** Holds back deliveries that this process has claimed. */
export async function holdBack(
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  reason: string,
): Promise<void> {
  if (ids.length > 0) await holdingBack(trx, time, reason).where('id', 'in', ids).execute();
}

/** Holds back what nobody is sending at this moment. */
export async function holdBackIdle(
  writes: DeliveryWrites,
  ids: readonly number[],
  reason: string,
): Promise<void> {
  if (ids.length === 0) return;
  const idle = await lockIdle(writes, (query) => query.where('id', 'in', ids));
  await holdBack(writes.trx, writes.time, idle, reason);
}

/** Holds back every `executing` of these jobs that nobody is sending at this moment: their results are known. */
export async function supersedeIdle(
  writes: DeliveryWrites & { readonly takeOverAfterMs: number },
  jobIds: readonly string[],
): Promise<void> {
  if (jobIds.length === 0) return;
  const idle = await lockIdle(writes, (query) =>
    query.where('job_key', 'in', [...new Set(jobIds)]).where(isExecuting),
  );
  await holdBack(writes.trx, writes.time, idle, SUPERSEDED);
  await releaseNext(writes.trx, writes.time, idle, writes.takeOverAfterMs);
}

/** What failed while its job's result came is not told any more, and keeps that result waiting no longer. */
export async function supersedeFailed(
  trx: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
  takeOverAfterMs: number,
): Promise<boolean> {
  const held = await holdingBack(trx, time, SUPERSEDED)
    .where('id', 'in', ids)
    .where(isIdle(time))
    .where(isExecuting)
    .where(hasResult)
    .returning('id')
    .execute();
  const heldIds = held.map(({ id }) => id);
  return releaseNext(trx, time, heldIds, takeOverAfterMs);
}

const hasResult = sql<boolean>`exists (
  select 1 from callbacks
  where callbacks.job_id = deliveries.job_key and callbacks.status in (0, 1) and callbacks.kind = 'callback'
)`;

const isExecuting = sql<boolean>`exists (
  select 1 from callbacks where callbacks.id = deliveries.callback_id and callbacks.status = ${sql.lit(EXECUTING)}
)`;

function holdingBack(trx: Kysely<Tables>, time: StoreTime, reason: string) {
  return trx
    .updateTable('deliveries')
    .set({ state: 'held', held_because: reason, claimed_by: null, claimed_until: null, updated_at: time.now })
    .where(isPending);
}

/** What goes with it: how its age counts, and who had it made so. */
type GivenBack = Partial<
  Pick<Updateable<DeliveryRow>, 'counts_from' | 'waited_ms' | 'is_bulk' | 'bulk_id' | 'given_back_at'>
>;

/** What was held back, or was a dead letter, is Botbell's own to attempt: at once, or after what is before it in its job. */
export async function makePending(
  trx: Kysely<Tables>,
  { now }: StoreTime,
  ids: readonly number[],
  others: GivenBack,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('deliveries')
    .set({
      ...others,
      state: 'pending',
      held_because: null,
      held_details: null,
      held_until: null,
      error_class: null,
      error_code: null,
      error_message: null,
      alerted_cause: null,
      is_ours: 1,
      due_at: sql<number>`case when exists (${earlierInJob}) then ${WAITS_FOR_EARLIER} else ${now} end`,
      updated_at: now,
    })
    .where('id', 'in', ids)
    .execute();
}
