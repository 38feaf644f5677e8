/** Writes an arrival and its deliveries before any attempt, and says which deliveries the caller is to attempt. */
import sql from 'sql-template-tag';
import { onlyRow, shared, type Tx } from '../database.ts';
import { MOST_TIMES, writeHistory } from './history.ts';
import type { Admission, CallbackResult, DecidedTarget, DeliveryState } from '../ledger.ts';
import {
  callbackIn,
  deliveriesOf,
  EXECUTING,
  lockBursts,
  lockJob,
  deliveriesById,
} from '../deliveries/rows.ts';
import { type AdmitArgs, writeCallback, resultOf } from './write-callback.ts';
import { bodiesOf, correctTellings } from '../deliveries/claim.ts';
import { updateBotIncident } from '../incidents/results.ts';
import { decideTargets } from '../timers/admission.ts';
import { beginTimers, overdueTimers } from '../timers/timers.ts';
import { claimDeliveriesOf, insertRows, supersede } from '../deliveries/deliveries.ts';
import { answerEntry, writeAnswer } from '../deliveries/settle.ts';

/** @throws {LedgerFull} the store is full, and the callback is new */
export async function admit(tx: Tx, args: AdmitArgs): Promise<Admission> {
  const [nextId, ofJob] = await lockAndReadJob(tx, args);
  const { id: callbackId, timesReceived, receivedAt } = await writeCallback(tx, args, ofJob.hasAlike, nextId);
  const isNew = timesReceived === 1;
  const isLateStart = args.status === EXECUTING && ofJob.hasResult;
  if (!ofJob.isFirstOfJob && args.status !== EXECUTING)
    await supersede(
      tx,
      sql`callback_id IN (
        SELECT id FROM callbacks WHERE job_id = ${args.jobId} AND bot_key = ${args.botKey} AND status = ${EXECUTING})`,
    );
  const entered = { id: callbackId, receivedAt, timesReceived, isLateStart, ofJob };
  const taken = isNew ? await admitNew(tx, args, entered) : await admitAgain(tx, args, entered);
  return {
    callbackId,
    callback: taken.callback,
    isNew,
    timesReceived,
    firstReceivedAt: receivedAt,
    asOf: tx.now,
    isSuperseded: taken.isSuperseded,
    isAnswered: taken.isAnswered,
    deliveries: taken.deliveries,
  };
}

type Taken = Pick<Admission, 'callback' | 'deliveries' | 'isAnswered' | 'isSuperseded'>;

async function admitNew(tx: Tx, args: AdmitArgs, entered: Entered): Promise<Taken> {
  const { jobKey, botKey, error, isAccepted, isClaimed } = args;
  const { id: callbackId, receivedAt } = entered;
  const { isFirstOfJob } = entered.ofJob;
  const targets = await targetsOf(tx, args, entered);
  const states = targets.map(({ reason }) => (reason === undefined ? 'pending' : 'held'));
  const result = resultAtOnce(args, entered, states);
  const insert = () => {
    const inserting = insertRows(tx, {
      callbackId,
      receivedAt,
      jobKey,
      errorOf: error === null ? undefined : botKey,
      targets,
      isNew: true,
      isAnswered: result === 'accepted',
      isFirstOfJob,
      isClaimed,
      // Accepted deliveries are taken over from the start, since the service does not retry them.
      takenOverInMs: isAccepted ? undefined : args.takeOverAfterMs,
    });
    if (result === undefined || result === 'accepted') return inserting;
    return Promise.all([inserting, writeResult(tx, entered, result)]).then(([deliveries]) => deliveries);
  };
  const deliveries = await commitWithInserts(tx, entered, targets, insert);
  const isAnswered = result !== undefined;
  return { deliveries, callback: args.callback, isAnswered, isSuperseded: isSuperseded(entered, states) };
}

/** Sends COMMIT with the inserts, unless statements follow them: the history row of a held delivery; what a later callback of its job, or a recovery, is behind. */
function commitWithInserts<Result>(
  tx: Tx,
  { ofJob }: Entered,
  targets: readonly DecidedTarget[],
  insert: () => Promise<Result>,
): Promise<Result> {
  const isMore = ({ reason, recoveryOf }: DecidedTarget) => reason !== undefined || recoveryOf !== undefined;
  return !ofJob.isFirstOfJob || targets.some(isMore) ? insert() : tx.commitWith(insert);
}

async function admitAgain(tx: Tx, args: AdmitArgs, entered: Entered): Promise<Taken> {
  const { id, isLateStart, timesReceived } = entered;
  if (isLateStart) await supersede(tx, sql`callback_id = ${id}`);
  const own = isLateStart || args.isAccepted ? [] : await claimDeliveriesOf(tx, id);
  await correctTellings(tx, await deliveriesById(tx, own));
  const rows = await deliveriesOf(tx, [id]);
  const deliveries = rows.map((row) =>
    own.includes(row.id) && row.state === 'pending' ? { ...row, claim: 'own' as const } : row,
  );
  if (timesReceived <= MOST_TIMES)
    await writeHistory(tx, [{ callbackId: id, what: 'received', entry: { times: timesReceived } }]);
  const states = deliveries.map(({ state }) => state);
  const result = resultAtOnce(args, entered, states);
  if (result !== undefined) await writeResult(tx, entered, result);
  const isToAttempt = deliveries.some(({ claim }) => claim === 'own');
  const first = isToAttempt ? (await bodiesOf(tx, [{ callbackId: id }])).get(id) : undefined;
  return {
    deliveries,
    callback: first ? callbackIn(first) : args.callback,
    isAnswered: result !== undefined,
    isSuperseded: isSuperseded(entered, states),
  };
}

/** The answer of a callback that waits for no attempt: it is accepted, or has no deliveries. Undefined: it waits. */
function resultAtOnce(
  { isAccepted }: AdmitArgs,
  entered: Entered,
  states: readonly DeliveryState[],
): CallbackResult | undefined {
  if (!isAccepted && states.length > 0) return undefined;
  return resultOf(states, { isSuperseded: isSuperseded(entered, states), isAccepted });
}

/** Writes an answer; `insertRows` writes `accepted`, in the row of a new callback's first delivery. */
async function writeResult(tx: Tx, { id, receivedAt, timesReceived }: Entered, result: CallbackResult) {
  const answer = { arrivedAt: tx.monotonic, answeredAt: tx.monotonic, status: 200, result } as const;
  await Promise.all([
    writeAnswer(tx, { callbackId: id, receivedAt }, answer),
    timesReceived <= MOST_TIMES ? writeHistory(tx, [answerEntry(tx, id, answer)]) : undefined,
  ]);
}

/** If all its deliveries succeeded before the result came, there was nothing to supersede. */
function isSuperseded({ isLateStart }: Entered, states: readonly DeliveryState[]): boolean {
  const isToldToAll = states.length > 0 && states.every((state) => state === 'delivered');
  return isLateStart && !isToldToAll;
}

/** A callback whose job is locked and whose row is written. */
interface Entered {
  readonly id: number;
  /** When it came first. */
  readonly receivedAt: number;
  readonly timesReceived: number;
  readonly isLateStart: boolean;
  readonly ofJob: OfJob;
}

interface OfJob {
  readonly isFirstOfJob: boolean;
  /** Another callback of the same status came before. */
  readonly hasAlike: boolean;
  readonly hasResult: boolean;
  readonly hasSnoozes: boolean;
  /** The BOT has an open incident. */
  readonly hasIncident: boolean;
}

const askingJob = shared('text text text text integer text text bigint text');

/**
 * Locks the job until the transaction ends. @returns the next callback's id, as `lockJob`, and what is known of the job. Callbacks are looked
 * for with LIMIT 1: for EXISTS, PostgreSQL may read all of them while its statistics are old. `kind || ''` keeps it from the index of BOTs.
 * The cast spares SQLite planning the statement each time: it compares a bare parameter's value with the status of a partial index.
 */
async function lockAndReadJob(tx: Tx, { jobKey, jobId, botKey, status, asking }: AdmitArgs) {
  const locking = lockJob(tx, jobKey);
  const others = asking.mayCount ? lockBursts(tx) : undefined;
  const reading = tx.all<OfJob>(askingJob`
      SELECT /*nr*/
        (SELECT id FROM callbacks WHERE job_id = ${jobId} AND bot_key = ${botKey} AND kind || '' = 'callback' LIMIT 1) IS NULL AS is_first_of_job,
        (SELECT id FROM callbacks WHERE job_id = ${jobId} AND bot_key = ${botKey} AND status = CAST(${status} AS INTEGER) AND kind || '' = 'callback'
          LIMIT 1) IS NOT NULL AS has_alike,
        (SELECT id FROM callbacks WHERE job_id = ${jobId} AND bot_key = ${botKey} AND status IN (0, 1) AND kind || '' = 'callback'
          LIMIT 1) IS NOT NULL AS has_result,
        EXISTS (SELECT 1 FROM snoozes WHERE until_at > ${tx.now}) AS has_snoozes,
        EXISTS (SELECT 1 FROM incidents WHERE kind = 'bot' AND subject_key = ${botKey} AND over_at IS NULL) AS has_incident
      /*from given*/`);
  const [next] = locking === undefined ? [] : await Promise.all([locking, others, reading]);
  return [next?.id, onlyRow(await reading)] as const;
}

/** The destinations of a new callback, with what the rules have decided and its BOT's incident says. */
function targetsOf(
  tx: Tx,
  args: AdmitArgs,
  { id: callbackId, isLateStart, ofJob: { isFirstOfJob, hasSnoozes, hasIncident } }: Entered,
): readonly DecidedTarget[] | Promise<readonly DecidedTarget[]> {
  const { asking, status } = args;
  const withIncident = (targets: readonly DecidedTarget[]) =>
    updateBotIncident(tx, args, { callbackId, hasIncident }, targets);
  if (isLateStart) return withIncident([]);
  if (asking.isPlain && !hasSnoozes) return withIncident(asking.planned);
  const arrived = { callbackId, receivedAt: tx.now, hasSnoozes };
  const isBegun = status === EXECUTING && isFirstOfJob;
  const timers = isBegun ? overdueTimers({ ...args, ...arrived }, asking.overdueMs) : [];
  return beginTimers(tx, timers)
    .then(() => decideTargets(tx, { planned: asking.planned, watched: asking, ...args, ...arrived }))
    .then(withIncident);
}
