/** How far one request goes with one delivery. */
import { expect } from 'chai';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import {
  type AttemptResult,
  type Send,
  createSender,
  type Sending,
  type SendResult,
} from '../../src/deliver/sender.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import { DeliveryUnderWay } from '../../src/deliver/deliveries-under-way.ts';
import { Lanes } from '../../src/deliver/lanes.ts';
import { memoryPaces } from '../support/memory-paces.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import type { Clock } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const WITHIN_MS = 8000;

const SETTINGS = { channels: new Map(), compose: () => ({}), redact: (text: string) => text };
const DELIVERY = {
  timeoutMs: 5000,
  permanentAttempts: 2,
  takeOverAfterMs: 120_000,
  giveUpAfterMs: 86_400_000,
};

function noticeTo(destination: string): AddressedNotice {
  const [channel = '', address = ''] = destination.split(/:(.*)/s);
  const target = { destination, channel, address, templateSet: undefined, options: {} };
  return { ...target, notice: noticeAbout(callbackWith(), 1) };
}

const OPS = noticeTo('slack:#ops');
const LOG = noticeTo('slack:#log');

type Outcome = AttemptResult['outcome'];

const TOLD: Outcome = { receipt: { ts: '1' } };

function failing(failureClass: FailureClass, retryAfterMs?: number): Outcome {
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { failure: new DeliveryFailure({ class: failureClass, code: 'x', message: 'no', ...pause }) };
}

function throwIt(error: unknown): void {
  throw error;
}

function deferralOf({ outcome }: SendResult): string {
  return 'deferred' in outcome ? outcome.deferred : 'attempted';
}

function failureOf({ outcome }: SendResult): DeliveryFailure {
  if ('failure' in outcome) return outcome.failure;
  throw new Error('it was delivered');
}

describe('a sender', () => {
  let clock: ManualClock;
  let lanes: Lanes;
  let startedAt: number;
  let attemptsPerRequest = 2;
  /** When each attempt began, counted from the start of the test, and at whom. */
  let begun: [number, string][];

  /** Plays the outcomes in order, each after so many milliseconds. */
  const senderWith = (outcomes: readonly Outcome[], attempts = 2, tookMs = 100): Send => {
    attemptsPerRequest = attempts;
    const left = [...outcomes];
    return createSender({
      clock,
      lanes,
      random: () => 0.5,
      async attempt({ addressed: { destination } }) {
        const attemptAt = clock.now();
        begun.push([attemptAt - startedAt, destination]);
        await clock.sleep(tookMs);
        return { startedAt: attemptAt, durationMs: tookMs, outcome: left.shift() ?? TOLD };
      },
    });
  };

  const take = (sender: Send, addressed = OPS, withinMs = WITHIN_MS) =>
    clock.runUntil(sender(sendingTo(addressed, withinMs)));

  const sendingTo = (addressed: AddressedNotice, withinMs = WITHIN_MS): Sending => ({
    addressed,
    settings: { ...SETTINGS, delivery: { ...DELIVERY, attemptsPerRequest } },
    delivery: new DeliveryUnderWay(1),
    deadline: clock.monotonic() + withinMs,
    rank: 'new',
  });

  beforeEach(() => {
    clock = new ManualClock();
    lanes = new Lanes({
      clock,
      store: memoryPaces(clock),
      paceOf: () => ({ addressMs: 1000, channelMs: 200 }),
      onTrouble: throwIt,
    });
    startedAt = clock.now();
    begun = [];
  });

  it('is through when the first attempt is', async () => {
    const sent = await take(senderWith([TOLD]));
    expect(sent.outcome).to.deep.equal(TOLD);
    expect(sent.attempts).to.have.length(1);
  });

  it('tries again inside the request, a little later, what may pass', async () => {
    const sent = await take(senderWith([failing('transient'), TOLD]));
    expect(sent.outcome).to.deep.equal(TOLD);
    expect(begun.map(([at]) => at)).to.deep.equal([0, 300]);
    expect(sent.attempts.map(({ outcome }) => 'failure' in outcome)).to.deep.equal([true, false]);
  });

  it('waits twice as long after each further failure, at random', async () => {
    const failure = failing('transient');
    await take(senderWith([failure, failure, failure, TOLD], 4));
    expect(begun.map(([at]) => at)).to.deep.equal([0, 300, 800, 1700]);
  });

  it('leaves a destination alone for half a minute that did not say how long', async () => {
    const sent = await take(senderWith([failing('rate_limited'), TOLD]), OPS, 60_000);
    expect(sent.outcome).to.deep.equal(TOLD);
    expect(begun.map(([at]) => at)).to.deep.equal([0, 30_100]);
  });

  it('ends with the last failure when the attempts of one request are used up', async () => {
    const sent = await take(senderWith([failing('transient'), failing('transient'), TOLD]));
    expect(failureOf(sent).class).to.equal('transient');
    expect(sent.attempts).to.have.length(2);
  });

  it('tries only once what no retry soon cures', async () => {
    for (const failureClass of ['permanent', 'config'] as const) {
      const sent = await take(senderWith([failing(failureClass), TOLD]));
      expect(sent.attempts).to.have.length(1);
    }
  });

  it('obeys a Retry-After that fits, to the millisecond', async () => {
    const sent = await take(senderWith([failing('rate_limited', 3000), TOLD]));
    expect(sent.outcome).to.deep.equal(TOLD);
    expect(begun.map(([at]) => at)).to.deep.equal([0, 3100]);
  });

  it('is through at once when Retry-After does not fit', async () => {
    const sent = await take(senderWith([failing('rate_limited', 60_000), TOLD]));
    expect(clock.now() - startedAt).to.equal(100);
    expect(deferralOf(sent)).to.equal('rate_limit');
    expect(sent.attempts).to.have.length(1);
  });

  it('waits for as many rate limits as fit: they are no failures', async () => {
    const limited = failing('rate_limited', 1000);
    const sent = await take(senderWith([limited, limited, limited, limited, TOLD], 1));
    expect(sent.outcome).to.deep.equal(TOLD);
  });

  it('leaves a destination alone that asked for it until its time, and no other', async () => {
    const sender = senderWith([failing('rate_limited', 60_000), TOLD]);
    await take(sender);
    const early = await take(sender);
    expect([early.attempts, deferralOf(early)]).to.deep.equal([[], 'rate_limit']);
    expect((await take(sender, LOG)).outcome).to.deep.equal(TOLD);
    await clock.advance(60_000);
    expect((await take(sender)).outcome).to.deep.equal(TOLD);
  });

  it('does not keep other remotes waiting', async () => {
    const sender = senderWith([failing('rate_limited', 60_000), TOLD]);
    await take(sender);
    expect((await take(sender, noticeTo('email:a@example.com'))).outcome).to.deep.equal(TOLD);
  });

  it('begins no attempt when the answer is due', async () => {
    const sender = senderWith([TOLD]);
    const sent = await take(sender, OPS, 0);
    expect(begun).to.deep.equal([]);
    expect(deferralOf(sent)).to.equal('time');
  });

  it('begins no second attempt that could not finish before the answer is due', async () => {
    const sent = await take(senderWith([failing('transient'), TOLD]), OPS, 399);
    expect(sent.attempts).to.have.length(1);
    expect(begun).to.have.length(1);
  });

  it('sees an attempt through that the answer did not wait for', async () => {
    const sent = await take(senderWith([TOLD], 2, 20_000));
    expect(sent.outcome).to.deep.equal(TOLD);
  });

  it('begins nothing more when its timer fires later than it should', async () => {
    const late: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms) => clock.sleep(ms + WITHIN_MS),
      startTimer: (ms, onTime) => clock.startTimer(ms + WITHIN_MS, onTime),
    };
    lanes = new Lanes({
      clock: late,
      store: memoryPaces(clock),
      paceOf: () => ({ addressMs: 1000, channelMs: 200 }),
      onTrouble: throwIt,
    });
    attemptsPerRequest = 5;
    const sender = createSender({
      clock: late,
      lanes,
      random: () => 0.5,
      attempt: () => {
        begun.push([0, '']);
        return Promise.resolve({ startedAt: 0, durationMs: 0, outcome: failing('transient') });
      },
    });
    const sent = await take(sender);
    expect(begun).to.have.length(1);
    expect(deferralOf(sent)).to.equal('time');
  });
});
