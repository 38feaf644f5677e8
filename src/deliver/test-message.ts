/** Sends a message that is marked as a test to one destination, and says what its remote answered. */
import { randomBytes } from 'node:crypto';
import { failureInWords } from '../channels/failure-words.ts';
import { idsIn, type Receipt } from '../channels/channel.ts';
import type { FailureClass } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import { noticeOfAlert } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import type { DeliveriesUnderWay } from './deliveries-under-way.ts';
import type { Refusal } from './lanes.ts';
import type { Send, Sending, SendResult } from './sender.ts';
import type { PlannedTarget } from './settings.ts';

/** For its turn, where the destination keeps a pace; the attempt itself has the time that any has. */
const LONGEST_WAIT_MS = 3000;

export interface TestRequest {
  readonly target: PlannedTarget;
  readonly settings: Sending['settings'];
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

export interface TestSenderDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly send: Send;
  /** So that it ends when the process does. */
  readonly underWay: Pick<DeliveriesUnderWay, 'begin' | 'end'>;
}

/** The ledger knows nothing of it. The returned function never rejects. */
export function createTestSender({ clock, send, underWay }: TestSenderDependencies) {
  // None is the id of a row.
  let lastId = 0;
  return async ({ target, settings, askedBy, language }: TestRequest): Promise<TestOutcome> => {
    const { destination, channel } = target;
    const delivery = underWay.begin((lastId -= 1));
    const sent = await send({
      addressed: { ...target, notice: noticeOfTest({ destination, channel, askedBy }, clock.now()) },
      // Whoever tests wants to know what this one comes to.
      settings: { ...settings, delivery: { ...settings.delivery, attemptsPerRequest: 1 } },
      delivery,
      deadline: clock.monotonic() + LONGEST_WAIT_MS,
      rank: 'next',
    });
    underWay.end(delivery, 'finished');
    return { destination, ...outcomeOf(sent, language) };
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

function outcomeOf({ attempts, outcome }: SendResult, language: Language): Omit<TestOutcome, 'destination'> {
  const last = attempts.at(-1);
  // A remote that limits the rate has answered, though the message waits for its turn after that.
  const answer = 'deferred' in outcome ? (last?.outcome ?? outcome) : outcome;
  const durationMs = Math.round(last?.durationMs ?? 0);
  if ('receipt' in answer) {
    const words = receiptInWords(answer.receipt, language);
    return { isDelivered: true, words, errorClass: undefined, errorCode: undefined, durationMs };
  }
  if ('failure' in answer) {
    const { class: errorClass, code: errorCode } = answer.failure;
    const words = failureInWords(answer.failure, language);
    return { isDelivered: false, words, errorClass, errorCode, durationMs };
  }
  const { words, errorClass } = refusalInWords(answer.deferred, language);
  return { isDelivered: false, words, errorClass, errorCode: answer.deferred, durationMs };
}

function receiptInWords(receipt: Receipt, language: Language): string {
  const shown = idsIn(receipt).map(([key, value]) => `${key} ${value}`);
  const details = shown.join(', ');
  if (language === 'ja') return details === '' ? '届きました。' : `届きました（${details}）。`;
  return details === '' ? 'Delivered.' : `Delivered (${details}).`;
}

/** Nothing was sent. */
function refusalInWords(
  refusal: NonNullable<Refusal>,
  language: Language,
): { readonly words: string; readonly errorClass: FailureClass } {
  const isJapanese = language === 'ja';
  if (refusal === 'rate_limit') {
    const words = isJapanese
      ? '送信先のレート制限のため、まだ送信していません。しばらくしてからもう一度お試しください。'
      : 'Not sent: the remote has limited the rate, and asks to be left alone for now. Try again later.';
    return { words, errorClass: 'rate_limited' };
  }
  const words = isJapanese ? 'Botbellが停止中のため、送信していません。' : 'Not sent: Botbell is stopping.';
  return { words, errorClass: 'transient' };
}
