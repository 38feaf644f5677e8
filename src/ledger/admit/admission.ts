/** The transaction that writes arrivals down before anyone is told, in the order of their jobs, and says who is still to be told. */
import { type AdmissionContext, admitAgain, identifyEarlier } from './readmission.ts';
import type { PlaceInJob, Predecessor } from '../hot-statements.ts';
import { inOneTrip } from '../timed-store.ts';
import {
  botDaysOf,
  type CountedCallback,
  type IdentifiedArrival,
  isResult,
  keyOf,
} from '../callback-columns.ts';
import type { Admission, Arrival, BlockedDelivery, DeliveryRecord, DeliveryTarget } from '../ledger.ts';
import { supersedeIdle } from '../due/held.ts';
import { type InitialState, type NewDelivery, plannedRecord } from '../rows.ts';

/** Those that the ledger did not know, with their ids. */
type Fresh = ReadonlyMap<IdentifiedArrival, number>;

/** One admission per arrival, in order. */
export async function admitAll(
  context: AdmissionContext,
  arrivals: readonly IdentifiedArrival[],
): Promise<readonly Admission[]> {
  const sharedJobs = await jobsWithOthers(context, arrivals);
  const fresh = await insertCallbacks(context, arrivals);
  const [admissions] = await inOneTrip([
    admitNew(context, fresh, sharedJobs),
    context.statements.countCallbacks(context, botDaysOf(countedIn(context, arrivals, fresh))),
  ]);
  for (const identified of arrivals) {
    if (!admissions.has(identified)) {
      admissions.set(identified, await admitAgain(context, identified));
    }
  }
  return arrivals.map((identified) => admissions.get(identified) as Admission);
}

function countedIn(
  { dayOf }: AdmissionContext,
  arrivals: readonly IdentifiedArrival[],
  fresh: Fresh,
): CountedCallback[] {
  return arrivals.map((identified) => {
    const { arrival, row } = identified;
    return {
      newId: fresh.get(identified),
      botKey: keyOf(arrival.callback.bot_id),
      botName: row.bot_name,
      status: row.status,
      receivedAt: row.received_at,
      day: dayOf(row.received_at),
      elapsed: row.elapsed_time ?? undefined,
    };
  });
}

/** Locked, all of them. @returns those of which the ledger knows another callback, or will after these */
async function jobsWithOthers(
  context: AdmissionContext,
  arrivals: readonly IdentifiedArrival[],
): Promise<ReadonlySet<string>> {
  const { trx, traits, statements } = context;
  const jobIds = arrivals.map(({ jobId }) => jobId);
  const [, begun] = await inOneTrip([traits.lockJobs(trx, jobIds), statements.jobsBegun(context, jobIds)]);
  const unidentified = begun.filter(({ hasUnidentified }) => hasUnidentified).map(({ jobId }) => jobId);
  if (unidentified.length > 0) await identifyEarlier(trx, unidentified);
  const seen = new Set<string>();
  const repeated = jobIds.filter((jobId) => seen.size === seen.add(jobId).size);
  return new Set([...begun.map(({ jobId }) => jobId), ...repeated]);
}

async function insertCallbacks(
  context: AdmissionContext,
  arrivals: readonly IdentifiedArrival[],
): Promise<Fresh> {
  const ids = await context.statements.insertCallbacks(
    context,
    arrivals.map(({ row }) => row),
  );
  const fresh = new Map<IdentifiedArrival, number>();
  arrivals.forEach((identified, index) => {
    const id = ids[index];
    if (id !== undefined) fresh.set(identified, id);
  });
  return fresh;
}

async function admitNew(
  context: AdmissionContext,
  fresh: Fresh,
  sharedJobs: ReadonlySet<string>,
): Promise<Map<IdentifiedArrival, Admission>> {
  if (fresh.size === 0) return new Map();
  const order = await orderOf(context, fresh, sharedJobs);
  const planned: PlannedDeliveries = new Map();
  for (const [identified, id] of fresh)
    planned.set(identified, planDeliveries(context, order, identified, id));
  const records = await insertDeliveries(context, planned);
  return new Map(
    [...fresh].map(([identified, id]) => [
      identified,
      admission(identified.arrival, id, planned.get(identified), records),
    ]),
  );
}

interface PlannedDelivery {
  readonly row: NewDelivery;
  /** What of its job must be through before it. */
  readonly before: Predecessor | NewDelivery | undefined;
}

/** Of jobs of which the ledger knows more than one callback. */
interface JobOrder {
  /** Ids of the callbacks that are `executing` and came after their job's result: nobody is to be told. */
  readonly superseded: ReadonlySet<number>;
  /** The delivery after which the next one at a place would come. */
  readonly last: Map<string, Predecessor | NewDelivery>;
}

/** Of each arrival; undefined: it is superseded. */
type PlannedDeliveries = Map<IdentifiedArrival, readonly PlannedDelivery[] | undefined>;

/** Undefined: no job has another callback. */
async function orderOf(
  context: AdmissionContext,
  fresh: Fresh,
  sharedJobs: ReadonlySet<string>,
): Promise<JobOrder | undefined> {
  const shared = [...fresh].filter(([{ jobId }]) => sharedJobs.has(jobId));
  if (shared.length === 0) return undefined;
  const { statements } = context;
  const results = shared.filter(([{ arrival }]) => isResult(arrival.callback));
  await supersedeIdle(
    context,
    results.map(([{ jobId }]) => jobId),
  );
  const places = shared.flatMap(([{ arrival, jobId }, callbackId]) =>
    arrival.planned.map(({ destination }) => ({ jobId, destination, callbackId })),
  );
  const superseded = await supersededAmong(context, shared);
  const pending = await statements.predecessors(context, places);
  const last = new Map<string, Predecessor | NewDelivery>();
  places.forEach((place, index) => {
    const before = pending[index];
    if (before !== undefined) last.set(placeKey(place), before);
  });
  return { superseded, last };
}

async function supersededAmong(
  context: AdmissionContext,
  shared: readonly (readonly [IdentifiedArrival, number])[],
): Promise<ReadonlySet<number>> {
  const executing = shared.filter(([{ arrival }]) => !isResult(arrival.callback));
  if (executing.length === 0) return new Set();
  const jobs = executing.map(([{ jobId }, before]) => ({ jobId, before }));
  const haveResults = await context.statements.haveResults(context, jobs);
  return new Set(executing.flatMap(([, id], index) => (haveResults[index] === true ? id : [])));
}

function planDeliveries(
  context: AdmissionContext,
  order: JobOrder | undefined,
  identified: IdentifiedArrival,
  callbackId: number,
): readonly PlannedDelivery[] | undefined {
  const { arrival, jobId } = identified;
  if (order?.superseded.has(callbackId) === true) return undefined;
  const initial = initialStateOf(context, identified);
  return arrival.planned.map((target: DeliveryTarget) => {
    const place = placeKey({ jobId, destination: target.destination });
    const before = order?.last.get(place);
    const row: NewDelivery = { callbackId, jobId, target, initial, isBlocked: before !== undefined };
    order?.last.set(place, row);
    return { row, before };
  });
}

async function insertDeliveries(
  context: AdmissionContext,
  planned: PlannedDeliveries,
): Promise<ReadonlyMap<NewDelivery, DeliveryRecord>> {
  const rows: NewDelivery[] = [];
  for (const deliveries of planned.values()) for (const { row } of deliveries ?? []) rows.push(row);
  if (rows.length === 0) return new Map();
  const ids = await context.statements.insertDeliveries(context, rows);
  return new Map(
    rows.map((row, index) => [row, plannedRecord(ids[index] as number, row.target, row.initial)]),
  );
}

/** A claim outlasts the lease only where the service is to retry first. */
function initialStateOf(
  { claim, takeOverAfterMs }: AdmissionContext,
  { arrival }: IdentifiedArrival,
): InitialState {
  return arrival.isAccepted
    ? { claim: undefined, dueInMs: 0, isTakenOver: true }
    : { claim, dueInMs: Math.max(takeOverAfterMs, claim.leaseMs), isTakenOver: false };
}

function admission(
  arrival: Arrival,
  callbackId: number,
  planned: readonly PlannedDelivery[] | undefined,
  records: ReadonlyMap<NewDelivery, DeliveryRecord>,
): Admission {
  const deliveries = (planned ?? []).map(({ row }) => records.get(row) as DeliveryRecord);
  return {
    callbackId,
    isNew: true,
    timesReceived: 1,
    firstReceivedAt: arrival.receivedAt,
    isSuperseded: planned === undefined,
    deliveries,
    claimed: deliveries.filter(({ isClaimed }) => isClaimed).map(({ id }) => id),
    blocked: arrival.isAccepted ? [] : blockedIn(planned ?? [], records),
  };
}

function blockedIn(
  planned: readonly PlannedDelivery[],
  records: ReadonlyMap<NewDelivery, DeliveryRecord>,
): BlockedDelivery[] {
  const idOf = (row: NewDelivery) => (records.get(row) as DeliveryRecord).id;
  return planned.flatMap(({ row, before }) => {
    if (before === undefined) return [];
    const behind =
      'id' in before ? before : { id: idOf(before), isClaimed: before.initial.claim !== undefined };
    return { id: idOf(row), behind: behind.id, isBehindClaimed: behind.isClaimed };
  });
}

function placeKey({ jobId, destination }: Pick<PlaceInJob, 'jobId' | 'destination'>): string {
  return `${jobId}\n${destination}`;
}
