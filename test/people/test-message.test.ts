/** What whoever sends a test is told of it. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AttemptResult, Begun } from '../../src/deliver/attempt.ts';
import { sendTest } from '../../src/people/test-message.ts';
import type { Config } from '../../src/config/config.ts';
import type { Language } from '../../src/time/display.ts';
import { composedOf } from '../support/composed.ts';
import { ManualClock } from '../support/manual-clock.ts';

const OPS = {
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  perJob: 'message',
  templateSet: 'mine',
  options: { mention_on_error: ['@here'] },
} as const;

const SETTINGS: Begun['settings'] = {
  channels: new Map(),
  compose: () => composedOf({}),
  redact: (text: string) => text,
  config: {} as Config,
};

const LIMITED = new DeliveryFailure({
  class: 'rate_limited',
  code: 'ratelimited',
  message: 'Slack answered ratelimited: it asks for fewer messages.',
});

describe('A test message', () => {
  let sent: Begun[];

  const tested = (
    outcome: Pick<AttemptResult, 'receipt' | 'failure'> | undefined,
    language: Language = 'en',
  ) => {
    const request = { target: OPS, settings: SETTINGS, askedBy: 'admin', language };
    return sendTest(request, new ManualClock(), (begun) => {
      sent.push(begun);
      return Promise.resolve(outcome && ({ startedAt: 0, durationMs: 41.7, ...outcome } as AttemptResult));
    });
  };

  beforeEach(() => {
    sent = [];
  });

  it('is one attempt, by the template set and the options of the destination', async () => {
    await tested({ receipt: {} });
    expect(sent).to.have.length(1);
    expect(sent[0]?.addressed).to.deep.include(OPS);
    expect(sent[0]?.addressed.notice.template).to.equal('test');
  });

  for (const [language, words] of [
    ['en', 'Delivered (channel C1, ts 7).'],
    ['ja', '届きました（channel C1, ts 7）。'],
  ] as const) {
    it(`that was delivered says with which receipt, in ${language}`, async () => {
      expect(await tested({ receipt: { channel: 'C1', ts: '7' } }, language)).to.deep.equal({
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
    const [message, japanese] = ['Invite it.', 'アプリがメンバーではありません。'];
    const failure = new DeliveryFailure({ class: 'config', code: 'not_in_channel', message, japanese });
    expect(await tested({ failure })).to.deep.include({
      isDelivered: false,
      words: 'Invite it.',
      errorClass: 'config',
      errorCode: 'not_in_channel',
    });
    expect((await tested({ failure }, 'ja')).words).to.match(/メンバーではありません/);
  });

  it('that met a rate limit, or the pause of it or of a hook that is gone, says so', async () => {
    expect(await tested({ failure: LIMITED })).to.deep.include({
      words: LIMITED.message,
      errorClass: 'rate_limited',
    });
    const paused = await tested(undefined);
    expect(paused).to.deep.include({ errorClass: 'rate_limited', durationMs: 0 });
    expect(paused.words).to.match(/^Not sent: .*limits the rate, or is gone,.*left alone/);
  });

  it('that nobody can confirm, or that an outbox took, is not said to have arrived', async () => {
    expect((await tested({ receipt: { accepted: '202' } })).words).to.equal(
      'Accepted, not confirmed: look whether it has arrived (accepted 202).',
    );
    expect((await tested({ receipt: { accepted: '202' } }, 'ja')).words).to.match(/^受け付けられました/);
    expect((await tested({ receipt: { told: 'nobody' } })).words).to.equal(
      'Printed only: an outbox tells nobody.',
    );
  });
});
