/** Inserts deliveries, holds them, makes them pending again, takes them over and claims them. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Telling } from '../../signal/decide.ts';
import { idsOf, inChunks, shared, type Tx } from '../database.ts';
import { type HistoryEntries, type HistoryWhat, writeHistoryOf } from '../callbacks/history.ts';
import { type DecidedTarget, type DeliveryName, type DeliveryRecord, isSame, SUPERSEDED } from '../ledger.ts';
import { BEHIND, IS_IDLE, IS_OF_JOB, JOB_KEY, RECEIVED_AT, type DeliveryRow } from './rows.ts';

/** The targets of a callback. jobKey: its job's; undefined: it belongs to no job. */
interface Planned {
  readonly callbackId: number;
  readonly receivedAt: number;
  readonly jobKey: string | undefined;
  readonly targets: readonly DecidedTarget[];
  /** The key of the BOT whose error it tells; left out: it tells none. */
  readonly errorOf?: string | undefined;
  /** The callback has no deliveries yet. */
  readonly isNew?: boolean;
  /** The callback is answered with its admission, as `accepted`. */
  readonly isAnswered?: boolean;
  /** No other callback of the job has come, so no delivery comes before. */
  readonly isFirstOfJob?: boolean;
  /** This process claims them; else nobody does. */
  readonly isClaimed?: boolean;
  /** Milliseconds for which the service retries them. Undefined: they are taken over from the start, and due at once. */
  readonly takenOverInMs?: number | undefined;
}

/** @param incident of which they tell, so that their messages lead to it; undefined: none */
export function ofIncident(
  targets: readonly DecidedTarget[],
  incident: number | undefined,
): readonly DecidedTarget[] {
  if (incident === undefined) return targets;
  return targets.map(({ telling, ...target }) => ({ telling: { incident, ...telling }, ...target }));
}

/** Skips destinations that the callback has already, e.g. by another process's routing. @returns new rows in the order of the targets */
export async function insertRows(tx: Tx, planned: Planned): Promise<readonly DeliveryRecord[]> {
  const inserted = await Promise.all(
    planned.targets.map((target, index) =>
      insertRow(tx, planned, target, index === 0 && planned.isAnswered === true),
    ),
  );
  const records = inserted.filter((record) => record !== undefined);
  const isRecovery = planned.targets.some(({ recoveryOf }) => recoveryOf !== undefined);
  if (records.length === 0 || (planned.isFirstOfJob === true && !isRecovery)) return records;
  const rows = await tx.all<Pick<DeliveryRecord, 'id' | 'behind'>>(sql`
    SELECT id, (${BEHIND}) AS behind FROM deliveries
    WHERE callback_id = ${planned.callbackId} AND state = 'pending'`);
  const behindOf = new Map(rows.map(({ id, behind }) => [id, behind]));
  return records.map((record) => ({ behind: behindOf.get(record.id), ...record }));
}

/** Inserts the targets that a callback lacks which was admitted before: they are taken over from the start, due at once, and lead to its incident. */
export async function addRows(
  tx: Tx,
  callbackId: number,
  targets: readonly DecidedTarget[],
): Promise<readonly DeliveryRecord[]> {
  const row = await tx.first<
    Pick<Planned, 'receivedAt' | 'jobKey' | 'errorOf'> & Pick<DecidedTarget, 'telling'>
  >(sql`
    SELECT received_at, CASE WHEN ${IS_OF_JOB} THEN ${JOB_KEY} END AS job_key, CASE WHEN error IS NOT NULL THEN bot_key END AS error_of,
      (SELECT telling FROM deliveries WHERE callback_id = callbacks.id AND telling LIKE '%"incident"%' LIMIT 1) AS telling
    FROM callbacks WHERE id = ${callbackId}`);
  if (row === undefined) return [];
  const { telling, ...planned } = row;
  return insertRows(tx, { callbackId, targets: ofIncident(targets, telling?.incident), ...planned });
}

const newDelivery = shared(
  'bigint text text text text text bigint bigint text text text bigint integer bigint bigint bigint',
);

/** @returns the record, which is known but for the id; undefined: the callback has the destination already */
async function insertRow(
  tx: Tx,
  planned: Planned,
  { destination, reason, heldUntil, snoozeId, telling, recoveryOf }: DecidedTarget,
  isAnswered: boolean,
): Promise<DeliveryRecord | undefined> {
  const { now } = tx;
  const { callbackId, receivedAt, takenOverInMs } = planned;
  const state = reason === undefined ? 'pending' : 'held';
  const isTakenOver = takenOverInMs === undefined;
  const dueInMs = takenOverInMs ?? 0;
  const isClaimed = planned.isClaimed === true && state === 'pending';
  // If the callback may have the destination already, the INSERT may return no row, and cannot be shared (`shared`): that needs one for each.
  const statement = planned.isNew ? newDelivery : sql;
  const row = await tx.first<Pick<DeliveryRecord, 'id'>>(statement`
    INSERT INTO deliveries (callback_id, job_key, error_of, recovery_of, destination, reason, held_until, snooze_id, telling,
      state, owner, due_at, is_taken_over, counts_from, updated_at, answered_at)
    VALUES (${callbackId}, ${planned.jobKey}, ${planned.errorOf}, ${recoveryOf}, ${destination}, ${reason}, ${heldUntil}, ${snoozeId}, ${telling},
      ${state}, ${isClaimed ? tx.owner : null}, ${now + dueInMs}, ${isTakenOver},
      ${now}, ${now}, ${isAnswered ? now : null})
    ON CONFLICT (callback_id, destination) DO NOTHING
    RETURNING id`);
  if (row === undefined) return undefined;
  const { id } = row;
  if (state === 'held')
    await writeHistoryOf(tx, [{ id, callbackId }], state, { result: reason, entry: { endsAt: heldUntil } });
  const claim = isClaimed ? 'own' : undefined;
  return {
    id,
    callbackId,
    receivedAt,
    destination,
    state,
    claim,
    attempts: 0,
    refusals: 0,
    reason,
    heldUntil,
    snoozeId,
    telling,
    isTakenOver,
    ageMs: 0,
    dueInMs,
    updatedAt: now,
  };
}

type Changed = Pick<DeliveryRow, 'id' | 'callbackId'>;

/** Changes deliveries that this transaction has locked. @param what their rows of history say; left out: there are none */
export async function updateRows<What extends HistoryWhat>(
  tx: Tx,
  rows: readonly Changed[],
  to: Sql,
  what?: What,
  more?: Parameters<typeof writeHistoryOf<What>>[3],
): Promise<void> {
  for (const some of inChunks(rows, AT_ONCE))
    await tx.all(sql`UPDATE deliveries SET ${to} WHERE id IN (${join(some.map(({ id }) => id))})`);
  if (what !== undefined) await writeHistoryOf(tx, rows, what, more);
}

const AT_ONCE = 5000;

/** Holds deliveries that no process has claimed. */
export function holdBack(tx: Tx, rows: readonly Changed[], reason: string): Promise<void> {
  const held = sql`state = 'held', reason = ${reason}, held_until = NULL, owner = NULL, updated_at = ${tx.now}`;
  return updateRows(tx, rows, held, 'held', { result: reason });
}

/** Holds for good those of the pending deliveries that no process has claimed: what they say is no longer true. Skips locked rows. */
export async function supersede(tx: Tx, which: Sql): Promise<void> {
  const rows = await tx.all<Changed>(sql`
    SELECT id, callback_id FROM deliveries
    WHERE state = 'pending' AND ${which} AND ${IS_IDLE} ORDER BY id ${tx.skipLocked}`);
  await holdBack(tx, rows, SUPERSEDED);
}

export async function supersedeEach(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const some of inChunks(ids, AT_ONCE)) await supersede(tx, sql`id IN (${join(some)})`);
}

/**
 * Drops recoveries whose BOT has failed since, unless a person asked for them: a delivery that is nothing but a recovery is held for good,
 * another one becomes a plain success. @returns whether there was any
 */
export async function dropRecoveries(tx: Tx, rows: readonly DeliveryRow[]): Promise<boolean> {
  const untrue = rows.filter(
    ({ hasFailedAgain, givenBackAt }) => hasFailedAgain && givenBackAt === undefined,
  );
  const isOnlyThat = ({ telling }: DeliveryRow) => telling?.isOnlyRecovery === true;
  await holdBack(tx, untrue.filter(isOnlyThat), SUPERSEDED);
  for (const row of untrue.filter((each) => !isOnlyThat(each))) {
    const plain = Object.assign({}, row.telling, { occasion: undefined });
    await updateRows(tx, [row], sql`recovery_of = NULL, telling = ${plain}`);
  }
  return untrue.length > 0;
}

interface GivenBack {
  /** Its age begins anew; else the time since its last write counts as waiting. */
  readonly countsAnew: boolean;
  readonly givenBackAt?: number;
  /** The bulk redelivery that gives it back: it is sent after all others. */
  readonly bulkId?: number | undefined;
  /** How it is rendered from now on; left out: as before. */
  readonly telling?: Telling | undefined;
}

/** Makes deliveries of any state pending, taken over and due at once. A running attempt keeps its claim. @param what as of `updateRows` */
export function makePending<What extends HistoryWhat>(
  tx: Tx,
  rows: readonly Changed[],
  { countsAnew, givenBackAt, bulkId, telling }: GivenBack,
  what?: What,
  entry?: HistoryEntries[What],
): Promise<void> {
  const { now } = tx;
  const age = countsAnew
    ? sql`counts_from = ${now}, waited_ms = 0`
    : sql`waited_ms = waited_ms + ${now} - updated_at`;
  const bulk = givenBackAt === undefined ? sql`bulk_id` : sql`${bulkId}`;
  const pending = sql`
    state = 'pending', reason = NULL, held_until = NULL, snooze_id = NULL, summary_id = NULL,
    error_class = NULL, error_code = NULL, last_error = NULL, owner = CASE WHEN state = 'pending' THEN owner END,
    is_taken_over = 1, due_at = ${now}, updated_at = ${now}, ${age},
    given_back_at = coalesce(${givenBackAt}, given_back_at), telling = coalesce(${telling}, telling),
    is_bulk = ${bulkId !== undefined}, bulk_id = ${bulk}`;
  return updateRows(tx, rows, pending, what, { entry });
}

/** Takes over also deliveries that are being attempted: if the attempt fails, they are due at once. @throws {Error} the store has lost one of them */
export async function takeOver(tx: Tx, deliveries: readonly DeliveryName[]): Promise<void> {
  await checkNamed(tx, deliveries);
  const ids = deliveries.map(({ id }) => id);
  const rows = await tx.all<{ id: number; callbackId: number }>(sql`
    UPDATE deliveries SET is_taken_over = 1, due_at = CASE WHEN due_at > ${tx.now} THEN ${tx.now} ELSE due_at END
    WHERE id IN (
      SELECT id FROM deliveries WHERE id IN (${join(ids)}) AND state = 'pending' AND is_taken_over = 0 ORDER BY id ${tx.forUpdate})
    RETURNING id, callback_id`);
  await writeHistoryOf(tx, rows, 'taken_over');
}

/** @throws {Error} the store has lost one of these deliveries, as in a crash; another one may have its id */
export async function checkNamed(tx: Tx, deliveries: readonly DeliveryName[]): Promise<void> {
  const ids = join(deliveries.map(({ id }) => id));
  const rows = await tx.all<DeliveryName>(
    sql`SELECT id, destination, (${RECEIVED_AT}) AS received_at FROM deliveries WHERE id IN (${ids})`,
  );
  findNamed(rows, deliveries);
}

/** @returns the rows of these deliveries, in their order @throws {Error} as `checkNamed` */
export function findNamed<Row extends DeliveryName>(
  rows: readonly Row[],
  deliveries: readonly DeliveryName[],
): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return deliveries.map((delivery) => {
    const row = byId.get(delivery.id);
    if (row === undefined || !isSame(row, delivery))
      throw new Error(
        `the store has lost what it knew of ${delivery.destination}, as in a crash: post it again`,
      );
    return row;
  });
}

/** Claims the callback's unclaimed pending deliveries. Skips rows that another transaction has locked. @returns ids */
export function claimDeliveriesOf(tx: Tx, callbackId: number): Promise<readonly number[]> {
  return idsOf(
    tx,
    sql`UPDATE deliveries SET owner = ${tx.owner}
    WHERE id IN (
      SELECT id FROM deliveries
      WHERE callback_id = ${callbackId} AND state = 'pending' AND ${IS_IDLE} ORDER BY id ${tx.skipLocked})
    RETURNING id`,
  );
}
