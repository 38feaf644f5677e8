/** Whether and when to try again inside the request: pure decisions over the failure and the time left. */
import { type DeliveryFailure, type FailureClass, UNSPECIFIED_PAUSE_MS } from '../channels/failure.ts';

/** First wait after a transient failure; doubles with each further attempt, with full jitter. */
const BACKOFF_BASE_MS = 400;

/** First wait of a delivery that Botbell retries by itself; doubles with each attempt, up to the longest one. */
const OWN_BACKOFF_BASE_MS = 15_000;
const OWN_BACKOFF_LONGEST_MS = 15 * 60_000;
const OWN_BACKOFF_SHORTEST_MS = 1000;

/** A wait that leaves less than this before the answer is due does not fit: the attempt after it could not finish. */
export const SHORTEST_ATTEMPT_MS = 100;

export type NextStep = { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'stop' };

const STOP: NextStep = { kind: 'stop' };

/** How long the remote wants to be left alone; 0 for whatever is no rate limit. */
export function pauseAfter(failure: Pick<DeliveryFailure, 'class' | 'retryAfterMs'>): number {
  return failure.class === 'rate_limited' ? (failure.retryAfterMs ?? UNSPECIFIED_PAUSE_MS) : 0;
}

/**
 * @param attempt the attempt that failed, counted from 1 within this request
 * @param timeLeftMs until the request must be answered
 * @param random in [0, 1)
 */
export function nextStep(
  failure: Pick<DeliveryFailure, 'class' | 'retryAfterMs'>,
  attempt: number,
  attemptsPerRequest: number,
  timeLeftMs: number,
  random: number,
): NextStep {
  if (attempt >= attemptsPerRequest || !mayPassSoon(failure.class)) return STOP;
  const ms = failure.class === 'rate_limited' ? pauseAfter(failure) : jittered(attempt, random);
  return fits(ms, timeLeftMs) ? { kind: 'wait', ms } : STOP;
}

/** Whether an attempt after `waitMs` can still finish before the request must be answered. */
export function fits(waitMs: number, timeLeftMs: number): boolean {
  return waitMs + SHORTEST_ATTEMPT_MS <= timeLeftMs;
}

/** What no retry within seconds can cure is not worth the BOT's running time. */
function mayPassSoon(failureClass: FailureClass): boolean {
  return failureClass === 'transient' || failureClass === 'rate_limited';
}

function jittered(attempt: number, random: number): number {
  return Math.round(BACKOFF_BASE_MS * 2 ** (attempt - 1) * random);
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
