/** The transaction that writes arrivals down before anyone is told, and says who is still to be told. */
import type { AdmissionContext } from './admission-context.ts';
import { type JobStep, type Order, orderAfter, stepsOf, withoutHeld } from './job-order.ts';
import type { Admission, Arrival } from './ledger.ts';
import { admitAgain } from './readmission.ts';
import { holdBackIdle, insertDeliveries, SUPERSEDED } from './pending-rows.ts';
import { callbackRow, deliveryRecord, jobIdOf, type Plan, type StandingRow } from './rows.ts';

/** One admission per arrival, in order. */
export async function admitAll(
  context: AdmissionContext,
  arrivals: readonly Arrival[],
): Promise<readonly Admission[]> {
  const { trx, traits } = context;
  await traits.lockJobs(
    trx,
    arrivals.map(({ callback }) => jobIdOf(callback)),
  );
  const fresh = await insertCallbacks(context, arrivals);
  const admissions = await admitNew(context, fresh);
  for (const arrival of arrivals) {
    if (!admissions.has(arrival)) {
      admissions.set(arrival, await admitAgain(context, arrival, planOf(context, arrival)));
    }
  }
  return arrivals.map((arrival) => admissions.get(arrival) as Admission);
}

/** The arrivals that the ledger did not know, with their ids. */
async function insertCallbacks(
  { trx }: AdmissionContext,
  arrivals: readonly Arrival[],
): Promise<Map<Arrival, number>> {
  const inserted = await trx
    .insertInto('callbacks')
    .values(arrivals.map(callbackRow))
    .onConflict((conflict) => conflict.column('identity').doNothing())
    .returning(['id', 'identity'])
    .execute();
  const ids = new Map(inserted.map((row) => [row.identity, row.id]));
  const fresh = new Map<Arrival, number>();
  for (const arrival of arrivals) {
    const id = ids.get(arrival.identity);
    if (id === undefined) continue;
    fresh.set(arrival, id);
    ids.delete(arrival.identity);
  }
  return fresh;
}

async function admitNew(
  context: AdmissionContext,
  fresh: ReadonlyMap<Arrival, number>,
): Promise<Map<Arrival, Admission>> {
  if (fresh.size === 0) return new Map();
  const { trx, time } = context;
  const orders = await holdOvertaken(context, await orderOf(context, fresh));
  const planned = [...fresh].flatMap(([arrival, callbackId]) =>
    orders.get(arrival)?.isSuperseded === true
      ? []
      : arrival.planned.map((target) => ({ callbackId, target, plan: planOf(context, arrival) })),
  );
  const rowsOf = groupRows(await insertDeliveries(trx, time, planned));
  return new Map(
    [...fresh].map(([arrival, id]) => [
      arrival,
      admission(arrival, id, orders.get(arrival), rowsOf.get(id) ?? []),
    ]),
  );
}

async function holdOvertaken(
  { trx, time }: AdmissionContext,
  orders: ReadonlyMap<Arrival, Order>,
): Promise<ReadonlyMap<Arrival, Order>> {
  const ids = [...orders.values()].flatMap(({ overtaken }) => overtaken.map(({ id }) => id));
  const held = await holdBackIdle(trx, time, ids, SUPERSEDED);
  return new Map([...orders].map(([arrival, order]) => [arrival, withoutHeld(order, held)]));
}

function planOf({ claim, takeOverAfterMs }: AdmissionContext, { isAccepted }: Arrival): Plan {
  return isAccepted
    ? { claim: undefined, dueInMs: 0, isOurs: true }
    : { claim, dueInMs: takeOverAfterMs, isOurs: false };
}

/** How each new callback stands to the earlier ones of its job, those of the same batch included. */
async function orderOf(
  { trx, time }: AdmissionContext,
  fresh: ReadonlyMap<Arrival, number>,
): Promise<Map<Arrival, Order>> {
  const jobIds = [...fresh.keys()].map(({ callback }) => jobIdOf(callback));
  const known = await stepsOf(trx, jobIds, time);
  const sameBatch: JobStep[] = [];
  const orders = new Map<Arrival, Order>();
  for (const [arrival, callbackId] of fresh) {
    const jobId = jobIdOf(arrival.callback);
    const { status } = arrival.callback;
    const isEarlier = (step: JobStep) => step.jobId === jobId && step.callbackId < callbackId;
    const order = orderAfter(status, [...known, ...sameBatch].filter(isEarlier));
    orders.set(arrival, order);
    if (!order.isSuperseded) sameBatch.push(...aboutToBeSent(arrival, callbackId, jobId));
  }
  return orders;
}

function aboutToBeSent(
  { callback: { status }, planned }: Arrival,
  callbackId: number,
  jobId: string,
): JobStep[] {
  return planned.map(({ destination }) => ({
    callbackId,
    jobId,
    status,
    pending: { id: 0, destination, isClaimed: true },
  }));
}

function groupRows(rows: readonly StandingRow[]): Map<number, StandingRow[]> {
  const groups = new Map<number, StandingRow[]>();
  for (const row of rows) {
    const group = groups.get(row.callback_id);
    if (group === undefined) groups.set(row.callback_id, [row]);
    else group.push(row);
  }
  return groups;
}

function admission(
  arrival: Arrival,
  callbackId: number,
  order: Order | undefined,
  rows: readonly StandingRow[],
): Admission {
  const claimed = arrival.isAccepted ? [] : rows;
  const isBlocked = ({ destination }: StandingRow) => order?.busyDestinations.has(destination) === true;
  return {
    callbackId,
    isNew: true,
    timesReceived: 1,
    firstReceivedAt: arrival.receivedAt,
    isSuperseded: order?.isSuperseded === true,
    deliveries: rows.map(deliveryRecord),
    claimed: new Set(claimed.map(({ id }) => id)),
    blocked: new Set(claimed.filter(isBlocked).map(({ id }) => id)),
  };
}
