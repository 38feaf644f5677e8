import { expect } from 'chai';
import { redactor, secretsHidden } from '../../src/text/hide-secrets.ts';
import type { Channel, Outgoing } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import {
  type AttemptDependencies,
  type AttemptResult,
  Sending,
  type SendingSettings,
} from '../../src/deliver/attempt.ts';
import type { Config } from '../../src/config/config.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import { noticeOfAlert } from '../../src/notice/notice.ts';
import { DEAD_LETTER, raised } from '../support/alerts.ts';
import { composedOf } from '../support/composed.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { plannedTo, POLICY } from './delivery-record.ts';

const NOTICE: AddressedNotice = { notice: noticeAbout(callbackWith(), 1), ...plannedTo('slack:#ops') };

const SECRET = 'xoxb-very-secret';

function failureOf({ failure }: AttemptResult): DeliveryFailure {
  if (failure !== undefined) return failure;
  throw new Error('it was delivered');
}

describe('an attempt', () => {
  let clock: ManualClock;
  let reported: [AddressedNotice, AttemptResult][];

  const attemptAt = (send: Channel['send'], others: Partial<AttemptDependencies & SendingSettings> = {}) => {
    const pace = { addressMs: 0, channelMs: 0, mark: 'aa' };
    const settings: SendingSettings = {
      config: { delivery: POLICY } as unknown as Config,
      channels: new Map([['slack', { pace, channel: { send } as Channel }]]),
      compose: () => composedOf({ text: 'hello' }),
      redact: redactor(secretsHidden([SECRET])),
      ...others,
    };
    const dependencies = {
      clock,
      onAttempt: (addressed: AddressedNotice, result: AttemptResult) => reported.push([addressed, result]),
      ...others,
    };
    return (addressed: AddressedNotice, isOwn = false, onPastTime?: () => void) => {
      const sending = new Sending(settings, dependencies);
      // As a delivery, which may go on past its time limit.
      Object.assign(sending, { onPastTime });
      return sending.attempt(addressed, isOwn);
    };
  };

  let sent: Outgoing[];
  /** Over a channel that keeps what it is given. */
  const keep = (addressed: AddressedNotice) => {
    const attempt = attemptAt(async (outgoing) => {
      sent.push(outgoing);
      await clock.sleep(250);
      return { ts: '1.2' };
    });
    return clock.runUntil(attempt(addressed));
  };

  beforeEach(() => {
    clock = new ManualClock();
    [reported, sent] = [[], []];
  });

  it('sends what was composed and times it', async () => {
    const result = await keep(NOTICE);
    expect(sent).to.have.lengthOf(1);
    expect(sent[0]).to.deep.include({ address: '#ops', message: { text: 'hello' }, timeoutMs: 5000 });
    expect(sent[0]?.idempotencyKey()).to.match(/^[0-9a-f]{64}$/);
    expect(result).to.deep.include({ durationMs: 250, endedAt: clock.monotonic(), receipt: { ts: '1.2' } });
    expect(reported).to.deep.equal([[NOTICE, result]]);
  });

  it('sends as a reply what says to which message it is one', async () => {
    const notice = { ...noticeOfAlert(raised(DEAD_LETTER)), repliesTo: { ts: '1.2' } };
    await keep({ ...NOTICE, notice });
    expect(sent[0]?.perJob).to.deep.equal({ mode: 'thread', root: { ts: '1.2' }, isLoud: true });
  });

  it('gives every attempt to tell the same there the same key, and what is wanted anew another one', async () => {
    await keep(NOTICE);
    await keep({ ...NOTICE, notice: noticeAbout(callbackWith({ elapsed_time: 99 }), 2) });
    await keep({ ...NOTICE, destination: 'slack:#log' });
    await keep({ ...NOTICE, notice: noticeAbout(callbackWith({ job_id: 'another' }), 1) });
    await keep({ ...NOTICE, anew: '5' });
    // A run may be overdue by two limits: each notice has an identity of its own.
    for (const identity of ['by 30 m', 'by 2 h'])
      await keep({ ...NOTICE, notice: { ...noticeAbout(callbackWith(), 1), identity } });
    const keys = sent.map(({ idempotencyKey }) => idempotencyKey());
    expect(keys[1]).to.equal(keys[0]);
    expect(new Set(keys)).to.have.length(6);
  });

  const limited = { class: 'rate_limited', code: 'slow', message: 'slow down', retryAfterMs: 7000 } as const;
  const takes = () => Promise.resolve({});
  const deep = () => {
    throw new RangeError(`too deep ${SECRET}`);
  };
  const ended = { class: 'transient', code: 'unexpected', message: 'terminated' };
  const failed: [string, Channel['send'], object, Parameters<typeof attemptAt>[1]?][] = [
    ['class, code and pause of a failure', () => Promise.reject(new DeliveryFailure(limited)), limited],
    ['an error without a class, as one that may pass', () => Promise.reject(new Error('terminated')), ended],
    ['what composing throws', takes, { class: 'transient', message: 'too deep [secret]' }, { compose: deep }],
    ['a channel that is gone', takes, { class: 'config', code: 'unknown_channel' }, { channels: new Map() }],
  ];
  for (const [what, send, expected, overrides] of failed)
    it(`passes on ${what}, and reports it`, async () => {
      expect(failureOf(await attemptAt(send, overrides)(NOTICE))).to.include(expected);
      expect(reported).to.have.length(1);
    });

  it('goes on past the time limit of a POST for half a minute where no POST waits for it, and says so, since its claim must last', async () => {
    let longer = 0;
    let limit = 0;
    const send = attemptAt(async ({ timeoutMs }) => {
      limit = timeoutMs;
      await clock.sleep(29_000);
      return { ts: '1.2' };
    });
    const result = await clock.runUntil(send(NOTICE, true, () => void (longer += 1)));
    expect([limit, longer, result.durationMs]).to.deep.equal([30_000, 1, 29_000]);
    expect(result.receipt).to.deep.equal({ ts: '1.2' });
  });

  it('goes on past the time limit for ten minutes where the whole message was sent and may be answered yet', async () => {
    let longer = 0;
    const takes = (ms: number) =>
      attemptAt(async ({ onHandedOver }) => {
        onHandedOver?.();
        await clock.sleep(ms);
        return { ts: '1.2' };
      });
    const onPastTime = () => void (longer += 1);
    const late = await clock.runUntil(takes(600_000)(NOTICE, false, onPastTime));
    expect([late.receipt, longer]).to.deep.equal([{ ts: '1.2' }, 1]);
    const silent = await clock.runUntil(takes(700_000)(NOTICE, false, onPastTime));
    expect(failureOf(silent)).to.include({ code: 'ETIMEDOUT', mayHaveArrived: true });
    expect((await clock.runUntil(takes(600_000)(NOTICE))).durationMs).to.equal(5250);
  });

  it('cuts off a channel that ignores its time limit as a failure after which the message may have arrived', async () => {
    const result = await clock.runUntil(attemptAt(() => new Promise(() => undefined))(NOTICE));
    expect(failureOf(result)).to.include({ class: 'transient', code: 'ETIMEDOUT' });
    expect(failureOf(result).message).to.contain('slack').and.contain('may have arrived');
    expect(result).to.include({ durationMs: 5250, endedAt: clock.monotonic() });
    expect(reported).to.deep.equal([[NOTICE, result]]);
  });

  it('cuts off a channel that ignores its time limit but not before the channel could have said what it reached', async () => {
    const failure = new DeliveryFailure({ class: 'transient', code: 'x', message: 'nothing was sent' });
    const send = attemptAt(async () => {
      await clock.sleep(5000);
      throw failure;
    });
    expect(failureOf(await clock.runUntil(send(NOTICE))).message).to.equal('nothing was sent');
    await clock.advance(60_000);
    expect(reported).to.have.length(1);
  });

  it('lets no secret out of a receipt, but for a message that a channel keeps, or of whatever is thrown', async () => {
    const receipt = { ts: '1.2', card_refused_reason: `no ${SECRET}`, message: 'a\nb' };
    const told = await attemptAt(() => Promise.resolve(receipt))(NOTICE);
    expect(told.receipt).to.deep.equal({ ...receipt, card_refused_reason: 'no [secret]' });
    for (const error of [
      new DeliveryFailure({ class: 'config', code: SECRET, message: `bad ${SECRET}` }),
      new Error(`bad ${SECRET}`, { cause: SECRET }),
      SECRET,
      { token: SECRET, toString: () => SECRET },
      undefined,
      Object.create(null),
      Symbol(SECRET),
    ]) {
      const send = attemptAt(() => {
        throw error;
      });
      const { class: failureClass, code, message, stack, cause } = failureOf(await send(NOTICE));
      expect(message).not.to.equal('');
      expect(JSON.stringify([failureClass, code, message, stack, String(cause)])).not.to.contain(SECRET);
    }
  });
});
