/** From how each delivery stands to what the service is answered: pure, so that every row of the answer table has a test. */
import type { DeliveryFailure } from '../channels/failure.ts';
import type {
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryState,
  DeliveryUpdate,
} from '../ledger/ledger.ts';
import type { Trip } from './courier.ts';
import { pauseAfter } from './retry-policy.ts';

/** The service retries no sooner than this (callback interface, "Limits"). */
const SHORTEST_RETRY_S = 30;

export interface DeliveryPolicy {
  /** Non-2xx answers that a `permanent` or `config` failure is worth. */
  readonly permanentAttempts: number;
  readonly giveUpAfterMs: number;
}

/** A delivery as this request leaves it. */
export interface Standing {
  readonly record: DeliveryRecord;
  /** Undefined: not tried in this request, or not to its end. */
  readonly trip: Trip | undefined;
  /** Still being tried, by this request or by somebody else. */
  readonly isBeingMade: boolean;
}

export interface Situation {
  readonly standings: readonly Standing[];
  readonly isSuperseded: boolean;
  readonly firstReceivedAt: number;
  readonly now: number;
  readonly policy: DeliveryPolicy;
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
  /** Seconds; undefined on a 200. */
  readonly retryAfterSeconds: number | undefined;
  /** What the ledger must learn about the deliveries that were tried. */
  readonly updates: readonly DeliveryUpdate[];
}

export function judge(situation: Situation): Verdict {
  const closed = situation.standings.map((standing) => ({
    ...standing,
    update: standing.trip === undefined ? undefined : updateAfter(standing.record, standing.trip, situation),
  }));
  const states = closed.map(({ record, update }) => update?.state ?? record.state);
  const isUnfinished = closed.some(({ isBeingMade }) => isBeingMade);
  const status = isUnfinished ? 504 : states.includes('pending') ? 502 : 200;
  const updates = closed.flatMap(({ update }) => update ?? []);
  return {
    status,
    result: resultOf(status, states, situation),
    deliveries: closed.map(({ update, ...standing }) => answered(standing, update, status)),
    retryAfterSeconds: status === 200 ? undefined : retryAfterSeconds(situation.standings),
    updates: status === 200 ? updates : updates.map(withRefusal),
  };
}

/** How one delivery stands after a trip, apart from what the whole callback is answered. */
export function updateAfter(
  record: DeliveryRecord,
  trip: Trip,
  situation: Pick<Situation, 'firstReceivedAt' | 'now' | 'policy'>,
): DeliveryUpdate {
  const attempts = record.attempts + trip.attempts.length;
  const { id, refusals } = record;
  if ('receipt' in trip.outcome) {
    const { receipt } = trip.outcome;
    return { id, state: 'delivered', attempts, refusals, lastError: undefined, receipt };
  }
  const { failure } = trip.outcome;
  const state = isGivenUp(record, failure, situation) ? 'dead' : 'pending';
  return { id, state, attempts, refusals, lastError: errorOf(failure), receipt: undefined };
}

function isGivenUp(
  record: DeliveryRecord,
  failure: DeliveryFailure,
  { firstReceivedAt, now, policy }: Pick<Situation, 'firstReceivedAt' | 'now' | 'policy'>,
): boolean {
  if (isLasting(failure.class)) return record.refusals >= policy.permanentAttempts;
  return now - firstReceivedAt >= policy.giveUpAfterMs;
}

function isLasting(failureClass: DeliveryFailure['class']): boolean {
  return failureClass === 'permanent' || failureClass === 'config';
}

/** A non-2xx answer given while this failed lastingly is one of the few that such a failure is worth. */
export function withRefusal(update: DeliveryUpdate): DeliveryUpdate {
  const isCounted =
    update.state === 'pending' && update.lastError !== undefined && isLasting(update.lastError.class);
  return isCounted ? { ...update, refusals: update.refusals + 1 } : update;
}

export function errorOf(failure: DeliveryFailure): DeliveryError {
  return { class: failure.class, code: failure.code, message: failure.message };
}

function resultOf(
  status: Verdict['status'],
  states: readonly DeliveryState[],
  { isSuperseded, standings }: Situation,
): CallbackResult {
  if (status === 504) return 'timed_out';
  if (status === 502) return 'failed';
  if (isSuperseded) return 'superseded';
  if (states.length === 0) return 'no_route';
  if (states.includes('dead')) return 'gave_up';
  if (states.every((state) => state === 'held')) return 'held';
  return standings.some(({ trip }) => trip !== undefined) ? 'delivered' : 'duplicate';
}

function answered(
  { record: { destination, state, lastError }, isBeingMade }: Standing,
  update: DeliveryUpdate | undefined,
  status: Verdict['status'],
): AnsweredDelivery {
  const now = update?.state ?? state;
  if (now === 'delivered' || now === 'held' || status === 200) return { destination, state: now };
  const error = isBeingMade ? undefined : (update?.lastError ?? lastError);
  return { destination, state: now, error: error?.message ?? 'not finished in time' };
}

function retryAfterSeconds(standings: readonly Standing[]): number {
  const pauses = standings.map(({ trip }) =>
    trip !== undefined && 'failure' in trip.outcome ? pauseAfter(trip.outcome.failure) : 0,
  );
  return Math.max(SHORTEST_RETRY_S, ...pauses.map((ms) => Math.ceil(ms / 1000)));
}
