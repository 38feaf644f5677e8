/**
 * Why a delivery failed: a closed list of classes, by which retry, answer, metric and ledger decide, in words for operators.
 * What a remote's own codes mean stands beside its channel.
 */
import type { Language } from '../time/display.ts';
import { obeyedMs } from './retry-after.ts';

/**
 * - `transient`: network, timeout, 5xx, SMTP 4xx: the next attempt may succeed.
 * - `rate_limited`: the remote limits the rate.
 * - `permanent`: the remote will never accept this message or address.
 * - `config`: token, scope, channel, login: fails until someone changes it.
 */
export type FailureClass = 'transient' | 'rate_limited' | 'permanent' | 'config';

export const FAILURE_CLASSES: readonly FailureClass[] = ['transient', 'rate_limited', 'permanent', 'config'];

/** A clause or sentence for operators, without its full stop. */
export type Words = Readonly<Record<Language, string>>;

/** What is read of a failure by whoever tells of it. */
export interface FailureToExplain {
  readonly class: FailureClass;
  /** The remote's own code, or a short one of ours: `channel_not_found`, `ETIMEDOUT`, `550`. */
  readonly code: string;
  /** What happened and what to do about it, in one or two sentences. */
  readonly message: string;
  /** The same in Japanese; left out where nobody has worded it. */
  readonly japanese?: string;
}

export interface FailureDetails extends FailureToExplain {
  /**
   * `address`: another address of the same channel may succeed. `channel`: a rate limit pauses all of it, an alert tells of
   * all of it. Left out: of a rate limit `address`, otherwise `channel`.
   */
  readonly concerns?: 'address' | 'channel';
  /**
   * How long nothing is to be sent there, in milliseconds, obeyed from a second to an hour: the pause that was asked for, of
   * a `config` failure one that the remote would resent to be asked again (a webhook that is gone).
   */
  readonly retryAfterMs?: number | undefined;
}

export class DeliveryFailure extends Error implements FailureToExplain {
  override readonly name = 'DeliveryFailure';
  readonly class: FailureClass;
  readonly code: string;
  readonly japanese: string;
  readonly concerns: 'address' | 'channel';
  readonly retryAfterMs: number | undefined;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.class = details.class;
    this.code = details.code;
    this.japanese = details.japanese ?? details.message;
    this.concerns = details.concerns ?? (details.class === 'rate_limited' ? 'address' : 'channel');
    this.retryAfterMs = details.retryAfterMs === undefined ? undefined : obeyedMs(details.retryAfterMs);
  }
}

/** @param words without their full stops */
export function failureOf(
  details: Omit<FailureDetails, 'message' | 'japanese'>,
  { en, ja }: Words,
): DeliveryFailure {
  return new DeliveryFailure({ ...details, message: `${en}.`, japanese: `${ja}。` });
}

export function failureInWords(
  { message, japanese = message }: Pick<FailureToExplain, 'message' | 'japanese'>,
  language: Language,
): string {
  return language === 'ja' ? japanese : message;
}
