/** Why an attempt failed: a closed list of classes, with words for operators. Each channel says what its remote's codes mean. */
import type { Language } from '../time/display.ts';

/**
 * - `transient`: network, timeout, 5xx, SMTP 4xx: the next attempt may succeed.
 * - `rate_limited`: the remote limits the rate.
 * - `permanent`: the remote will never accept this message or address.
 * - `config`: token, scope, channel, login: fails until someone changes it.
 */
export type FailureClass = 'transient' | 'rate_limited' | 'permanent' | 'config';

export const FAILURE_CLASSES: readonly FailureClass[] = ['transient', 'rate_limited', 'permanent', 'config'];

/** A clause or sentence for operators in each language, without its full stop. */
export type Words = Readonly<Record<Language, string>>;

export interface FailureToExplain {
  readonly class: FailureClass;
  /** The remote's own code, or a short one of ours: `channel_not_found`, `ETIMEDOUT`, `550`. */
  readonly code: string;
  readonly message: string;
  /** The message in Japanese; left out if there is no translation. */
  readonly japanese?: string;
  /** The remote may have taken the message all the same. Default: it has not. */
  readonly mayHaveArrived?: boolean;
}

export interface FailureDetails extends FailureToExplain {
  /** What a rate limit pauses, and an alert is about. Default: `address` for a rate limit, else `channel`. */
  readonly concerns?: 'address' | 'channel';
  /** How long nothing is sent there, in milliseconds; limited to between a second and an hour. After a rate limit, half a minute if left out. */
  readonly retryAfterMs?: number | undefined;
  /** The remote asks to be tried later than the service's next retry would come. */
  readonly isForLater?: boolean;
}

export class DeliveryFailure extends Error implements FailureToExplain {
  override readonly name = 'DeliveryFailure';
  readonly class: FailureClass;
  readonly code: string;
  readonly japanese: string;
  readonly concerns: 'address' | 'channel';
  readonly retryAfterMs: number | undefined;
  readonly mayHaveArrived: boolean;
  readonly isForLater: boolean;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.class = details.class;
    this.code = details.code;
    this.japanese = details.japanese ?? details.message;
    this.concerns = details.concerns ?? (details.class === 'rate_limited' ? 'address' : 'channel');
    const asked = details.retryAfterMs ?? (details.class === 'rate_limited' ? Number.NaN : undefined);
    this.retryAfterMs = asked === undefined ? undefined : obeyedMs(asked);
    this.mayHaveArrived = details.mayHaveArrived ?? false;
    this.isForLater = details.isForLater ?? false;
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

const SHORTEST_MS = 1000;

/** Longer pauses are cut to an hour: a wrong header must not stop a destination for a year. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** The pause if the remote names none: the advice in Slack's documentation of its rate limits. */
export const UNSPECIFIED_PAUSE_MS = 30_000;

/**
 * The pause in milliseconds that a Retry-After (RFC 9110, 10.2.3) asks for, or a similar value in a JSON answer.
 * @param asked a number of seconds, as a number or as text, or an HTTP date @returns undefined: it is neither
 */
export function askedMs(asked: unknown, nowMs: number): number | undefined {
  const text = typeof asked === 'string' || typeof asked === 'number' ? String(asked).trim() : '';
  let ms = Number.NaN;
  if (/^\d+(?:\.\d+)?$/.test(text)) ms = Math.ceil(Number(text) * 1000);
  // RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT` and both obsolete forms, of which the one of asctime() names no zone.
  const [date] = /^[A-Z][a-z]+(?:, .* GMT| .*:\d\d \d{4})$/.exec(text) ?? [];
  if (date !== undefined) ms = Date.parse(date.replace(/(?<! GMT)$/, ' GMT')) - nowMs;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The pause as a finite whole number between a second and an hour, even for NaN and infinity. */
export function obeyedMs(ms: number): number {
  if (Number.isNaN(ms)) return UNSPECIFIED_PAUSE_MS;
  return Math.min(Math.max(Math.ceil(ms), SHORTEST_MS), LONGEST_PAUSE_MS);
}
