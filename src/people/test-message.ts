/** Sends a message that is marked as a test to one destination, and says what its remote answered. */
import type { PlannedTarget } from '../route/router.ts';
import { ACCEPTED_AS, idsIn, type Receipt } from '../channels/channel.ts';
import { DeliveryFailure, failureInWords, type FailureClass } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import { noticeOfAlert } from '../notice/notice.ts';
import { type Random, randomId } from '../text/random.ts';
import type { Clock } from '../time/clock.ts';
import type { AttemptResult } from '../deliver/attempt.ts';
import type { AddressedNotice } from '../deliver/settings.ts';

export interface TestRequest {
  readonly target: PlannedTarget;
  /** '' if not known. */
  readonly askedBy: string;
  /** The language of `words`; the message itself is in the display's. */
  readonly language: Language;
}

export interface TestOutcome {
  readonly destination: string;
  readonly isDelivered: boolean;
  /** The result without any secret: the receipt's words, or what is wrong and what to do. */
  readonly words: string;
  readonly errorClass: FailureClass | undefined;
  readonly errorCode: string | undefined;
  /** Duration of the attempt; 0 if none was made. */
  readonly durationMs: number;
}

/** @returns undefined if no attempt may be made at the destination for now */
export type SendOnce = (addressed: AddressedNotice) => Promise<AttemptResult | undefined>;

/** Writes nothing to the ledger. Never rejects. */
export async function sendTest(
  { target, askedBy, language }: TestRequest,
  { clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
  sendOnce: SendOnce,
): Promise<TestOutcome> {
  const { destination, channel } = target;
  const subject = { template: 'test', destination, channel, askedBy } as const;
  const id = randomId(random);
  const notice = noticeOfAlert({ id, raisedAt: clock.now(), suppressed: 0, subject });
  return outcomeOf(destination, await sendOnce({ ...target, notice }), language);
}

/** @param result undefined: no attempt could be made */
export function outcomeOf(
  destination: string,
  result: AttemptResult | undefined,
  language: Language,
): TestOutcome {
  const { receipt, failure, durationMs } = result ?? { failure: LEFT_ALONE, durationMs: 0 };
  const words = receipt === undefined ? failureInWords(failure, language) : receiptInWords(receipt, language);
  const [errorClass, errorCode] = [failure?.class, failure?.code];
  const isDelivered = failure === undefined;
  return { destination, isDelivered, words, errorClass, errorCode, durationMs: Math.round(durationMs) };
}

/** The failure if no attempt may be made. */
const LEFT_ALONE = new DeliveryFailure({
  class: 'rate_limited',
  code: 'rate_limit',
  message: 'Not sent: the remote limits the rate, or is gone, and is left alone for now. Try again later.',
  japanese:
    '宛先がレート制限中か、無効になっているため、まだ送信していません。しばらくしてからもう一度お試しください。',
});

const TOLD = {
  delivered: { en: 'Delivered', ja: '届きました' },
  accepted: {
    en: 'Accepted, not confirmed: look whether it has arrived',
    ja: '受け付けられました。投稿されたかは確認できないため、届いたかどうかを見てください',
  },
  printed: { en: 'Printed only: an outbox tells nobody', ja: '出力しただけで、誰にも送っていません' },
} as const;

function receiptInWords(receipt: Receipt, language: Language): string {
  const isPrinted = receipt['told'] === 'nobody';
  const shown = (isPrinted ? [] : idsIn(receipt)).map(([key, value]) => `${key} ${value}`).join(', ');
  const told = receipt[ACCEPTED_AS] === undefined ? TOLD.delivered : TOLD.accepted;
  const words = (isPrinted ? TOLD.printed : told)[language];
  if (language === 'ja') return `${words}${shown && `（${shown}）`}。`;
  return `${words}${shown && ` (${shown})`}.`;
}
