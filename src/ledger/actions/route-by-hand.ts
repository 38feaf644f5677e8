/** Routing a callback anew as a person has asked for: who has not been told is told. */
import { writeRouting } from '../configs/kept-routing.ts';
import { addDeliveries, toldUnderAnotherName } from '../configs/rerouting.ts';
import { NO_LONGER_ROUTED } from '../hold.ts';
import type { DeliveryTarget } from '../ledger.ts';
import { type ActionContext, doneBefore, nonceFor, writeActions } from './action-rows.ts';
import type { ActionRequest, PlanByHand, RoutedByHand } from './actions.ts';
import { giveBack, isLateStart } from './standing.ts';
import { sql } from 'kysely';

/** Locks jobs, the callback and deliveries, in this order, as everybody does. */
export async function routeByHand(
  context: ActionContext,
  callbackId: number,
  plan: PlanByHand,
  request: ActionRequest,
): Promise<RoutedByHand | 'superseded' | undefined> {
  const callback = await lockCallback(context, callbackId);
  if (callback === undefined) return undefined;
  const nonce = nonceFor('routed anew', callbackId, request);
  const before = await doneBefore(context, nonce);
  if (before?.outcome != null) return JSON.parse(before.outcome) as RoutedByHand;
  if (callback.isLateStart) return 'superseded';
  const round = { by: 'hand', routing: plan.routing, revived: [] } as const;
  await writeRouting(context.trx, context.time, new Map([[callbackId, round]]));
  const { added, revived, untouched } = await sorted(context, callbackId, plan);
  const addedIds = await addDeliveries(context, callbackId, callback.jobId, added);
  const ids = [...revived.map(({ id }) => id), ...addedIds];
  const told = [
    ...revived.map(({ destination }) => destination),
    ...added.map(({ destination }) => destination),
  ];
  const routed: RoutedByHand = { told, untouched };
  const { actor, note } = request;
  const action = { callbackId, deliveryIds: ids, actor, note, nonce, outcome: JSON.stringify(routed) };
  await writeActions(context, [{ ...action, what: 'routed anew' }]);
  await giveBack(context, ids);
  return routed;
}

async function lockCallback({ trx, traits }: ActionContext, callbackId: number) {
  const look = () =>
    trx
      .selectFrom('callbacks')
      .select(['kind', 'job_id', sql<number>`case when ${isLateStart} then 1 else 0 end`.as('is_late_start')])
      .where('id', '=', callbackId)
      .executeTakeFirst();
  const found = await look();
  if (found === undefined) return undefined;
  const jobId = found.kind === 'callback' ? found.job_id : undefined;
  await traits.lockJobs(trx, jobId === undefined ? [] : [jobId]);
  await traits.lockCallbacks(trx, [callbackId]);
  const locked = await look();
  return locked && { jobId, isLateStart: locked.is_late_start === 1 };
}

interface Sorted {
  /** Which it lacks. */
  readonly added: readonly DeliveryTarget[];
  /** What of its deliveries is dead, or was no longer routed. */
  readonly revived: readonly { readonly id: number; readonly destination: string }[];
  /** Told, also under the name of a channel that is gone; still to be told; or done with by a person. */
  readonly untouched: readonly string[];
}

async function sorted(
  { trx, traits }: ActionContext,
  callbackId: number,
  { targets, channels }: PlanByHand,
): Promise<Sorted> {
  const own = trx.selectFrom('deliveries').where('callback_id', '=', callbackId);
  const ids = await own.select('id').execute();
  await traits.lockDeliveries(
    trx,
    ids.map(({ id }) => id),
  );
  const rows = await own.select(['id', 'destination', 'state', 'held_because']).execute();
  const known = new Map(rows.map((row) => [row.destination, row]));
  const isTold = await toldUnderAnotherName({ trx, channels }, [callbackId]);
  const untold = targets.filter((target) => !isTold(callbackId, target));
  const added = untold.filter(({ destination }) => !known.has(destination));
  const revived = untold.flatMap(({ destination }) => {
    const row = known.get(destination);
    const isEnded = row?.state === 'dead' || (row?.state === 'held' && row.held_because === NO_LONGER_ROUTED);
    return row !== undefined && isEnded ? [{ id: row.id, destination }] : [];
  });
  const touched = new Set([...added, ...revived].map(({ destination }) => destination));
  const others = targets.map(({ destination }) => destination);
  return { added, revived, untouched: others.filter((destination) => !touched.has(destination)) };
}
