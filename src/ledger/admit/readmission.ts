/** What the ledger knows callbacks by, and what happens to one that came before: only who has not been told is still to be told. */
import type { Kysely } from 'kysely';
import { identityOf } from '../../callback/callback.ts';
import type { Admission, BlockedDelivery } from '../ledger.ts';
import { callbackIn, type IdentifiedArrival, isResult } from '../callback-columns.ts';
import type { Tables } from '../tables.ts';
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements, StatementContext } from '../hot-statements.ts';
import { type Claim, deliveryRecord, type StandingRow } from '../rows.ts';
import { holdBack, holdBackIdle, supersedeIdle } from '../due/held.ts';
import { SUPERSEDED } from '../hold.ts';
import { claimPending, deliveryRows, releaseNext } from '../pending-rows.ts';

/**
 * Versions before gave a job's only callback no identity. They still may, beside this one, so each is given one when its
 * job comes again.
 * @param jobIds nobody else may be admitting callbacks of these jobs
 */
export async function identifyEarlier(trx: Kysely<Tables>, jobIds: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('callbacks')
    .select(['id', 'body'])
    .where('job_id', 'in', jobIds)
    .where('identity', 'is', null)
    // In the order in which history is written, which locks the same rows.
    .orderBy('id')
    .execute();
  for (const { id, body } of rows) {
    const identity = identityOf(callbackIn(body));
    await trx.updateTable('callbacks').set({ identity }).where('id', '=', id).execute();
  }
}

/** Whether the ledger knows the callback already: then it needs no room. */
export async function isKnown(
  db: Kysely<Tables>,
  { jobId, identity }: Pick<IdentifiedArrival, 'jobId' | 'identity'>,
): Promise<boolean> {
  const rows = await db
    .selectFrom('callbacks')
    .select(['identity', 'body'])
    .where('job_id', '=', jobId)
    .where((eb) => eb.or([eb('identity', '=', identity), eb('identity', 'is', null)]))
    .limit(2)
    .execute();
  return rows.some((row) => (row.identity ?? identityOf(callbackIn(row.body))) === identity);
}

export interface AdmissionContext extends StatementContext {
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
  readonly claim: Claim;
  /** When Botbell takes over what the service does not retry. */
  readonly takeOverAfterMs: number;
  /** `2026-01-31`, of milliseconds since the epoch. */
  readonly dayOf: (ms: number) => string;
  /** This process's own time. */
  readonly now: number;
}

export async function admitAgain(
  context: AdmissionContext,
  identified: IdentifiedArrival,
): Promise<Admission> {
  const { trx, time, claim } = context;
  const { arrival, jobId } = identified;
  const known = await countIn(context, identified);
  if (isResult(arrival.callback)) await supersedeIdle(context, [jobId]);
  const isSuperseded = !isResult(arrival.callback) && (await hasResult(context, jobId));
  const claimed = arrival.isAccepted ? [] : await claimPending(context, known.id, claim);
  const before = await deliveryRows(trx, time, known.id);
  const own = before.filter(({ id }) => claimed.includes(id));
  if (isSuperseded) await holdBackSuperseded(context, before, own);
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
    isSuperseded: isSuperseded && !isToldToAll(rows),
    deliveries: rows.map(deliveryRecord),
    claimed: idsOf(mine),
    blocked: await blockedAmong(context, jobId, mine),
  };
}

async function countIn({ trx, now }: AdmissionContext, { jobId, identity }: IdentifiedArrival) {
  return trx
    .updateTable('callbacks')
    .set((eb) => ({ times_received: eb('times_received', '+', 1), last_received_at: now }))
    .where('job_id', '=', jobId)
    .where('identity', '=', identity)
    .returning(['id', 'times_received', 'received_at'])
    .executeTakeFirstOrThrow();
}

/** For a retry, a result counts as earlier whenever it came: an `executing` must not be told after it. */
async function hasResult(context: AdmissionContext, jobId: string): Promise<boolean> {
  const [hasOne] = await context.statements.haveResults(context, [
    { jobId, before: Number.MAX_SAFE_INTEGER },
  ]);
  return hasOne === true;
}

async function blockedAmong(
  context: AdmissionContext,
  jobId: string,
  rows: readonly StandingRow[],
): Promise<BlockedDelivery[]> {
  const places = rows.map((row) => ({ jobId, destination: row.destination, callbackId: row.callback_id }));
  const before = places.length === 0 ? [] : await context.statements.predecessors(context, places);
  return rows.flatMap(({ id }, index) => {
    const behind = before[index];
    return behind === undefined ? [] : { id, behind: behind.id, isBehindClaimed: behind.isClaimed };
  });
}

async function holdBackSuperseded(
  context: AdmissionContext,
  before: readonly StandingRow[],
  own: readonly StandingRow[],
): Promise<void> {
  const { trx, time, takeOverAfterMs } = context;
  await holdBack(trx, time, idsOf(own), SUPERSEDED);
  await holdBackIdle(context, idsOf(before), SUPERSEDED);
  await releaseNext(trx, time, idsOf(before), takeOverAfterMs);
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
