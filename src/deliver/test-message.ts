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

export interface TestSenderDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly sendOnce: SendOnce;
  readonly isStopping: () => boolean;
}

/** The ledger knows nothing of it. The returned function never rejects. */
export function createTestSender({ clock, sendOnce, isStopping }: TestSenderDependencies) {
  return async ({ target, settings, askedBy, language }: TestRequest): Promise<TestOutcome> => {
    const { destination, channel } = target;
    const notice = noticeOfTest({ destination, channel, askedBy }, clock.now());
    const begun = { addressed: { ...target, notice }, settings, deliveryId: undefined };
    const result = await sendOnce(begun, clock.monotonic() + LONGEST_WAIT_MS);
    const told = result === undefined ? unsent(isStopping(), language) : outcomeOf(result, language);
    return { destination, ...told };
  };
}

function noticeOfTest(
  {
    destination,
    channel,
    askedBy,
  }: Pick<PlannedTarget, 'destination' | 'channel'> & Pick<TestRequest, 'askedBy'>,
  now: number,
) {
  const subject = { template: 'test', destination, channel, askedBy } as const;
  return noticeOfAlert({ id: randomBytes(32).toString('hex'), raisedAt: now, suppressed: 0, subject });
}

function outcomeOf(
  { durationMs: ms, outcome }: AttemptResult,
  language: Language,
): Omit<TestOutcome, 'destination'> {
  const durationMs = Math.round(ms);
  if ('receipt' in outcome) {
    const words = receiptInWords(outcome.receipt, language);
    return { isDelivered: true, words, errorClass: undefined, errorCode: undefined, durationMs };
  }
  const { class: errorClass, code: errorCode } = outcome.failure;
  const words = failureInWords(outcome.failure, language);
  return { isDelivered: false, words, errorClass, errorCode, durationMs };
}

function receiptInWords(receipt: Receipt, language: Language): string {
  const shown = idsIn(receipt).map(([key, value]) => `${key} ${value}`);
  const details = shown.join(', ');
  if (language === 'ja') return details === '' ? '届きました。' : `届きました（${details}）。`;
  return details === '' ? 'Delivered.' : `Delivered (${details}).`;
}

/** Nothing was sent. */
function unsent(isStopping: boolean, language: Language): Omit<TestOutcome, 'destination'> {
  const isJapanese = language === 'ja';
  const nothing = { isDelivered: false, durationMs: 0 };
  if (!isStopping) {
    const words = isJapanese
      ? '送信先のレート制限のため、まだ送信していません。しばらくしてからもう一度お試しください。'
      : 'Not sent: the remote has limited the rate, and asks to be left alone for now. Try again later.';
    return { ...nothing, words, errorClass: 'rate_limited', errorCode: 'rate_limit' };
  }
  const words = isJapanese ? 'Botbellが停止中のため、送信していません。' : 'Not sent: Botbell is stopping.';
  return { ...nothing, words, errorClass: 'transient', errorCode: 'stopping' };
}
