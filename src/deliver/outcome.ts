/** How deliveries stand after their attempts, and what the service is answered: pure, so that every row of the answer table has a test. */
import type { DeliveryFailure } from '../channels/failure.ts';
import type {
  AttemptRecord,
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryState,
  DeliveryUpdate,
} from '../ledger/ledger.ts';
import type { SendResult } from './sender.ts';
import type { DeliverySettings } from './settings.ts';

/** First wait of a delivery that Botbell retries by itself; doubles with each attempt, up to the longest one. */
const OWN_BACKOFF_BASE_MS = 15_000;
const OWN_BACKOFF_LONGEST_MS = 15 * 60_000;
const OWN_BACKOFF_SHORTEST_MS = 1000;

export interface OutcomeContext {
  readonly policy: Pick<DeliverySettings, 'permanentAttempts' | 'takeOverAfterMs' | 'giveUpAfterMs'>;
  /** In [0, 1): spreads the retries of many. */
  readonly random: number;
}

export function updateAfter(
  record: DeliveryRecord,
  sent: SendResult,
  context: OutcomeContext,
): DeliveryUpdate {
  const attempts = record.attempts + sent.attempts.length;
  if ('receipt' in sent.outcome) {
    const { receipt, isFollowed } = sent.outcome;
    return updateOf(record, { state: 'delivered', attempts, lastError: undefined, receipt, isFollowed });
  }
  const last = sent.attempts.at(-1)?.outcome;
  const lastError = last !== undefined && 'failure' in last ? errorOf(last.failure) : record.lastError;
  // Nobody's fault, and Botbell's own to attempt as soon as its turn comes.
  if ('deferred' in sent.outcome) return updateOf(record, { attempts, lastError, isTakenOver: true });
  const { failure } = sent.outcome;
  const failed = updateOf(record, { attempts, lastError: errorOf(failure) });
  if (isGivenUp(record, failure, context)) return { ...failed, state: 'dead' };
  const isTakenOver = record.isTakenOver || isAllowanceSpent(record, failure, context);
  return { ...failed, isTakenOver, dueInMs: dueIn(record, attempts, isTakenOver, context) };
}

/** Pending and due as it stands, but for the changes. */
export function updateOf(
  { id, attempts, failedAnswers, lastError, receipt, isFollowed, isTakenOver }: DeliveryRecord,
  changes: Partial<DeliveryUpdate>,
): DeliveryUpdate {
  // What was told before, and is to be told again, has its receipt until there is another.
  const kept = { id, attempts, failedAnswers, lastError, receipt, isTakenOver };
  const followed = isFollowed === true ? { isFollowed } : {};
  return { ...kept, ...followed, state: 'pending', dueInMs: 0, ...changes };
}

/** Of what no retry soon cures, a wrong config may still be mended; a message that cannot pass never will. */
function isGivenUp(record: DeliveryRecord, failure: DeliveryFailure, context: OutcomeContext): boolean {
  if (record.ageMs >= context.policy.giveUpAfterMs) return true;
  return failure.class === 'permanent' && (record.isTakenOver || isAllowanceSpent(record, failure, context));
}

/** Whether it has failed lastingly for as many answers as that is worth. */
function isAllowanceSpent(
  { failedAnswers }: DeliveryRecord,
  failure: DeliveryFailure,
  { policy }: OutcomeContext,
): boolean {
  return isLasting(failure.class) && failedAnswers >= policy.permanentAttempts;
}

/** The last attempt is made when it is to be given up, not later. */
function dueIn(
  { ageMs }: DeliveryRecord,
  attempts: number,
  isTakenOver: boolean,
  { policy, random }: OutcomeContext,
): number {
  const wait = isTakenOver ? backoffMs(attempts, random) : policy.takeOverAfterMs;
  return Math.min(wait, policy.giveUpAfterMs - ageMs);
}

function isLasting(failureClass: DeliveryFailure['class']): boolean {
  return failureClass === 'permanent' || failureClass === 'config';
}

/** A non-2xx answer given while this failed lastingly is one of the few that such a failure is worth. */
export function withRefusal(update: DeliveryUpdate): DeliveryUpdate {
  const isAsked = update.state === 'pending' && !update.isTakenOver;
  const isCounted = isAsked && update.lastError !== undefined && isLasting(update.lastError.class);
  return isCounted ? { ...update, failedAnswers: update.failedAnswers + 1 } : update;
}

export function errorOf(failure: DeliveryFailure): DeliveryError {
  const { class: failureClass, code, message, quote } = failure;
  const error = { class: failureClass, code, message };
  return quote === undefined ? error : { ...error, quote };
}

/** What the ledger keeps of each attempt. */
export function attemptRecords({ id }: DeliveryRecord, sent: SendResult): AttemptRecord[] {
  return sent.attempts.map(({ startedAt, durationMs, outcome }) => {
    const error = 'failure' in outcome ? errorOf(outcome.failure) : undefined;
    return { deliveryId: id, startedAt, durationMs, outcome: error?.class ?? 'delivered', error };
  });
}

/**
 * How long Botbell waits before it retries by itself: exponential with full jitter, so that what failed together does
 * not come back together.
 * @param attempts made so far, at least 1
 * @param random in [0, 1)
 */
export function backoffMs(attempts: number, random: number): number {
  const longest = Math.min(OWN_BACKOFF_BASE_MS * 2 ** Math.max(0, attempts - 1), OWN_BACKOFF_LONGEST_MS);
  return Math.max(OWN_BACKOFF_SHORTEST_MS, Math.round(longest * random));
}

/** A delivery as this request leaves it. */
export interface Standing {
  readonly record: DeliveryRecord;
  /** Undefined: not tried in this request, or not to its end. */
  readonly sent: SendResult | undefined;
  /** Still being tried, by this request or by somebody else. */
  readonly isBeingMade: boolean;
}

export interface AnsweredDelivery {
  readonly destination: string;
  readonly state: DeliveryState;
  readonly error?: string;
}

export interface Verdict {
  readonly status: 200 | 502 | 504;
  readonly result: CallbackResult;
  readonly deliveries: readonly AnsweredDelivery[];
  /** What the ledger must learn about the deliveries that were tried. */
  readonly updates: readonly DeliveryUpdate[];
}

export function judge(
  standings: readonly Standing[],
  isSuperseded: boolean,
  context: OutcomeContext,
): Verdict {
  const closed = standings.map((standing) => close(standing, context));
  const status = statusOf(closed);
  const updates = closed.map(({ update }) => update).filter((update) => update !== undefined);
  return {
    status,
    result: resultOf(status, closed, isSuperseded),
    deliveries: closed.map((each) => answered(each, status)),
    updates: status === 200 ? updates : updates.map(withRefusal),
  };
}

/** The answer to a callback that is written down and will be delivered later: nobody is waited for. */
export function judgeAccepted(records: readonly DeliveryRecord[], isSuperseded: boolean): Verdict {
  const closed = records.map((record) => close({ record, sent: undefined, isBeingMade: false }, undefined));
  const isOpen = records.some(({ state }) => state === 'pending');
  return {
    status: 200,
    result: isOpen ? 'accepted' : resultOf(200, closed, isSuperseded),
    deliveries: closed.map((each) => answered(each, 200)),
    updates: [],
  };
}

interface Closed extends Standing {
  readonly update: DeliveryUpdate | undefined;
  readonly state: DeliveryState;
  readonly isTakenOver: boolean;
}

function close(standing: Standing, context: OutcomeContext | undefined): Closed {
  const { record, sent } = standing;
  const update = sent === undefined || context === undefined ? undefined : updateAfter(record, sent, context);
  const { state, isTakenOver } = update ?? record;
  return { ...standing, update, state, isTakenOver };
}

/** Whatever is Botbell's own to retry is no reason to let the service retry, too. */
function statusOf(closed: readonly Closed[]): Verdict['status'] {
  const open = closed.filter(({ state, isTakenOver }) => state === 'pending' && !isTakenOver);
  if (open.some(({ isBeingMade }) => isBeingMade)) return 504;
  return open.length > 0 ? 502 : 200;
}

function resultOf(
  status: Verdict['status'],
  closed: readonly Closed[],
  isSuperseded: boolean,
): CallbackResult {
  if (status === 504) return 'timed_out';
  if (status === 502) return 'failed';
  if (isSuperseded) return 'superseded';
  if (closed.length === 0) return 'no_route';
  const states = closed.map(({ state }) => state);
  if (states.includes('dead')) return 'gave_up';
  if (states.includes('pending')) return 'taken_over';
  if (states.every((state) => state === 'held')) return 'held';
  return closed.some(({ sent }) => sent !== undefined) ? 'delivered' : 'duplicate';
}

function answered(
  { record: { destination, lastError }, update, state, isTakenOver, isBeingMade }: Closed,
  status: Verdict['status'],
): AnsweredDelivery {
  if (state === 'delivered' || state === 'held' || status === 200) return { destination, state };
  const error = isBeingMade ? undefined : (update?.lastError ?? lastError);
  if (isTakenOver && error === undefined) return { destination, state };
  return { destination, state, error: error?.message ?? 'not finished in time' };
}

/** Answered while somebody is still to be told, or never will be: a power cut must not undo that it is known. */
export function mustSurvive({ status, result }: Verdict): boolean {
  return status !== 200 || result === 'gave_up' || result === 'taken_over';
}
