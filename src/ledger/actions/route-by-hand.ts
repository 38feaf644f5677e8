/** Routing a callback anew as a person has asked for: who has not been told is told. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { NO_LONGER_ROUTED } from '../hold.ts';
import { writeHistory } from '../history.ts';
import type { DeliveryTarget } from '../ledger.ts';
import { insertDeliveries, makePending } from '../operations/deliveries.ts';
import { lock } from '../operations/locks.ts';
import type { ActionRequest, PlanByHand, RoutedByHand } from './actions.ts';
import { doneBefore, entryOf, nonceFor } from './requests.ts';
import { IS_LATE_START } from './standing.ts';

export async function routeByHand(
  tx: Tx,
  {
    callbackId,
    plan,
    request,
  }: { readonly callbackId: number; readonly plan: PlanByHand; readonly request: ActionRequest },
): Promise<RoutedByHand | 'superseded' | undefined> {
  const callback = await lockedCallback(tx, callbackId);
  if (callback === undefined) return undefined;
  const nonce = nonceFor('routed anew', callbackId, request);
  const before = await doneBefore(tx, nonce);
  if (before !== undefined) return routedIn(before.entry);
  if (callback.isLateStart === 1) return 'superseded';
  const { added, revived, untouched } = sorted(plan, await deliveriesOf(tx, callbackId));
  const told = [...revived, ...added].map(({ destination }) => destination);
  await writeHistory(tx, [
    { callbackId, what: 'routed_anew', entry: { ...entryOf(request), told, untouched }, nonce },
    { callbackId, what: 'routed', entry: { by: 'hand', explanations: plan.routing } },
  ]);
  const addedIds = await insertDeliveries(tx, { callbackId, jobKey: callback.jobKey }, added);
  const ids = [...revived.map(({ id }) => id), ...addedIds];
  await makePending(tx, ids, { countsAnew: true, givenBackAt: tx.now });
  return { told, untouched };
}

function routedIn(entry: string | null): RoutedByHand {
  const { told, untouched } = JSON.parse(entry ?? '{"told":[],"untouched":[]}') as RoutedByHand;
  return { told, untouched };
}

interface LockedCallback {
  readonly jobKey: string | null;
  readonly isLateStart: number;
}

/** Every delivery of it is locked, too. */
async function lockedCallback(tx: Tx, id: number): Promise<LockedCallback | undefined> {
  const look = () =>
    tx.first<LockedCallback>(sql`
      SELECT job_key AS "jobKey", CASE WHEN ${IS_LATE_START} THEN 1 ELSE 0 END AS "isLateStart" FROM callbacks WHERE id = ${id}`);
  const found = await look();
  if (found === undefined) return undefined;
  const deliveries = await tx.all<{ id: number }>(sql`SELECT id FROM deliveries WHERE callback_id = ${id}`);
  await lock(tx, {
    jobKeys: [found.jobKey],
    callbackIds: [id],
    deliveryIds: deliveries.map((each) => each.id),
  });
  return look();
}

interface Own {
  readonly id: number;
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
  readonly state: string;
  readonly hold_code: string | null;
  readonly type: string | null;
}

function deliveriesOf(tx: Tx, callbackId: number): Promise<readonly Own[]> {
  return tx.all<Own>(sql`
    SELECT id, destination, channel, address, state, hold_code,
      (SELECT type FROM channel_types WHERE name = deliveries.channel) AS type
    FROM deliveries WHERE callback_id = ${callbackId}`);
}

interface Sorted {
  /** Which it lacks. */
  readonly added: readonly DeliveryTarget[];
  /** What of its deliveries is dead, or was no longer routed. */
  readonly revived: readonly Own[];
  /** Told, also under the name of a channel that is gone; still to be told; or done with by a person. */
  readonly untouched: readonly string[];
}

function sorted({ targets, channels }: PlanByHand, own: readonly Own[]): Sorted {
  const known = new Map(own.map((row) => [row.destination, row]));
  const toldElsewhere = own.filter(({ state, channel }) => state === 'delivered' && !channels.has(channel));
  const isTold = ({ address, channel }: DeliveryTarget) =>
    toldElsewhere.some((row) => row.address === address && row.type === channels.get(channel));
  const untold = targets.filter((target) => !isTold(target));
  const added = untold.filter(({ destination }) => !known.has(destination));
  const revived = untold.flatMap(({ destination }) => {
    const row = known.get(destination);
    return row !== undefined && isEnded(row) ? [row] : [];
  });
  const touched = new Set([...added, ...revived].map(({ destination }) => destination));
  const untouched = targets.map(({ destination }) => destination).filter((name) => !touched.has(name));
  return { added, revived, untouched };
}

function isEnded({ state, hold_code }: Own): boolean {
  return state === 'dead' || (state === 'held' && hold_code === NO_LONGER_ROUTED);
}
