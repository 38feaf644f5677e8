/** How one delivery stands after its attempts: told, given up, left to the service's retry, or Botbell's own to retry. */
import type { DeliveryFailure } from '../channels/failure.ts';
import type { AttemptRecord, DeliveryError, DeliveryRecord, DeliveryUpdate } from '../ledger/ledger.ts';
import type { Trip } from './courier.ts';
import { backoffMs } from './retry-policy.ts';
import type { DeliverySettings } from './settings.ts';

export type DeliveryPolicy = Pick<
  DeliverySettings,
  'permanentAttempts' | 'takeOverAfterMs' | 'giveUpAfterMs'
>;

export interface OutcomeContext {
  readonly policy: DeliveryPolicy;
  /** In [0, 1): spreads the retries of many. */
  readonly random: number;
}

export function updateAfter(record: DeliveryRecord, trip: Trip, context: OutcomeContext): DeliveryUpdate {
  const attempts = record.attempts + trip.attempts.length;
  const { id, failedAnswers } = record;
  const isTakenOver = record.isTakenOver;
  if ('receipt' in trip.outcome) {
    const { receipt, isFollowed } = trip.outcome;
    return {
      id,
      state: 'delivered',
      attempts,
      failedAnswers,
      lastError: undefined,
      receipt,
      isFollowed,
      isTakenOver,
      dueInMs: 0,
    };
  }
  if ('deferred' in trip.outcome) return takenOver(record, trip);
  const { failure } = trip.outcome;
  const lastError = errorOf(failure);
  const kept = { id, attempts, failedAnswers, lastError, receipt: undefined };
  if (isGivenUp(record, failure, context)) return { ...kept, state: 'dead', isTakenOver, dueInMs: 0 };
  const isNowOurs = isTakenOver || isAllowanceSpent(record, failure, context);
  return {
    ...kept,
    state: 'pending',
    isTakenOver: isNowOurs,
    dueInMs: dueIn(record, attempts, isNowOurs, context),
  };
}

/** Nobody's fault, and Botbell's own to attempt as soon as its turn comes. */
function takenOver(record: DeliveryRecord, { attempts }: Trip): DeliveryUpdate {
  const last = attempts.at(-1)?.outcome;
  return {
    id: record.id,
    state: 'pending',
    attempts: record.attempts + attempts.length,
    failedAnswers: record.failedAnswers,
    lastError: last !== undefined && 'failure' in last ? errorOf(last.failure) : record.lastError,
    receipt: undefined,
    isTakenOver: true,
    dueInMs: 0,
  };
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

/** What the ledger keeps of each attempt of a trip. */
export function attemptRecords({ id }: DeliveryRecord, trip: Trip): AttemptRecord[] {
  return trip.attempts.map(({ startedAt, durationMs, outcome }) => {
    const error = 'failure' in outcome ? errorOf(outcome.failure) : undefined;
    return { deliveryId: id, startedAt, durationMs, outcome: error?.class ?? 'delivered', error };
  });
}
