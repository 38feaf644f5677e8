/** Sends a message that is marked as a test to one destination, and says what its remote answered. */
import { randomBytes } from 'node:crypto';
import { idsIn, type Receipt } from '../channels/channel.ts';
import { failureInWords, type FailureClass } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import { noticeOfAlert } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import type { AttemptResult, Begun } from './attempt.ts';
import type { PlannedTarget } from './settings.ts';

/** For its turn, where the destination keeps a pace; the attempt itself has the time that any has. */
const LONGEST_WAIT_MS = 3000;

export interface TestRequest {
  readonly target: PlannedTarget;
  readonly settings: Begun['settings'];
  /** '' where it is not known. */
  readonly askedBy: string;
  /** Of `words`; the message is in the display's. */
  readonly language: Language;
}

export interface TestOutcome {
  readonly destination: string;
  readonly isDelivered: boolean;
  /** What came of it, without any secret: the receipt's words, or what is wrong and what to do. */
  readonly words: string;
  readonly errorClass: FailureClass | undefined;
  readonly errorCode: string | undefined;
  /** Of the attempt; 0 where none was made. */
  readonly durationMs: number;
}

/** @returns undefined: there was no turn for it before `until`, by the monotonic clock */
export type SendOnce = (begun: Begun, until: number) => Promise<AttemptResult | undefined>;

/** The ledger knows nothing of it. Never rejects. */
export async function sendTest(
  { target, settings, askedBy, language }: TestRequest,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  sendOnce: SendOnce,
): Promise<TestOutcome> {
  const { destination, channel } = target;
  const subject = { template: 'test', destination, channel, askedBy } as const;
  const id = randomBytes(32).toString('hex');
  const notice = noticeOfAlert({ id, raisedAt: clock.now(), suppressed: 0, subject });
  const begun = { addressed: { ...target, notice }, settings };
  const result = await sendOnce(begun, clock.monotonic() + LONGEST_WAIT_MS);
  return { destination, ...(result === undefined ? unsent(language) : outcomeOf(result, language)) };
}

function outcomeOf(
  { durationMs: ms, receipt, failure }: AttemptResult,
  language: Language,
): Omit<TestOutcome, 'destination'> {
  const durationMs = Math.round(ms);
  if (failure === undefined) {
    const words = receiptInWords(receipt, language);
    return { isDelivered: true, words, errorClass: undefined, errorCode: undefined, durationMs };
  }
  const { class: errorClass, code: errorCode } = failure;
  const words = failureInWords(failure, language);
  return { isDelivered: false, words, errorClass, errorCode, durationMs };
}

function receiptInWords(receipt: Receipt, language: Language): string {
  const shown = idsIn(receipt).map(([key, value]) => `${key} ${value}`);
  const details = shown.join(', ');
  if (language === 'ja') return details === '' ? '届きました。' : `届きました（${details}）。`;
  return details === '' ? 'Delivered.' : `Delivered (${details}).`;
}

/** Nothing was sent. */
function unsent(language: Language): Omit<TestOutcome, 'destination'> {
  const words =
    language === 'ja'
      ? '送信先がレート制限中か、無効になっているため、まだ送信していません。しばらくしてからもう一度お試しください。'
      : 'Not sent: the remote limits the rate, or is gone, and is left alone for now. Try again later.';
  return { isDelivered: false, words, errorClass: 'rate_limited', errorCode: 'rate_limit', durationMs: 0 };
}
