/** Writes the outcomes of deliveries, and the answer. A success always counts; a failure counts only while this process owns the delivery. */
import sql from 'sql-template-tag';
import { shared, storedTime, type Tx } from '../database.ts';
import { MOST_TIMES, type NewHistoryRow, writeHistory } from '../callbacks/history.ts';
import {
  type AnswerRecord,
  type AttemptRecord,
  type DeliveryUpdate,
  type Settlement,
  SUPERSEDED,
} from '../ledger.ts';
import { shortened, lockJobsOf, lockRow, lockWithoutJobs, type DeliveryRow, deliveriesById } from './rows.ts';
import { raiseAlerts } from '../incidents/telling.ts';
import { recordFailureSign } from '../incidents/results.ts';
import { markSummarised } from './holds.ts';
import { checkNamed, findNamed } from './deliveries.ts';
import { isLasting, noteFailedAttempts } from './failing.ts';

/**
 * Writes a success once, however often it is called: the caller may not have heard that the first call was committed.
 * @returns whether Botbell has something to attempt now because of it: the delivery, or an alert; undefined: the success is written, but not
 * the answer, so the caller has to call again, without attempts
 * @throws {Error} the store has lost the callback or the delivery, as in a crash; nothing is written
 */
export async function settle(tx: Tx, settlement: Settlement): Promise<boolean | undefined> {
  const { update } = settlement;
  if (update !== undefined && !isPlain(settlement)) return settleFailure(tx, settlement, update);
  const isAtOnce = firstSuccess(settlement) !== undefined && deliveredAnswer(settlement) !== undefined;
  if (update === undefined || !isAtOnce) return settlePlain(tx, settlement);
  // On the plain course one statement writes success and answer; if the callback has come again, it does not write the answer.
  const row = await tx.commitWith(() => updateDelivered(tx, update, settlement));
  return row?.timesReceived === 1 ? false : undefined;
}

async function settleFailure(tx: Tx, settlement: Settlement, update: DeliveryUpdate): Promise<boolean> {
  const { answer, attempts } = settlement;
  // Locked before it is read, since the decision depends on what it was.
  await lockJobsOf(tx, [update.id]);
  const times = answer === undefined ? 1 : await writeAnswer(tx, settlement, answer);
  await lockWithoutJobs(tx, [update.id]);
  const [row] = findNamed(await deliveriesById(tx, [update.id]), [update]);
  const decision = decide(row, update, tx);
  if (decision !== undefined) await writeDecision(tx, decision);
  const [made, answered] = historyOf(tx, settlement, times);
  await writeHistory(tx, [...made, ...(decision === undefined ? [] : entryOf(decision)), ...answered]);
  if (decision === undefined) return false;
  const raised = await recordFailureSign(tx, decision);
  await noteFailedAttempts(tx, attempts, decision);
  const isAlerted = raised !== undefined && (await raiseAlerts(tx, sql`id = ${raised}`));
  const { state, isTakenOver, dueInMs } = decision;
  return isAlerted || (state === 'pending' && isTakenOver && dueInMs === 0);
}

/** Whether writing it depends on no other rows: a success, a delivery taken over without an attempt, or an answer alone. */
export function isPlain({ update }: Settlement): boolean {
  return update === undefined || update.state === 'delivered' || isUnattempted(update);
}

function isUnattempted({ state, attempts, isTakenOver }: DeliveryUpdate): boolean {
  return state === 'pending' && attempts === 0 && isTakenOver;
}

async function settlePlain(tx: Tx, settlement: Settlement): Promise<boolean> {
  const { callbackId, answer } = settlement;
  const [, told, isDue] = await Promise.all([
    answer && lockRow(tx, callbackId),
    writeSuccess(tx, settlement),
    takeOverUnattempted(tx, settlement),
  ]);
  const isAnswered = deliveredAnswer(settlement) !== undefined && told?.timesReceived === 1;
  const isToAnswer = answer !== undefined && !isAnswered;
  const times = isToAnswer ? await writeAnswer(tx, settlement, answer) : 1;
  const [made, answered] = historyOf(tx, settlement, times);
  await writeHistory(tx, [...(told === undefined ? [] : made), ...(isToAnswer ? answered : [])]);
  return isDue;
}

/** The answer that the success's statement writes: `delivered`, with which all have been told. */
function deliveredAnswer({ answer }: Settlement): AnswerRecord | undefined {
  return answer?.result === 'delivered' ? answer : undefined;
}

const takingOver = shared('bigint bigint text text bigint');
const takingBack = shared('bigint bigint bigint text text bigint');

/** Takes over a delivery that this process has claimed and not attempted, and ends the claim. @returns whether it did */
async function takeOverUnattempted(tx: Tx, { update }: Settlement): Promise<boolean> {
  if (update === undefined || update.state === 'delivered') return false;
  const { now, owner } = tx;
  const { id, destination, receivedAt, dueInMs } = update;
  const dueAt = dueInMs === undefined ? undefined : now + dueInMs;
  const [, row] = await Promise.all([
    tx.all(takingOver`
      INSERT INTO history (callback_id, at, what, delivery_id)
      SELECT deliveries.callback_id, ${now}, 'taken_over', deliveries.id FROM deliveries /*, given*/
      WHERE deliveries.id = ${id} AND destination = ${destination} AND state = 'pending' AND owner = ${owner} AND is_taken_over = 0
        AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt}`),
    tx.first(takingBack`
      UPDATE deliveries SET is_taken_over = 1, owner = NULL, updated_at = ${now}, due_at = coalesce(${dueAt}, due_at)
      /*from given*/
      WHERE deliveries.id = ${id} AND destination = ${destination} AND state = 'pending' AND owner = ${owner}
        AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt}
      RETURNING /*nr*/ deliveries.id`),
  ]);
  // It has ended or its claim was lost; if the store has lost it, `checkNamed` throws.
  if (row === undefined) await checkNamed(tx, [update]);
  return row !== undefined;
}

/** The rows of history for the attempts, and for the answer. @param times how often the callback has come */
function historyOf(tx: Tx, settlement: Settlement, times: number) {
  const { callbackId, update, attempts, answer } = settlement;
  const isWorthWriting = times <= MOST_TIMES || attempts.some(({ outcome }) => outcome === 'delivered');
  if (!isWorthWriting) return [[], []] as const;
  const made = attempts.map((attempt): NewHistoryRow => {
    const { durationMs, outcome: result, error } = attempt;
    const entry = { durationMs: Math.round(durationMs), error: shortened(error) };
    return { callbackId, what: 'attempt', deliveryId: update?.id, at: beginOf(tx, attempt), result, entry };
  });
  const answered = answer === undefined ? [] : [answerEntry(tx, callbackId, answer)];
  return [firstSuccess(settlement) === undefined ? made : [], answered] as const;
}

function beginOf(tx: Tx, { endedAt, durationMs }: AttemptRecord): number {
  return storedTime(tx, endedAt - durationMs);
}

/** The first attempt, if it succeeded: the delivery's row records it, and history does not. */
function firstSuccess({ update, attempts }: Settlement): AttemptRecord | undefined {
  const [first, ...others] = attempts;
  const isAtOnce = update?.state === 'delivered' && update.attempts === 1 && others.length === 0;
  return isAtOnce && first?.outcome === 'delivered' ? first : undefined;
}

const answering = shared('text bigint bigint');

/** @returns how often the callback has come @throws {Error} the store has lost it */
export async function writeAnswer(
  tx: Tx,
  { callbackId, receivedAt }: Pick<Settlement, 'callbackId' | 'receivedAt'>,
  { result }: AnswerRecord,
): Promise<number> {
  const row = await tx.first<{ timesReceived: number }>(answering`
    UPDATE callbacks SET result = ${result} /*from given*/ WHERE callbacks.id = ${callbackId} AND received_at = ${receivedAt}
    RETURNING /*nr*/ times_received`);
  if (row === undefined)
    throw new Error('the store has lost the callback, as in a crash: it has to be posted again');
  return row.timesReceived;
}

/** Writes a success, even if the claim was lost: the message was sent. @returns as `updateDelivered` */
async function writeSuccess(tx: Tx, settlement: Settlement) {
  const { update } = settlement;
  if (update?.state !== 'delivered') return undefined;
  const row = await updateDelivered(tx, update, settlement);
  if (row === undefined) await checkNamed(tx, [update]);
  // A summary belongs to no job.
  else if (row.jobKey === undefined) await markSummarised(tx, row.callbackId, shortened(update.receipt));
  return row;
}

const telling = shared('integer text bigint bigint integer bigint bigint bigint text bigint');

/** Also writes its answer, unless the callback has come again. @returns undefined: it has been delivered before, or is not there */
function updateDelivered(tx: Tx, update: DeliveryUpdate, settlement: Settlement) {
  const { id, destination, receivedAt, attempts, receipt } = update;
  const [first, answer] = [firstSuccess(settlement), deliveredAnswer(settlement)];
  const toldAt = first && beginOf(tx, first);
  const tookMs = first && Math.round(first.durationMs);
  const postedAt = answer && storedTime(tx, answer.arrivedAt);
  const answeredAt = answer && storedTime(tx, answer.answeredAt);
  return tx.first<Pick<DeliveryRow, 'callbackId' | 'jobKey' | 'timesReceived'>>(telling`
    UPDATE deliveries SET state = 'delivered', attempts = ${attempts}, error_class = NULL, error_code = NULL, last_error = NULL,
      receipt = ${shortened(receipt)}, reason = NULL, held_until = NULL, owner = NULL, updated_at = ${tx.now},
      told_at = coalesce(${toldAt}, told_at), told_ms = coalesce(${tookMs}, told_ms),
      posted_at = CASE WHEN answered_at IS NULL THEN coalesce(${postedAt}, posted_at) ELSE posted_at END,
      answered_at = coalesce((SELECT CAST(${answeredAt} AS BIGINT) FROM callbacks
        WHERE callbacks.id = callback_id AND times_received = 1), answered_at)
    /*from given*/
    WHERE deliveries.id = ${id} AND destination = ${destination} AND state <> 'delivered'
      AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt}
    RETURNING /*nr*/ callback_id, job_key, (SELECT times_received FROM callbacks WHERE callbacks.id = callback_id) AS times_received`);
}

export function answerEntry(tx: Tx, callbackId: number, answer: AnswerRecord): NewHistoryRow {
  const { arrivedAt, answeredAt, status, result } = answer;
  const entry = { receivedAt: storedTime(tx, arrivedAt), status };
  return { callbackId, what: 'answered', at: storedTime(tx, answeredAt), result, entry };
}

interface Decision extends DeliveryUpdate {
  readonly row: DeliveryRow;
  readonly dueAt: number;
}

/** @returns undefined: the delivery has ended or the claim was lost, so the failure does not count */
function decide(
  row: DeliveryRow | undefined,
  update: DeliveryUpdate,
  { owner, now }: Tx,
): Decision | undefined {
  if (row?.state !== 'pending' || row.owner !== owner) return undefined;
  const { state, dueInMs = row.dueInMs } = update;
  const isTakenOver = row.isTakenOver || update.isTakenOver;
  // It was taken over while it was attempted, so the service does not retry it any more: it is due at once.
  const dueAt = row.isTakenOver && !update.isTakenOver ? now : now + dueInMs;
  const decided = { row, dueAt, ...update, isTakenOver };
  if (isGivenBack(row, update))
    return { ...decided, state: 'pending', lastError: undefined, dueAt: now, alert: undefined };
  if (state === 'pending' && row.isOutdated)
    return { ...decided, state: 'held', reason: SUPERSEDED, alert: undefined };
  return decided;
}

/** A person redelivered it while this process had it in hand without an attempt, as its last one may have arrived: it waits for nobody any more. */
function isGivenBack(row: DeliveryRow, { attempts, lastError }: DeliveryUpdate): boolean {
  return row.attempts === attempts && row.lastError === undefined && lastError?.mayHaveArrived === true;
}

function entryOf(decision: Decision): readonly NewHistoryRow[] {
  const { row, state, reason, heldUntil: endsAt, isTakenOver, lastError } = decision;
  const about = { callbackId: row.callbackId, deliveryId: row.id };
  const result = reason ?? lastError?.class ?? '';
  if (state === 'held') return [{ ...about, what: state, result, entry: { endsAt } }];
  if (state === 'dead') return [{ ...about, what: state, result, entry: { error: shortened(lastError) } }];
  return isTakenOver && !row.isTakenOver ? [{ ...about, what: 'taken_over', result: lastError?.class }] : [];
}

/** A lasting failure of a delivery that the service still retries, so its POST is answered non-2xx. */
function isRefused({ state, isTakenOver, lastError }: Decision): boolean {
  return state === 'pending' && !isTakenOver && isLasting(lastError);
}

/** Ends the claim, too. */
async function writeDecision(tx: Tx, decision: Decision): Promise<void> {
  const { id, state, attempts, reason, heldUntil, receipt, isTakenOver, dueAt } = decision;
  const error = shortened(decision.lastError);
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${attempts}, error_class = ${error?.class}, error_code = ${error?.code},
      last_error = ${error}, receipt = ${shortened(receipt)}, reason = ${reason}, held_until = ${heldUntil}, owner = NULL,
      updated_at = ${tx.now}, is_taken_over = ${isTakenOver}, due_at = ${dueAt}, refusals = refusals + ${isRefused(decision)}
    WHERE id = ${id}`);
}
