/** What whoever sends a test is told of it. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { DeliveriesUnderWay } from '../../src/deliver/deliveries-under-way.ts';
import type { Send, Sending, SendResult } from '../../src/deliver/sender.ts';
import { createTestSender } from '../../src/deliver/test-message.ts';
import type { Language } from '../../src/time/display.ts';
import { ManualClock } from '../support/manual-clock.ts';

const OPS = {
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  templateSet: 'mine',
  options: { mention_on_error: ['@here'] },
};

const SETTINGS = {
  channels: new Map(),
  compose: () => ({}),
  redact: (text: string) => text,
  delivery: {
    timeoutMs: 5000,
    attemptsPerRequest: 2,
    permanentAttempts: 2,
    takeOverAfterMs: 120_000,
    giveUpAfterMs: 86_400_000,
  },
};

const LIMITED = new DeliveryFailure({
  class: 'rate_limited',
  code: 'ratelimited',
  message: 'Slack answered ratelimited: it asks for fewer messages.',
});

const attemptOf = (outcome: Exclude<SendResult['outcome'], { readonly deferred: unknown }>) => ({
  startedAt: 0,
  durationMs: 41.7,
  outcome,
});

describe('A test message', () => {
  let sent: Sending[];

  const tested = (result: SendResult, language: Language = 'en') => {
    const send: Send = (sending) => {
      sent.push(sending);
      return Promise.resolve(result);
    };
    const sendTest = createTestSender({ clock: new ManualClock(), send, underWay: new DeliveriesUnderWay() });
    return sendTest({ target: OPS, settings: SETTINGS, askedBy: 'admin', language });
  };

  beforeEach(() => {
    sent = [];
  });

  it('is one attempt, by the template set and the options of the destination', async () => {
    await tested({ attempts: [], outcome: { receipt: {} } });
    const [{ addressed, settings, rank } = {} as Sending] = sent;
    expect(addressed).to.deep.include(OPS);
    expect(addressed.notice.template).to.equal('test');
    expect([settings.delivery.attemptsPerRequest, rank]).to.deep.equal([1, 'next']);
  });

  for (const [language, words] of [
    ['en', 'Delivered (channel C1, ts 7).'],
    ['ja', '届きました（channel C1, ts 7）。'],
  ] as const) {
    it(`that was delivered says with which receipt, in ${language}`, async () => {
      const outcome = { receipt: { channel: 'C1', ts: '7' } };
      expect(await tested({ attempts: [attemptOf(outcome)], outcome }, language)).to.deep.equal({
        destination: 'slack:#ops',
        isDelivered: true,
        words,
        errorClass: undefined,
        errorCode: undefined,
        durationMs: 42,
      });
    });
  }

  it('that failed says what is wrong and what to do, in the language asked for', async () => {
    const failure = new DeliveryFailure({ class: 'config', code: 'not_in_channel', message: 'Invite it.' });
    const result = { attempts: [attemptOf({ failure })], outcome: { failure } };
    expect(await tested(result)).to.deep.include({
      isDelivered: false,
      words: 'Invite it.',
      errorClass: 'config',
      errorCode: 'not_in_channel',
    });
    expect((await tested(result, 'ja')).words).to.match(/メンバーではありません/);
  });

  it('that met a rate limit says so, and waits for nothing', async () => {
    const limited = {
      attempts: [attemptOf({ failure: LIMITED })],
      outcome: { deferred: 'rate_limit' },
    } as const;
    expect(await tested(limited)).to.deep.include({ words: LIMITED.message, errorClass: 'rate_limited' });
    const paused = { attempts: [], outcome: { deferred: 'rate_limit' } } as const;
    expect(await tested(paused)).to.deep.include({ errorClass: 'rate_limited', durationMs: 0 });
    expect((await tested(paused)).words).to.match(/^Not sent: .*left alone/);
    expect((await tested({ attempts: [], outcome: { deferred: 'stopping' } })).words).to.match(/is stopping/);
  });
});
