/** How a delivery stands for a person who would have it attempted again, or be done with it. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { EXECUTING } from '../callback-columns.ts';
import { makePending } from '../due/held.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../hold.ts';
import type { Moment, StoreTime } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { ActionContext } from './action-rows.ts';
import type { DismissResult, RedeliverResult } from './actions.ts';

/** Of a row of `callbacks`: it tells of a start, and its job's result is known. Looks at one result at most. */
export const isLateStart: RawBuilder<boolean> = sql<boolean>`(
  callbacks.kind = 'callback' and callbacks.status = ${sql.lit(EXECUTING)} and exists (
    select 1 from callbacks as results
    where results.job_id = callbacks.job_id and results.status in (0, 1) and results.kind = 'callback'
  ))`;

const standingColumns = [
  'deliveries.id',
  'deliveries.callback_id',
  'deliveries.job_key',
  'deliveries.destination',
  'deliveries.state',
  'deliveries.held_because',
  'callbacks.received_at',
  sql<number>`case when ${isLateStart} then 1 else 0 end`.as('is_late_start'),
] as const;

export function standingQuery(db: Kysely<Tables>, ids: readonly number[]) {
  return db
    .selectFrom('deliveries')
    .innerJoin('callbacks', 'callbacks.id', 'deliveries.callback_id')
    .select(standingColumns)
    .where('deliveries.id', 'in', ids)
    .orderBy('deliveries.id');
}

export type Standing = Awaited<ReturnType<ReturnType<typeof standingQuery>['execute']>>[number];

/** As it stands while nobody else can change it; locks jobs, callbacks and deliveries, in this order, as everybody does. */
export async function lockStanding(
  { trx, traits }: Pick<ActionContext, 'trx' | 'traits'>,
  rows: readonly Pick<Standing, 'id' | 'callback_id' | 'job_key'>[],
): Promise<readonly Standing[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await traits.lockJobs(trx, [...new Set(rows.flatMap(({ job_key }) => job_key ?? []))]);
  await traits.lockCallbacks(trx, [...new Set(rows.map(({ callback_id }) => callback_id))]);
  await traits.lockDeliveries(trx, ids);
  return standingQuery(trx, ids).execute();
}

export function redeliverResult(
  { state, held_because, is_late_start }: Pick<Standing, 'state' | 'held_because' | 'is_late_start'>,
  again: boolean,
): RedeliverResult {
  if (state === 'pending') return 'open';
  // Claimed again, it would be held back again.
  if (held_because === SUPERSEDED || is_late_start === 1) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state === 'dead') return 'accepted';
  const isEnded = held_because === NO_LONGER_ROUTED || held_because === DISMISSED;
  return isEnded ? 'accepted' : 'open';
}

export function dismissResult({
  state,
  held_because,
}: Pick<Standing, 'state' | 'held_because'>): DismissResult {
  if (held_because === DISMISSED) return 'dismissed';
  return state === 'dead' || (state === 'held' && held_because === NO_LONGER_ROUTED)
    ? 'dismissed'
    : 'not dead';
}

/** Botbell's own to attempt, with all the time that is given for it. */
export function giveBack(
  { trx, time }: { readonly trx: Kysely<Tables>; readonly time: StoreTime },
  ids: readonly number[],
  bulkId?: number,
): Promise<void> {
  const now: Moment = time.now;
  const bulk = bulkId === undefined ? { is_bulk: 0, bulk_id: null } : { is_bulk: 1, bulk_id: bulkId };
  return makePending(trx, time, ids, { ...bulk, counts_from: now, waited_ms: 0, given_back_at: now });
}

/** Counts as done from now on; why it failed stays to be read. */
export async function markDismissed(
  { trx, time }: { readonly trx: Kysely<Tables>; readonly time: StoreTime },
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('deliveries')
    .set({
      state: 'held',
      held_because: DISMISSED,
      held_details: null,
      held_until: null,
      updated_at: time.now,
    })
    .where('id', 'in', ids)
    .execute();
}
