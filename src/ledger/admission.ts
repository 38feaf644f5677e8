/** The transaction that writes arrivals down before anyone is told, and says who is still to be told. */
import type { AdmissionContext } from './admission-context.ts';
import { type JobStep, type Order, orderAfter, stepsOf, withoutHeld } from './job-order.ts';
import type { PlannedRow } from './hot-statements.ts';
import type { Admission, Arrival, DeliveryRecord } from './ledger.ts';
import { admitAgain } from './readmission.ts';
import { holdBackIdle, SUPERSEDED } from './pending-rows.ts';
import { callbackRow, jobIdOf, type Plan, plannedRecord } from './rows.ts';

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
  context: AdmissionContext,
  arrivals: readonly Arrival[],
): Promise<Map<Arrival, number>> {
  const ids = await context.statements.insertCallbacks(context, arrivals.map(callbackRow));
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
  const orders = await holdOvertaken(context, await orderOf(context, fresh));
  const recordsOf = await planDeliveries(context, fresh, orders);
  return new Map(
    [...fresh].map(([arrival, id]) => [
      arrival,
      admission(arrival, id, orders.get(arrival), recordsOf.get(id) ?? []),
    ]),
  );
}

/** @returns what was planned, by the callbacks' ids */
async function planDeliveries(
  context: AdmissionContext,
  fresh: ReadonlyMap<Arrival, number>,
  orders: ReadonlyMap<Arrival, Order>,
): Promise<Map<number, DeliveryRecord[]>> {
  const planned: PlannedRow[] = [];
  for (const [arrival, callbackId] of fresh) {
    if (orders.get(arrival)?.isSuperseded === true) continue;
    const plan = planOf(context, arrival);
    for (const target of arrival.planned) planned.push({ callbackId, target, plan });
  }
  if (planned.length === 0) return new Map();
  const ids = await context.statements.insertDeliveries(context, planned);
  const records = new Map<number, DeliveryRecord[]>();
  planned.forEach(({ callbackId, target, plan }, index) => {
    addTo(records, callbackId, plannedRecord(ids[index] as number, target, plan));
  });
  return records;
}

async function holdOvertaken(
  { trx, time }: AdmissionContext,
  orders: ReadonlyMap<Arrival, Order>,
): Promise<ReadonlyMap<Arrival, Order>> {
  const ids = [...orders.values()].flatMap(({ overtaken }) => overtaken.map(({ id }) => id));
  if (ids.length === 0) return orders;
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
  context: AdmissionContext,
  fresh: ReadonlyMap<Arrival, number>,
): Promise<Map<Arrival, Order>> {
  const steps = await earlierSteps(context, fresh);
  const orders = new Map<Arrival, Order>();
  for (const [arrival, callbackId] of fresh) {
    const jobId = jobIdOf(arrival.callback);
    const earlier = steps.get(jobId)?.filter((step) => step.callbackId < callbackId) ?? [];
    const order = orderAfter(arrival.callback.status, earlier);
    orders.set(arrival, order);
    if (order.isSuperseded) continue;
    for (const step of aboutToBeSent(arrival, callbackId, jobId)) addTo(steps, jobId, step);
  }
  return orders;
}

/** By job; most jobs have none. */
async function earlierSteps(
  context: AdmissionContext,
  fresh: ReadonlyMap<Arrival, number>,
): Promise<Map<string, JobStep[]>> {
  const written = [...fresh].map(([{ callback }, callbackId]) => ({ callbackId, jobId: jobIdOf(callback) }));
  const begun = await context.statements.jobsBegunBefore(context, written);
  const steps = new Map<string, JobStep[]>();
  if (begun.length === 0) return steps;
  for (const step of await stepsOf(context.trx, begun, context.time)) addTo(steps, step.jobId, step);
  return steps;
}

function addTo<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
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

function admission(
  arrival: Arrival,
  callbackId: number,
  order: Order | undefined,
  deliveries: readonly DeliveryRecord[],
): Admission {
  const claimed = deliveries.filter(({ isClaimed }) => isClaimed);
  const isBlocked = ({ destination }: DeliveryRecord) => order?.busyDestinations.has(destination) === true;
  return {
    callbackId,
    isNew: true,
    timesReceived: 1,
    firstReceivedAt: arrival.receivedAt,
    isSuperseded: order?.isSuperseded === true,
    deliveries,
    claimed: new Set(claimed.map(({ id }) => id)),
    blocked: new Set(claimed.filter(isBlocked).map(({ id }) => id)),
  };
}
