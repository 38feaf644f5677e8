/** What happens to a callback that came before: only who has not been told is still to be told. */
import type { AdmissionContext } from './admission-context.ts';
import { type Order, orderAfter, stepsOf, withoutHeld } from './job-order.ts';
import { type Admission, type Arrival, NO_LONGER_ROUTED } from './ledger.ts';
import type { Newcomer } from './newcomer.ts';
import { claimPending, deliveryRows, holdBack, holdBackIdle, SUPERSEDED } from './pending-rows.ts';
import { deliveryRecord, type Plan, type StandingRow } from './rows.ts';

export async function admitAgain(
  context: AdmissionContext,
  newcomer: Newcomer,
  plan: Plan,
): Promise<Admission> {
  const { trx, time, claim } = context;
  const { arrival } = newcomer;
  const known = await countIn(context, newcomer);
  const order = await orderOf(context, newcomer, known.id);
  const claimed = arrival.isAccepted ? [] : await claimPending(context, known.id, claim);
  const before = await deliveryRows(trx, time, known.id);
  const own = before.filter(({ id }) => claimed.includes(id));
  if (order.isSuperseded) await holdBackSuperseded(context, before, own);
  else await adjustToPlan(context, arrival, plan, { callbackId: known.id, before, own });
  const rows = await deliveryRows(trx, time, known.id);
  const mine = rows.filter(
    (row) => row.is_claimed === 1 && row.claimed_by === claim.owner && !wasBusy(before, claimed, row),
  );
  return {
    callbackId: known.id,
    isNew: false,
    timesReceived: known.times_received,
    firstReceivedAt: known.received_at,
    // Whoever was told by then stays told; that nobody else is told any more is what there is to say.
    isSuperseded: order.isSuperseded && !isToldToAll(rows),
    deliveries: rows.map(deliveryRecord),
    claimed: idsOf(mine),
    blocked: idsOf(mine.filter(({ destination }) => order.busyDestinations.has(destination))),
  };
}

async function countIn({ trx, now }: AdmissionContext, { jobId, identity = '' }: Newcomer) {
  return trx
    .updateTable('callbacks')
    .set((eb) => ({ times_received: eb('times_received', '+', 1), last_received_at: now }))
    .where('job_id', '=', jobId)
    .where('identity', '=', identity)
    .returning(['id', 'times_received', 'received_at'])
    .executeTakeFirstOrThrow();
}

/** For a retry, a result counts as earlier whenever it came: an `executing` must not be told after it. */
async function orderOf(
  context: AdmissionContext,
  { arrival, jobId }: Newcomer,
  callbackId: number,
): Promise<Order> {
  const { trx, time } = context;
  const { status } = arrival.callback;
  const steps = await stepsOf(trx, [jobId], time);
  const others = steps.filter((step) => step.callbackId !== callbackId);
  const { isSuperseded } = orderAfter(status, others);
  const earlier = others.filter((step) => step.callbackId < callbackId);
  const order = { ...orderAfter(status, earlier), isSuperseded };
  return withoutHeld(order, await holdBackIdle(context, idsOf(order.overtaken), SUPERSEDED));
}

async function holdBackSuperseded(
  context: AdmissionContext,
  before: readonly StandingRow[],
  own: readonly StandingRow[],
): Promise<void> {
  await holdBack(context.trx, context.time, idsOf(own), SUPERSEDED);
  await holdBackIdle(context, idsOf(before), SUPERSEDED);
}

interface KnownDeliveries {
  readonly callbackId: number;
  readonly before: readonly StandingRow[];
  readonly own: readonly StandingRow[];
}

/** Adds whom the config has named since the first time, and holds back whom it no longer names. */
async function adjustToPlan(
  { trx, time, statements }: AdmissionContext,
  { planned }: Arrival,
  plan: Plan,
  { callbackId, before, own }: KnownDeliveries,
): Promise<void> {
  const named = new Set(planned.map(({ destination }) => destination));
  const unnamed = own.filter(({ destination }) => !named.has(destination));
  await holdBack(trx, time, idsOf(unnamed), NO_LONGER_ROUTED);
  const known = new Set(before.map(({ destination }) => destination));
  const added = planned.filter(({ destination }) => !known.has(destination));
  const rows = added.map((target) => ({ callbackId, target, plan }));
  if (rows.length > 0) await statements.insertDeliveries({ trx, time }, rows);
}

/** Claimed by this process all the same, but for an earlier request that is still at it. */
function wasBusy(before: readonly StandingRow[], claimed: readonly number[], { id }: StandingRow): boolean {
  return before.some((row) => row.id === id) && !claimed.includes(id);
}

function isToldToAll(rows: readonly StandingRow[]): boolean {
  return rows.length > 0 && rows.every(({ state }) => state === 'delivered');
}

function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
