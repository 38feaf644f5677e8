/** Decides what happens after a failed attempt, a delivery's state after its attempts, and a POST's answer: pure, so that every row of the answer table has a test. */
import type { DeliveryFailure } from '../channels/failure.ts';
import type { DeliveryConfig } from '../config/config.ts';
import type {
  Admission,
  Arrival,
  AttemptRecord,
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryState,
  DeliveryUpdate,
} from '../ledger/ledger.ts';
import { isLasting, LONGEST_BACKOFF_MS } from '../ledger/deliveries/failing.ts';
import { resultOf } from '../ledger/callbacks/write-callback.ts';
import { type RuleName, RULES } from '../signal/rules.ts';
import type { Random } from '../text/random.ts';
import type { AttemptResult } from './attempt.ts';

/** Longest wait after the first attempt of a delivery that is taken over; doubles with each attempt, up to the longest one. */
const BACKOFF_BASE_MS = 15_000;
const BACKOFF_SHORTEST_MS = 1000;

/** Longest wait before the first retry within a request; doubles with each further failure, with full jitter. */
const RETRY_BASE_MS = 400;

/**
 * When a delivery is attempted again after a failed attempt:
 * - `pause`: once the remote's pause is over, in the same POST if there is time, else by Botbell.
 * - `again`: in a moment, in the same POST, as often as `attempts_per_request` allows; then as `botbell` if the remote asks for a pause, else as `retry`.
 * - `retry`: when the service posts again; once it no longer does, by Botbell.
 * - `botbell`: by Botbell, since no retry of the service would come sooner, or be of any use before.
 * - `mend`: when the service posts again, `permanent_attempts` times; then by Botbell, until somebody has mended the cause.
 * - `ask`: as `mend`, but Botbell waits until the channel's settings have changed or somebody asks for an attempt.
 * - `never`: when the service posts again, `permanent_attempts` times; then never: it is a dead letter.
 */
export type Next = 'pause' | 'again' | 'retry' | 'botbell' | 'mend' | 'ask' | 'never';

export function nextAfter({
  class: failed,
  mayHaveArrived,
  retryAfterMs,
  isForLater,
}: Pick<DeliveryFailure, 'class' | 'mayHaveArrived' | 'retryAfterMs' | 'isForLater'>): Next {
  if (failed === 'rate_limited') return 'pause';
  if (failed === 'permanent') return 'never';
  if (failed === 'config' && mayHaveArrived) return 'ask';
  const isPaused = retryAfterMs !== undefined;
  if (isForLater || (isPaused && (failed === 'config' || mayHaveArrived))) return 'botbell';
  if (failed === 'config') return 'mend';
  return mayHaveArrived ? 'retry' : 'again';
}

/** Whether a delivery that was taken over waits for somebody, since an attempt might tell people the same once more. */
export function needsPerson(error: DeliveryError | undefined): boolean {
  return error?.class === 'config' && error.mayHaveArrived === true;
}

/** The wait for the next attempt within a request, in milliseconds. @param random in [0, 1) @returns undefined: there is no other attempt */
export function retryInMs(
  made: readonly AttemptResult[],
  { attemptsPerRequest }: Pick<DeliveryConfig, 'attemptsPerRequest'>,
  random: number,
): number | undefined {
  const { failure } = made.at(-1) ?? {};
  if (failure === undefined || nextAfter(failure) !== 'again') return undefined;
  const failures = made.filter((attempt) => attempt.failure?.class !== 'rate_limited').length;
  return failures < attemptsPerRequest ? Math.round(RETRY_BASE_MS * 2 ** (failures - 1) * random) : undefined;
}

export interface OutcomeContext {
  readonly policy: Pick<DeliveryConfig, 'permanentAttempts' | 'takeOverAfterMs' | 'giveUpAfterMs'>;
  /** Jitter, so that retries spread. */
  readonly random: Random;
  /** The destination is down: no retry of the service would help. Default: it is not. */
  readonly isDown?: boolean;
}

/** @param record as it stood before the attempts `made` @param isDeferred it still waits for an attempt, so it is taken over */
export function updateAfter(
  record: DeliveryRecord,
  made: readonly AttemptResult[],
  isDeferred: boolean,
  context: OutcomeContext,
): DeliveryUpdate {
  const attempts = record.attempts + made.length;
  const { receipt, failure } = made.at(-1) ?? {};
  if (receipt !== undefined)
    return updateOf(record, { state: 'delivered', attempts, lastError: undefined, receipt });
  const lastError = failure === undefined ? record.lastError : errorOf(failure);
  if (made.length === 0 && record.isTakenOver && needsPerson(lastError))
    return updateWaiting(record, context);
  if (failure === undefined || isDeferred) {
    // A delivery that was taken over before keeps its due time.
    const dueInMs = failure === undefined && record.isTakenOver ? undefined : 0;
    return updateOf(record, { attempts, lastError, isTakenOver: true, dueInMs });
  }
  // A delivery ages while it is attempted, but not while it only waits.
  const ageMs = made.reduce((sum, { durationMs }) => sum + durationMs, record.ageMs);
  const after = afterFailure({ ...record, ageMs }, attempts, failure, context);
  return updateOf(record, { attempts, lastError, ...after });
}

/** The delivery is claimed now and then, without an attempt, and given up after `give_up_after`. */
function updateWaiting(record: DeliveryRecord, { policy }: OutcomeContext): DeliveryUpdate {
  const leftMs = policy.giveUpAfterMs - record.ageMs;
  return leftMs <= 0
    ? updateOf(record, { state: 'dead' })
    : updateOf(record, { dueInMs: Math.min(LONGEST_BACKOFF_MS, leftMs) });
}

function afterFailure(
  { refusals, ageMs, ...record }: DeliveryRecord,
  attempts: number,
  failure: DeliveryFailure,
  { policy, random, isDown = false }: OutcomeContext,
): Partial<DeliveryUpdate> {
  const next = nextAfter(failure);
  const isWornOut = isLasting(failure) && refusals >= policy.permanentAttempts;
  const isOwnNow = failure.class === 'transient' && (isDown || failure.retryAfterMs !== undefined);
  const isTakenOver = record.isTakenOver || next === 'botbell' || isOwnNow || isWornOut;
  const leftMs = policy.giveUpAfterMs - ageMs;
  if (leftMs <= 0 || (isTakenOver && next === 'never')) return { state: 'dead' };
  const waitMs = isTakenOver ? backoffMs(attempts, random()) : policy.takeOverAfterMs;
  // The last attempt is due at `give_up_after`, not later.
  return { isTakenOver, dueInMs: Math.min(waitMs, Math.ceil(leftMs)) };
}

/** The record as an update, pending and due now, except for the changes. */
export function updateOf(
  { id, destination, receivedAt, attempts, lastError, receipt, isTakenOver }: DeliveryRecord,
  changes: Partial<DeliveryUpdate>,
): DeliveryUpdate {
  // A delivery that is sent again keeps its receipt until it has a new one.
  return {
    id,
    destination,
    receivedAt,
    state: 'pending',
    dueInMs: 0,
    attempts,
    lastError,
    receipt,
    isTakenOver,
    ...changes,
  };
}

export function errorOf({
  class: failureClass,
  code,
  message,
  japanese,
  concerns,
  mayHaveArrived,
}: DeliveryFailure): DeliveryError {
  return {
    class: failureClass,
    code,
    message,
    ...(japanese !== message && { japanese }),
    ...(concerns === 'address' && { concerns }),
    ...(mayHaveArrived && { mayHaveArrived }),
  };
}

export function attemptRecords(attempts: readonly AttemptResult[]): AttemptRecord[] {
  return attempts.map(({ durationMs, endedAt, failure }) => {
    const error = failure && errorOf(failure);
    return { durationMs, endedAt, outcome: error?.class ?? 'delivered', error };
  });
}

export type MilestoneName = 'delivered_late' | 'taken_over' | 'given_up' | 'held';

/** @param isLate no POST waits for the delivery, or its POST was answered before */
export function milestoneOf(
  { state, isTakenOver }: DeliveryUpdate,
  before: Pick<DeliveryRecord, 'isTakenOver'>,
  isLate: boolean,
): MilestoneName | undefined {
  if (state === 'delivered') return isLate ? 'delivered_late' : undefined;
  if (state === 'dead') return 'given_up';
  if (state === 'held') return 'held';
  return isTakenOver && !before.isTakenOver ? 'taken_over' : undefined;
}

/** How long Botbell waits before it retries by itself. @param attempts made so far, at least 1 @param random in [0, 1) */
export function backoffMs(attempts: number, random: number): number {
  const longest = Math.min(BACKOFF_BASE_MS * 2 ** Math.max(0, attempts - 1), LONGEST_BACKOFF_MS);
  return Math.max(BACKOFF_SHORTEST_MS, Math.round(longest * random));
}

/** A delivery as it stands when its POST is answered. */
export interface PostedDelivery extends Pick<
  DeliveryRecord,
  'id' | 'destination' | 'state' | 'isTakenOver' | 'lastError' | 'reason' | 'heldUntil'
> {
  /** This POST had it in hand, and its attempts have ended. */
  readonly hasEnded?: boolean;
}

interface AnsweredDelivery {
  readonly destination: string;
  readonly state: DeliveryState;
  readonly error?: string;
  /** The rule that holds it; `until`: the end of the hold, if known (ISO 8601). */
  readonly rule?: RuleName;
  readonly until?: string;
}

export interface Verdict {
  readonly status: 200 | 502 | 504;
  readonly result: CallbackResult;
  readonly deliveries: readonly AnsweredDelivery[];
}

/** `isAccepted`: the POST is answered before its deliveries are attempted. */
type Circumstances = Pick<Admission, 'isSuperseded'> & Pick<Arrival, 'isAccepted'>;

export function verdictOf(
  standings: readonly PostedDelivery[],
  { isSuperseded, isAccepted }: Circumstances,
): Verdict {
  const status = isAccepted ? 200 : statusOf(standings);
  const deliveries = standings.map((each) => answered(each, status));
  if (status !== 200) return { status, result: NOT_TOLD[status], deliveries };
  const states = standings.map(({ state }) => state);
  const hasEnded = standings.some((each) => each.hasEnded);
  return { status, result: resultOf(states, { isSuperseded, isAccepted, hasEnded }), deliveries };
}

/** Whether a power cut must not undo the write: a delivery is still pending, held to be sent later, or dead. */
export function mustBeDurable({ deliveries }: Verdict): boolean {
  return deliveries.some(
    ({ state, until }) => state === 'pending' || state === 'dead' || until !== undefined,
  );
}

/** Deliveries that are taken over do not count: Botbell retries them, so the service need not. */
function statusOf(standings: readonly PostedDelivery[]): Verdict['status'] {
  if (!standings.some(isOpen)) return 200;
  return standings.every((each) => each.hasEnded === true || !isOpen(each)) ? 502 : 504;
}

function isOpen({ state, isTakenOver }: PostedDelivery): boolean {
  return state === 'pending' && !isTakenOver;
}

const NOT_TOLD = { 502: 'failed', 504: 'timed_out' } as const;

function answered(each: PostedDelivery, status: Verdict['status']): AnsweredDelivery {
  const { destination, state, isTakenOver, lastError, hasEnded } = each;
  if (state === 'held') return { destination, state, ...heldBy(each) };
  if (state === 'delivered' || status === 200) return { destination, state };
  const error = state === 'pending' && hasEnded !== true ? undefined : lastError;
  if (isTakenOver && error === undefined) return { destination, state };
  return { destination, state, error: error?.message ?? 'not finished in time' };
}

function heldBy({ reason, heldUntil }: PostedDelivery): Pick<AnsweredDelivery, 'rule' | 'until'> {
  const rule = RULES.find((name) => name === reason);
  const until = heldUntil === undefined ? undefined : new Date(heldUntil).toISOString();
  return rule === undefined ? {} : { rule, ...(until && { until }) };
}
