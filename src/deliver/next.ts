/** Decides what happens after a failed attempt, from the failure alone: from its class, and whether the message may have arrived. */
import type { DeliveryFailure } from '../channels/failure.ts';
import type { DeliveryError } from '../ledger/ledger.ts';

/**
 * - `pause`: once the remote's pause is over, in the same POST if that is in time, else by Botbell.
 * - `again`: in a moment, in the same POST, as often as `attempts_per_request` allows; then `botbell` where the remote pauses, else `retry`.
 * - `retry`: when the service posts again, until it no longer does; then by Botbell.
 * - `botbell`: no retry of the service would come sooner, or be of any use before.
 * - `mend`: the service is asked `permanent_attempts` times; then by Botbell until somebody has mended the cause.
 * - `ask`: the same, but then only once the channel's settings have changed, or somebody asks for it.
 * - `never`: the service is asked `permanent_attempts` times; then it is a dead letter.
 */
export type Next = 'pause' | 'again' | 'retry' | 'botbell' | 'mend' | 'ask' | 'never';

type Failed = Pick<DeliveryFailure, 'class' | 'mayHaveArrived' | 'retryAfterMs' | 'isForLater'>;

export function nextAfter({ class: failed, mayHaveArrived, retryAfterMs, isForLater }: Failed): Next {
  if (failed === 'rate_limited') return 'pause';
  if (failed === 'permanent') return 'never';
  if (failed === 'config' && mayHaveArrived) return 'ask';
  const isPaused = retryAfterMs !== undefined;
  if (isForLater || (isPaused && (failed === 'config' || mayHaveArrived))) return 'botbell';
  if (failed === 'config') return 'mend';
  return mayHaveArrived ? 'retry' : 'again';
}

/** Whether a delivery that is Botbell's own waits for somebody: an attempt might tell people once more. */
export function waitsForSomebody(error: DeliveryError | undefined): boolean {
  return error?.class === 'config' && error.mayHaveArrived === true;
}
