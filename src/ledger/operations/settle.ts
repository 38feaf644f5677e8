/** Writes down what came of deliveries and what was answered: told is told, and a failure counts only while its claim lasts. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type NewHistoryRow, writeHistory } from '../history.ts';
import type { AnswerRecord, AttemptRecord, DeliveryUpdate, Settled, Settlement } from '../ledger.ts';
import { LONGEST_TEXT, receiptJson, withCallbacks } from '../rows.ts';
import { shortText } from '../../text/cut.ts';
import { raise } from './alerts.ts';
import { nextOfJobs } from './deliveries.ts';
import { lock, lockJobsOf } from './locks.ts';
import { decide, type Decision, entriesOf, writeDecision } from './outcome-rows.ts';

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
  const kept = receipt === undefined ? null : receiptJson(receipt);
  const row = await tx.first<Told>(sql`
    UPDATE deliveries SET state = 'delivered', attempts = ${attempts}, error_class = NULL, error_code = NULL,
      error_message = NULL, receipt = ${kept}, hold_code = NULL, hold_details = NULL, hold_until = NULL, owner = NULL,
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
    entry: {
      startedAt,
      durationMs: Math.round(durationMs),
      error: error && {
        code: shortText(error.code, LONGEST_TEXT),
        message: shortText(error.message, LONGEST_TEXT),
        ...(error.japanese !== undefined && { japanese: shortText(error.japanese, LONGEST_TEXT) }),
      },
    },
  };
}

function answerEntry(
  callbackId: number,
  { receivedAt, answeredAt, status, result }: AnswerRecord,
): NewHistoryRow {
  return { callbackId, what: 'answered', at: answeredAt, result, entry: { receivedAt, status } };
}
