/** Why a delivery failed: a closed list of classes, by which retry, answer, metric and ledger decide. */
import { obeyedMs } from './retry-after.ts';

/**
 * - `transient`: network, timeout, 5xx, SMTP 4xx: the next attempt may succeed.
 * - `rate_limited`: the remote limits the rate.
 * - `permanent`: the remote will never accept this message or address.
 * - `config`: token, scope, channel, login: fails until someone changes it.
 */
export type FailureClass = 'transient' | 'rate_limited' | 'permanent' | 'config';

export const FAILURE_CLASSES: readonly FailureClass[] = ['transient', 'rate_limited', 'permanent', 'config'];

export interface FailureDetails {
  readonly class: FailureClass;
  /** The remote's own code, or a short one of ours: `channel_not_found`, `ETIMEDOUT`, `550`. */
  readonly code: string;
  /** What happened and what to do about it, in one sentence for an operator. */
  readonly message: string;
  /** How long the remote is to get no more messages, in milliseconds; obeyed from a second to an hour. */
  readonly retryAfterMs?: number;
  /** The remote's own words, where they may be shown: in any language, for whoever reads no English. */
  readonly quote?: string;
}

export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly class: FailureClass;
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly quote: string | undefined;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.class = details.class;
    this.code = details.code;
    this.quote = details.quote;
    this.retryAfterMs = details.retryAfterMs === undefined ? undefined : obeyedMs(details.retryAfterMs);
  }
}
