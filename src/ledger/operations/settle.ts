/** Writes down what came of deliveries and what was answered: told is told, and a failure counts only while its claim lasts. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type NewHistoryRow, writeHistory } from '../history.ts';
import {
  type AnswerRecord,
  type AttemptRecord,
  type DeliveryUpdate,
  type Settled,
  type Settlement,
  SUPERSEDED,
} from '../ledger.ts';
import { keyOf } from '../keys.ts';
import { keptError, keptReceipt, type RowWithCallback, withCallbacks } from '../rows.ts';
import { raise } from './alerts.ts';
import { nextOfJobs } from './deliveries.ts';
import { tellSummarised } from '../signal/holds.ts';
import { lock, lockJobsOf } from './locks.ts';

/** @param isRepeated the first try was not answered and may have been committed: nothing is written where everybody of it is told already */
export async function settle(tx: Tx, settlement: Settlement, isRepeated = false): Promise<Settled> {
  const { callbackId, attempts, deliveries, answer, refused = [] } = settlement;
  if (isRepeated && !(await isAnyUntold(tx, deliveries))) return { due: [] };
  // Who is told needs no look at how it stood.
  const isAllTold = deliveries.every(({ state }) => state === 'delivered');
  const lookedAt = isAllTold ? [] : deliveries.map(({ id }) => id);
  await lockJobsOf(tx, lookedAt);
  const times = answer === undefined ? 1 : await writeAnswer(tx, callbackId, answer);
  await lock(tx, { deliveryIds: lookedAt });
  const rows = new Map((await withCallbacks(tx, lookedAt)).map((row) => [row.id, row]));
  await countRefused(tx, refused);
  const ended = await tell(tx, deliveries);
  const decisions = deliveries.flatMap((update) => decide(rows.get(update.id), update, tx) ?? []);
  for (const decision of decisions) await writeDecision(tx, decision);
  const transitions = decisions.flatMap(entriesOf);
  const isShown = isWorthWriting(times, attempts);
  await writeHistory(tx, [
    ...(isShown ? attempts.map((attempt) => attemptEntry(callbackId, attempt)) : []),
    ...transitions,
    ...(isShown && answer !== undefined ? [answerEntry(callbackId, answer)] : []),
  ]);
  return { due: [...new Set(await dueAfter(tx, ended, decisions))] };
}

/** Where something is due now that deliveries have ended: their alerts, and what comes next in their jobs. */
export async function dueAfter(
  tx: Tx,
  told: readonly number[],
  decisions: readonly Decision[],
): Promise<readonly string[]> {
  const alerted = await raise(
    tx,
    decisions.flatMap(({ alert, row }) => (alert === undefined ? [] : { ...alert, about: row.callbackId })),
  );
  const ended = decisions.flatMap(({ state, row }) => (state === 'pending' ? [] : row.id));
  return [...alerted, ...(await nextOfJobs(tx, [...told, ...ended]))];
}

async function isAnyUntold(tx: Tx, updates: readonly DeliveryUpdate[]): Promise<boolean> {
  if (updates.length === 0) return true;
  const ids = updates.map(({ id }) => id);
  const untold = await tx.first(
    sql`SELECT id FROM deliveries WHERE id IN (${join(ids)}) AND state <> 'delivered' LIMIT 1`,
  );
  return untold !== undefined;
}

/** @returns how often the callback has come; 0: it was forgotten meanwhile */
async function writeAnswer(tx: Tx, callbackId: number, { result }: AnswerRecord): Promise<number> {
  const row = await tx.first<{ timesReceived: number }>(
    sql`UPDATE callbacks SET result = ${result} WHERE id = ${callbackId} RETURNING times_received`,
  );
  return row?.timesReceived ?? 0;
}

/** Of a callback that comes again and again; whoever reads its history has seen enough by then. */
const MOST_ANSWERS = 1000;

function isWorthWriting(times: number, attempts: readonly AttemptRecord[]): boolean {
  if (times === 0) return false;
  return times <= MOST_ANSWERS || attempts.some(({ outcome }) => outcome === 'delivered');
}

async function countRefused(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await tx.all(sql`UPDATE deliveries SET refusals = refusals + 1 WHERE id IN (${join(ids)})`);
}

/** Whoever has the claim by now: somebody was told. @returns ids of those that have something pending in their jobs */
async function tell(tx: Tx, updates: readonly DeliveryUpdate[]): Promise<readonly number[]> {
  const withNext: number[] = [];
  for (const update of updates.toSorted((a, b) => a.id - b.id))
    if (update.state === 'delivered' && (await tellOne(tx, update))) withNext.push(update.id);
  return withNext;
}

/** @returns whether something of its job is pending there */
async function tellOne(tx: Tx, { id, attempts, receipt }: DeliveryUpdate): Promise<boolean> {
  const kept = receipt && keptReceipt(receipt);
  const row = await tx.first<{ callbackId: number; hasOthers: boolean; isSummary: boolean }>(sql`
    UPDATE deliveries SET state = 'delivered', attempts = ${attempts}, error_class = NULL, error_code = NULL,
      last_error = NULL, receipt = ${kept}, reason = NULL, held_until = NULL, owner = NULL,
      claimed_until = NULL, updated_at = ${tx.now}
    WHERE id = ${id} AND state <> 'delivered'
    RETURNING callback_id, EXISTS (
      SELECT 1 FROM deliveries AS held WHERE held.summary_id = deliveries.callback_id) AS is_summary, EXISTS (
      SELECT 1 FROM deliveries AS other WHERE other.state = 'pending' AND other.job_key = deliveries.job_key
        AND other.destination = deliveries.destination AND other.id <> deliveries.id) AS has_others`);
  if (row?.isSummary === true) await tellSummarised(tx, row.callbackId, kept);
  return row?.hasOthers === true;
}

function attemptEntry(callbackId: number, attempt: AttemptRecord): NewHistoryRow {
  const { deliveryId, startedAt, durationMs, outcome, error } = attempt;
  return {
    callbackId,
    what: 'attempt',
    deliveryId,
    at: startedAt,
    result: outcome,
    entry: { startedAt, durationMs: Math.round(durationMs), error: error && keptError(error) },
  };
}

function answerEntry(
  callbackId: number,
  { receivedAt, answeredAt, status, result }: AnswerRecord,
): NewHistoryRow {
  return { callbackId, what: 'answered', at: answeredAt, result, entry: { receivedAt, status } };
}

/** What is to be written of a delivery, and the alert that is to be raised. */
export interface Decision extends Pick<DeliveryUpdate, 'state' | 'reason' | 'heldUntil' | 'alert'> {
  readonly row: RowWithCallback;
  readonly update: DeliveryUpdate;
  readonly isTakenOver: boolean;
  readonly alertedCause: string | undefined;
}

/** @returns undefined: somebody is told, or the claim was lost, so that it does not count */
export function decide(
  row: RowWithCallback | undefined,
  update: DeliveryUpdate,
  { owner }: Pick<Tx, 'owner'>,
): Decision | undefined {
  if (row === undefined || update.state === 'delivered') return undefined;
  if (row.state !== 'pending' || row.owner !== owner) return undefined;
  const isTakenOver = row.isTakenOver || update.isTakenOver;
  const { alertedCause } = row;
  const decided = { row, update, isTakenOver, alertedCause };
  if (update.state === 'pending' && row.isLateStart) return { ...decided, state: 'held', reason: SUPERSEDED };
  const { state, reason, heldUntil, alert } = update;
  const told = { ...decided, state, reason, heldUntil };
  if (alert === undefined) return told;
  // What lasts is told once for each delivery: the next failure of the same cause tells nobody anything new.
  const cause = keyOf(alert.cause);
  const isNew = state !== 'pending' || cause !== alertedCause;
  return { ...told, alertedCause: cause, alert: isNew ? alert : undefined };
}

/** What somebody else has taken over meanwhile is not the service's to retry: it is due at once. */
function dueAt({ row, update: { isTakenOver, dueInMs = row.dueInMs } }: Decision, now: number): number {
  return row.isTakenOver && !isTakenOver ? now : now + dueInMs;
}

/** How it stands from now on, where that is another state. */
export function entriesOf(decision: Decision): readonly NewHistoryRow[] {
  const { row, update, state, reason, heldUntil, isTakenOver } = decision;
  const about = { callbackId: row.callbackId, deliveryId: row.id };
  if (state === 'held') {
    return [{ ...about, what: 'held', result: reason ?? '', entry: { endsAt: heldUntil } }];
  }
  if (state === 'dead') {
    return [{ ...about, what: 'dead', result: reason ?? update.lastError?.class ?? '' }];
  }
  return isTakenOver && !row.isTakenOver ? [{ ...about, what: 'taken_over' }] : [];
}

export async function writeDecision(tx: Tx, decision: Decision): Promise<void> {
  const { row, update, state, reason, heldUntil, isTakenOver, alertedCause } = decision;
  const error = update.lastError && keptError(update.lastError);
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${update.attempts}, error_class = ${error?.class},
      error_code = ${error?.code}, last_error = ${error}, receipt = ${update.receipt && keptReceipt(update.receipt)},
      reason = ${reason}, held_until = ${heldUntil}, owner = NULL, claimed_until = NULL,
      is_taken_over = ${isTakenOver}, due_at = ${dueAt(decision, tx.now)}, alerted_cause = ${alertedCause},
      updated_at = ${tx.now}
    WHERE id = ${row.id}`);
}
