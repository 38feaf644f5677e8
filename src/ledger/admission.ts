/** The transaction that writes arrivals down before anyone is told, and says who is still to be told. */
import type { AdmissionContext } from './admission-context.ts';
import { type JobStep, NOTHING_BEFORE, type Order, orderAfter, stepsOf, withoutHeld } from './job-order.ts';
import type { PlannedRow } from './hot-statements.ts';
import type { Admission, Arrival, DeliveryRecord } from './ledger.ts';
import { identify, type Newcomer } from './newcomer.ts';
import { admitAgain } from './readmission.ts';
import { holdBackIdle, SUPERSEDED } from './pending-rows.ts';
import { callbackRow, jobIdOf, type Plan, plannedRecord } from './rows.ts';

/** Those that the ledger did not know, with their ids. */
type Fresh = ReadonlyMap<Newcomer, number>;

/** One admission per arrival, in order. */
export async function admitAll(
  context: AdmissionContext,
  arrivals: readonly Arrival[],
): Promise<readonly Admission[]> {
  const { trx, traits } = context;
  const jobIds = arrivals.map(({ callback }) => jobIdOf(callback));
  await traits.lockJobs(trx, jobIds);
  const { all, sharedJobs } = await identify(context, arrivals, jobIds);
  const fresh = await insertCallbacks(context, all);
  const admissions = await admitNew(context, fresh, sharedJobs);
  for (const newcomer of all) {
    if (!admissions.has(newcomer)) {
      admissions.set(newcomer, await admitAgain(context, newcomer, planOf(context, newcomer)));
    }
  }
  return all.map((newcomer) => admissions.get(newcomer) as Admission);
}

async function insertCallbacks(context: AdmissionContext, newcomers: readonly Newcomer[]): Promise<Fresh> {
  const rows = newcomers.map(({ arrival, jobId, identity }) => callbackRow(arrival, jobId, identity));
  const ids = await context.statements.insertCallbacks(context, rows);
  const fresh = new Map<Newcomer, number>();
  newcomers.forEach((newcomer, index) => {
    const id = ids[index];
    if (id !== undefined) fresh.set(newcomer, id);
  });
  return fresh;
}

async function admitNew(
  context: AdmissionContext,
  fresh: Fresh,
  sharedJobs: readonly string[],
): Promise<Map<Newcomer, Admission>> {
  if (fresh.size === 0) return new Map();
  const orders = await holdOvertaken(context, await orderOf(context, fresh, sharedJobs));
  const recordsOf = await planDeliveries(context, fresh, orders);
  return new Map(
    [...fresh].map(([newcomer, id]) => [
      newcomer,
      admission(newcomer.arrival, id, orders.get(newcomer), recordsOf.get(id) ?? []),
    ]),
  );
}

/** @returns what was planned, by the callbacks' ids */
async function planDeliveries(
  context: AdmissionContext,
  fresh: Fresh,
  orders: ReadonlyMap<Newcomer, Order>,
): Promise<Map<number, DeliveryRecord[]>> {
  const planned: PlannedRow[] = [];
  for (const [newcomer, callbackId] of fresh) {
    if (orders.get(newcomer)?.isSuperseded === true) continue;
    const plan = planOf(context, newcomer);
    for (const target of newcomer.arrival.planned) planned.push({ callbackId, target, plan });
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
  context: AdmissionContext,
  orders: ReadonlyMap<Newcomer, Order>,
): Promise<ReadonlyMap<Newcomer, Order>> {
  const ids = [...orders.values()].flatMap(({ overtaken }) => overtaken.map(({ id }) => id));
  if (ids.length === 0) return orders;
  const held = await holdBackIdle(context, ids, SUPERSEDED);
  return new Map([...orders].map(([newcomer, order]) => [newcomer, withoutHeld(order, held)]));
}

function planOf({ claim, takeOverAfterMs }: AdmissionContext, { arrival }: Newcomer): Plan {
  return arrival.isAccepted
    ? { claim: undefined, dueInMs: 0, isOurs: true }
    : { claim, dueInMs: takeOverAfterMs, isOurs: false };
}

/** How each new callback stands to the earlier ones of its job, those of the same batch included. */
async function orderOf(
  { trx, time }: AdmissionContext,
  fresh: Fresh,
  sharedJobs: readonly string[],
): Promise<Map<Newcomer, Order>> {
  const orders = new Map([...fresh.keys()].map((newcomer) => [newcomer, NOTHING_BEFORE]));
  if (sharedJobs.length === 0) return orders;
  const steps = new Map<string, JobStep[]>();
  for (const step of await stepsOf(trx, sharedJobs, time)) addTo(steps, step.jobId, step);
  for (const [newcomer, callbackId] of fresh) {
    const { arrival, jobId } = newcomer;
    const earlier = steps.get(jobId)?.filter((step) => step.callbackId < callbackId) ?? [];
    const order = orderAfter(arrival.callback.status, earlier);
    orders.set(newcomer, order);
    if (order.isSuperseded) continue;
    for (const step of aboutToBeSent(arrival, callbackId, jobId)) addTo(steps, jobId, step);
  }
  return orders;
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
    claimed: claimed.map(({ id }) => id),
    blocked: claimed.filter(isBlocked).map(({ id }) => id),
  };
}
