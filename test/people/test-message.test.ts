import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import { sendTest } from '../../src/people/test-message.ts';
import { plannedTo } from '../deliver/delivery-record.ts';
import { ManualClock } from '../support/manual-clock.ts';

const OPS = { ...plannedTo('slack:#ops'), templateSet: 'mine', options: { mention_on_error: ['@here'] } };

const WORDS = { message: 'Invite it.', japanese: '招待してください。' };
const REFUSED = new DeliveryFailure({ class: 'config', code: 'not_in_channel', ...WORDS });

/** What came of the attempt, class and code of the failure, and what is said in English and in Japanese. */
const OUTCOMES: Readonly<
  Record<string, readonly [outcome: object | undefined, error: string | undefined, en: string, ja: string]>
> = {
  'that was delivered says with which receipt': [
    { receipt: { channel: 'C1', ts: '7' } },
    undefined,
    'Delivered (channel C1, ts 7).',
    '届きました（channel C1, ts 7）。',
  ],
  'that nobody can confirm is not said to have arrived': [
    { receipt: { accepted: '202' } },
    undefined,
    'Accepted, not confirmed: look whether it has arrived (accepted 202).',
    '受け付けられました。投稿されたかは確認できないため、届いたかどうかを見てください（accepted 202）。',
  ],
  'that an outbox took is not said to have arrived': [
    { receipt: { told: 'nobody' } },
    undefined,
    'Printed only: an outbox tells nobody.',
    '出力しただけで、誰にも送っていません。',
  ],
  'that failed says what is wrong and what to do': [
    { failure: REFUSED },
    'config not_in_channel',
    'Invite it.',
    '招待してください。',
  ],
  'that met the pause of a rate limit, or of a hook that is gone, says so': [
    undefined,
    'rate_limited rate_limit',
    'Not sent: the remote limits the rate, or is gone, and is left alone for now. Try again later.',
    '宛先がレート制限中か、無効になっているため、まだ送信していません。しばらくしてからもう一度お試しください。',
  ],
};

describe('A test message', () => {
  for (const [what, [outcome, error, en, ja]] of Object.entries(OUTCOMES))
    it(what, async () => {
      for (const [language, words] of Object.entries({ en, ja }) as ['en' | 'ja', string][]) {
        const sent: AddressedNotice[] = [];
        const request = { target: OPS, askedBy: 'admin', language };
        const told = await sendTest(request, { clock: new ManualClock(), random: () => 0.5 }, (addressed) => {
          sent.push(addressed);
          return Promise.resolve(outcome && ({ durationMs: 41.7, endedAt: 0, ...outcome } as AttemptResult));
        });
        const [errorClass, errorCode] = error?.split(' ') ?? [];
        const said = { words, errorClass, errorCode, durationMs: outcome === undefined ? 0 : 42 };
        expect(told).to.deep.equal({ destination: 'slack:#ops', isDelivered: error === undefined, ...said });
        expect(sent.map(({ notice }) => notice.template)).to.deep.equal(['test']);
        expect(sent[0], 'by its template set and options').to.deep.include(OPS);
      }
    });
});
