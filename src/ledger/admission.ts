/** The transaction that writes an arrival down before anyone is told, and says who is still to be told. */
import type { Selectable, Transaction } from 'kysely';
import type { Admission, Arrival, DeliveryTarget } from './ledger.ts';
import { callbackRow, type Claim, deliveryRecord, plannedRow } from './rows.ts';
import type { DeliveryRow, Tables } from './tables.ts';

/** Both databases take far more parameters; this only bounds how many shapes of one statement exist. */
const ROWS_PER_INSERT = 200;

const EXECUTING = 2;
const RESULTS = [0, 1];

export interface AdmissionContext {
  readonly trx: Transaction<Tables>;
  readonly claim: Claim;
  readonly now: number;
}

/** One admission per arrival, in order. */
export async function admitAll(
  context: AdmissionContext,
  arrivals: readonly Arrival[],
): Promise<readonly Admission[]> {
  const newIds = await insertCallbacks(context, arrivals);
  const fresh = arrivals.filter((arrival) => newIds.has(arrival));
  const admissions = await admitNew(context, fresh, newIds);
  for (const arrival of arrivals) {
    if (!admissions.has(arrival)) admissions.set(arrival, await admitAgain(context, arrival));
  }
  return arrivals.map((arrival) => admissions.get(arrival) as Admission);
}

/** The ids of the arrivals that the ledger did not know. */
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
  const newIds = new Map<Arrival, number>();
  for (const arrival of arrivals) {
    const id = ids.get(arrival.identity);
    if (id === undefined) continue;
    newIds.set(arrival, id);
    ids.delete(arrival.identity);
  }
  return newIds;
}

async function admitNew(
  context: AdmissionContext,
  arrivals: readonly Arrival[],
  ids: ReadonlyMap<Arrival, number>,
): Promise<Map<Arrival, Admission>> {
  const admissions = new Map<Arrival, Admission>();
  for (const arrival of arrivals) {
    const callbackId = ids.get(arrival) as number;
    const isSuperseded = await hasResult(context, arrival, callbackId);
    admissions.set(arrival, {
      callbackId,
      isNew: true,
      timesReceived: 1,
      firstReceivedAt: arrival.receivedAt,
      isSuperseded,
      deliveries: [],
      claimed: new Set(),
    });
  }
  await planNew(context, admissions);
  return admissions;
}

async function planNew(context: AdmissionContext, admissions: Map<Arrival, Admission>): Promise<void> {
  const toTell = [...admissions].filter(([, admission]) => !admission.isSuperseded);
  const planned = toTell.flatMap(([arrival, { callbackId }]) =>
    arrival.planned.map((target) => ({ callbackId, target })),
  );
  const rows = await insertDeliveries(context, planned);
  const rowsOf = new Map<number, Selectable<DeliveryRow>[]>(
    toTell.map(([, { callbackId }]) => [callbackId, []]),
  );
  for (const row of rows) rowsOf.get(row.callback_id)?.push(row);
  for (const [arrival, admission] of toTell) {
    admissions.set(arrival, { ...admission, ...asClaimed(rowsOf.get(admission.callbackId) ?? []) });
  }
}

function asClaimed(rows: readonly Selectable<DeliveryRow>[]): Pick<Admission, 'deliveries' | 'claimed'> {
  return { deliveries: rows.map(deliveryRecord), claimed: new Set(rows.map((row) => row.id)) };
}

async function insertDeliveries(
  { trx, claim, now }: AdmissionContext,
  planned: readonly { readonly callbackId: number; readonly target: DeliveryTarget }[],
): Promise<Selectable<DeliveryRow>[]> {
  const inserted: Selectable<DeliveryRow>[] = [];
  for (let start = 0; start < planned.length; start += ROWS_PER_INSERT) {
    const rows = planned
      .slice(start, start + ROWS_PER_INSERT)
      .map(({ callbackId, target }) => plannedRow(callbackId, target, claim, now));
    inserted.push(...(await trx.insertInto('deliveries').values(rows).returningAll().execute()));
  }
  return inserted;
}

/** Whether the same job's result is written down already; for a new row, only one that came before it counts. */
async function hasResult({ trx }: AdmissionContext, arrival: Arrival, before?: number): Promise<boolean> {
  if (arrival.callback.status !== EXECUTING) return false;
  let query = trx
    .selectFrom('callbacks')
    .select('id')
    .where('job_id', '=', callbackRow(arrival).job_id)
    .where('status', 'in', RESULTS);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** A callback that came before: only who has not been told, and whom the config has named since, is still to be told. */
async function admitAgain(context: AdmissionContext, arrival: Arrival): Promise<Admission> {
  const { trx, now } = context;
  const known = await trx
    .updateTable('callbacks')
    .set((eb) => ({ times_received: eb('times_received', '+', 1), last_received_at: now }))
    .where('identity', '=', arrival.identity)
    .returning(['id', 'times_received', 'received_at'])
    .executeTakeFirstOrThrow();
  const pending = await claimPending(context, known.id);
  const isOvertaken = await hasResult(context, arrival);
  if (isOvertaken) await holdBack(context, pending, 'superseded');
  const toTell = isOvertaken ? [] : await adjustToPlan(context, known.id, pending, arrival.planned);
  const rows = await trx
    .selectFrom('deliveries')
    .selectAll()
    .where('callback_id', '=', known.id)
    .orderBy('id')
    .execute();
  return {
    callbackId: known.id,
    isNew: false,
    timesReceived: known.times_received,
    firstReceivedAt: known.received_at,
    isSuperseded: isOvertaken && !rows.some((row) => row.state === 'delivered'),
    deliveries: rows.map(deliveryRecord),
    // Not whatever this process holds: an earlier request of it may still be sending.
    claimed: new Set(toTell.map((row) => row.id)),
  };
}

async function claimPending(
  { trx, claim, now }: AdmissionContext,
  callbackId: number,
): Promise<Selectable<DeliveryRow>[]> {
  return trx
    .updateTable('deliveries')
    .set({ claimed_by: claim.owner, claimed_until: claim.until })
    .where('callback_id', '=', callbackId)
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .returningAll()
    .execute();
}

/** Adds whom the config has named since the first time, and holds back whom it no longer names: the rest is to be told. */
async function adjustToPlan(
  context: AdmissionContext,
  callbackId: number,
  pending: readonly Selectable<DeliveryRow>[],
  planned: readonly DeliveryTarget[],
): Promise<readonly Selectable<DeliveryRow>[]> {
  const named = new Set(planned.map((target) => target.destination));
  const isNamed = (row: Selectable<DeliveryRow>) => named.has(row.destination);
  await holdBack(
    context,
    pending.filter((row) => !isNamed(row)),
    'no longer routed',
  );
  const known = await context.trx
    .selectFrom('deliveries')
    .select('destination')
    .where('callback_id', '=', callbackId)
    .execute();
  const listed = new Set(known.map((row) => row.destination));
  const unknown = planned.filter((target) => !listed.has(target.destination));
  const added = await insertDeliveries(
    context,
    unknown.map((target) => ({ callbackId, target })),
  );
  return [...pending.filter(isNamed), ...added];
}

async function holdBack(
  { trx, now }: AdmissionContext,
  rows: readonly Selectable<DeliveryRow>[],
  reason: string,
): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .updateTable('deliveries')
    .set({ state: 'held', held_because: reason, claimed_by: null, claimed_until: null, updated_at: now })
    .where(
      'id',
      'in',
      rows.map((row) => row.id),
    )
    .execute();
}
