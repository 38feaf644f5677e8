/** Writes down what came of deliveries and what was answered: told is told, and a failure counts only while its claim lasts. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type NewHistoryRow, writeHistory } from '../history.ts';
import {
  type Alert,
  type AnswerRecord,
  type AttemptRecord,
  type DeliveryState,
  type DeliveryUpdate,
  type Hold,
  type Settled,
  type Settlement,
  SUPERSEDED,
} from '../ledger.ts';
import { keyOf } from '../keys.ts';
import { jsonOrNull, keptError, keptReceipt, type RowWithCallback, withCallbacks } from '../rows.ts';
import { raise } from './alerts.ts';
import { nextOfJobs } from './deliveries.ts';
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
    decisions.flatMap(({ alert, row }) => (alert === undefined ? [] : { ...alert, about: row.callback_id })),
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
  const row = await tx.first<{ times_received: number }>(
    sql`UPDATE callbacks SET result = ${result} WHERE id = ${callbackId} RETURNING times_received`,
  );
  return row?.times_received ?? 0;
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
  const told = updates.filter(({ state }) => state === 'delivered').toSorted((a, b) => a.id - b.id);
  const withNext: number[] = [];
  for (const update of told) if (await tellOne(tx, update)) withNext.push(update.id);
  return withNext;
}

interface Told {
  readonly job_key: string | null;
  readonly destination: string;
  readonly has_others: number;
}

/** @returns whether something of its job is pending there */
async function tellOne(tx: Tx, { id, attempts, receipt }: DeliveryUpdate): Promise<boolean> {
  const row = await tx.first<Told>(sql`
    UPDATE deliveries SET state = 'delivered', attempts = ${attempts}, error_class = NULL, error_code = NULL,
      error = NULL, receipt = ${jsonOrNull(receipt && keptReceipt(receipt))}, hold_code = NULL, hold_details = NULL, hold_until = NULL, owner = NULL,
      claimed_until = NULL, updated_at = ${tx.now}
    WHERE id = ${id} AND state <> 'delivered'
    RETURNING CASE WHEN EXISTS (
      SELECT 1 FROM deliveries AS other WHERE other.state = 'pending' AND other.job_key = deliveries.job_key
        AND other.destination = deliveries.destination AND other.id <> deliveries.id) THEN 1 ELSE 0 END AS has_others`);
  return row?.has_others === 1;
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
export type Decision = NonNullable<ReturnType<typeof decide>>;

/** @returns undefined: somebody is told, or the claim was lost, so that it does not count */
export function decide(
  row: RowWithCallback | undefined,
  update: DeliveryUpdate,
  { now, owner }: Pick<Tx, 'now' | 'owner'>,
) {
  if (row === undefined || update.state === 'delivered') return undefined;
  if (row.state !== 'pending' || row.owner !== owner) return undefined;
  const isSuperseded = update.state === 'pending' && row.is_late_start === 1;
  const state: DeliveryState = isSuperseded ? 'held' : update.state;
  const hold: Hold | undefined = isSuperseded ? { code: SUPERSEDED } : update.hold;
  const isOurs = row.is_ours === 1 || update.isTakenOver;
  return {
    row,
    update,
    state,
    hold,
    isOurs,
    dueAt: dueAt(row, update, now),
    ...(isSuperseded ? { alertedCause: row.alerted_cause, alert: undefined } : alertOf(row, update)),
  };
}

/** What somebody else has taken over meanwhile is not the service's to retry: it is due at once. */
function dueAt(row: RowWithCallback, { isTakenOver, dueInMs }: DeliveryUpdate, now: number): number {
  if (row.is_ours === 1 && !isTakenOver) return now;
  return dueInMs === undefined ? row.due_at : now + dueInMs;
}

/** What lasts is told once for each delivery: the next failure of the same cause tells nobody anything new. */
function alertOf(
  { alerted_cause }: RowWithCallback,
  { state, alert }: DeliveryUpdate,
): { readonly alertedCause: string | null; readonly alert: Alert | undefined } {
  if (alert === undefined) return { alertedCause: alerted_cause, alert };
  const cause = keyOf(alert.cause);
  return { alertedCause: cause, alert: state === 'pending' && cause === alerted_cause ? undefined : alert };
}

/** How it stands from now on, where that is another state. */
export function entriesOf({ row, update, state, hold, isOurs }: Decision): readonly NewHistoryRow[] {
  const about = { callbackId: row.callback_id, deliveryId: row.id };
  if (state === 'held') {
    return [{ ...about, what: 'held', result: hold?.code ?? '', entry: { endsAt: hold?.endsAt } }];
  }
  if (state === 'dead') {
    return [{ ...about, what: 'dead', result: hold?.code ?? update.lastError?.class ?? '' }];
  }
  return isOurs && row.is_ours === 0 ? [{ ...about, what: 'taken_over' }] : [];
}

export async function writeDecision(tx: Tx, decision: Decision): Promise<void> {
  const { row, update, state, hold, isOurs, alertedCause } = decision;
  const error = update.lastError && keptError(update.lastError);
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${update.attempts}, error_class = ${error?.class ?? null},
      error_code = ${error?.code ?? null}, error = ${jsonOrNull(error)},
      receipt = ${jsonOrNull(update.receipt && keptReceipt(update.receipt))}, hold_code = ${hold?.code ?? null},
      hold_details = ${jsonOrNull(hold?.details)},
      hold_until = ${hold?.endsAt ?? null}, owner = NULL, claimed_until = NULL, is_ours = ${Number(isOurs)},
      due_at = ${decision.dueAt}, alerted_cause = ${alertedCause}, updated_at = ${tx.now}
    WHERE id = ${row.id}`);
}
