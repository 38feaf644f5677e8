/** How far one request goes with one delivery. */
import { expect } from 'chai';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import { type Courier, createCourier, type Leg, type Trip } from '../../src/deliver/courier.ts';
import type { AttemptResult } from '../../src/deliver/messenger.ts';
import type { AddressedNotice } from '../../src/deliver/plan.ts';
import { DeliveryUnderWay } from '../../src/deliver/deliveries-under-way.ts';
import { Lanes } from '../../src/deliver/lanes.ts';
import { memoryPaces } from '../support/memory-paces.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import type { Clock } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const WITHIN_MS = 8000;

const SETTINGS = { channels: new Map(), compose: () => ({}), redact: (text: string) => text };

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

function deferralOf({ outcome }: Trip): string {
  return 'deferred' in outcome ? outcome.deferred : 'attempted';
}

function failureOf({ outcome }: Trip): DeliveryFailure {
  if ('failure' in outcome) return outcome.failure;
  throw new Error('it was delivered');
}

describe('a courier', () => {
  let clock: ManualClock;
  let lanes: Lanes;
  let startedAt: number;
  let attemptsPerRequest = 2;
  /** When each attempt began, counted from the start of the test, and at whom. */
  let begun: [number, string][];

  /** Plays the outcomes in order, each after so many milliseconds. */
  const courierWith = (outcomes: readonly Outcome[], attempts = 2, tookMs = 100): Courier => {
    attemptsPerRequest = attempts;
    const left = [...outcomes];
    return createCourier({
      clock,
      lanes,
      random: () => 0.5,
      async send({ destination }) {
        const attemptAt = clock.now();
        begun.push([attemptAt - startedAt, destination]);
        await clock.sleep(tookMs);
        return { startedAt: attemptAt, durationMs: tookMs, outcome: left.shift() ?? TOLD };
      },
    });
  };

  const take = (courier: Courier, addressed = OPS, withinMs = WITHIN_MS) =>
    clock.runUntil(courier(legOf(addressed, withinMs)));

  const legOf = (addressed: AddressedNotice, withinMs = WITHIN_MS): Leg => ({
    addressed,
    settings: { ...SETTINGS, delivery: { timeoutMs: 5000, attemptsPerRequest } },
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
    const trip = await take(courierWith([TOLD]));
    expect(trip.outcome).to.deep.equal(TOLD);
    expect(trip.attempts).to.have.length(1);
  });

  it('tries again inside the request, a little later, what may pass', async () => {
    const trip = await take(courierWith([failing('transient'), TOLD]));
    expect(trip.outcome).to.deep.equal(TOLD);
    expect(begun.map(([at]) => at)).to.deep.equal([0, 300]);
    expect(trip.attempts.map(({ outcome }) => 'failure' in outcome)).to.deep.equal([true, false]);
  });

  it('ends with the last failure when the attempts of one request are used up', async () => {
    const trip = await take(courierWith([failing('transient'), failing('transient'), TOLD]));
    expect(failureOf(trip).class).to.equal('transient');
    expect(trip.attempts).to.have.length(2);
  });

  it('tries only once what no retry soon cures', async () => {
    for (const failureClass of ['permanent', 'config'] as const) {
      const trip = await take(courierWith([failing(failureClass), TOLD]));
      expect(trip.attempts).to.have.length(1);
    }
  });

  it('obeys a Retry-After that fits, to the millisecond', async () => {
    const trip = await take(courierWith([failing('rate_limited', 3000), TOLD]));
    expect(trip.outcome).to.deep.equal(TOLD);
    expect(begun.map(([at]) => at)).to.deep.equal([0, 3100]);
  });

  it('is through at once when Retry-After does not fit', async () => {
    const trip = await take(courierWith([failing('rate_limited', 60_000), TOLD]));
    expect(clock.now() - startedAt).to.equal(100);
    expect(deferralOf(trip)).to.equal('rate_limit');
    expect(trip.attempts).to.have.length(1);
  });

  it('waits for as many rate limits as fit: they are no failures', async () => {
    const limited = failing('rate_limited', 1000);
    const trip = await take(courierWith([limited, limited, limited, limited, TOLD], 1));
    expect(trip.outcome).to.deep.equal(TOLD);
  });

  it('leaves a destination alone that asked for it until its time, and no other', async () => {
    const courier = courierWith([failing('rate_limited', 60_000), TOLD]);
    await take(courier);
    const early = await take(courier);
    expect([early.attempts, deferralOf(early)]).to.deep.equal([[], 'rate_limit']);
    expect((await take(courier, LOG)).outcome).to.deep.equal(TOLD);
    await clock.advance(60_000);
    expect((await take(courier)).outcome).to.deep.equal(TOLD);
  });

  it('does not keep other remotes waiting', async () => {
    const courier = courierWith([failing('rate_limited', 60_000), TOLD]);
    await take(courier);
    expect((await take(courier, noticeTo('email:a@example.com'))).outcome).to.deep.equal(TOLD);
  });

  it('begins no attempt when the answer is due', async () => {
    const courier = courierWith([TOLD]);
    const trip = await take(courier, OPS, 0);
    expect(begun).to.deep.equal([]);
    expect(deferralOf(trip)).to.equal('time');
  });

  it('begins no second attempt that could not finish before the answer is due', async () => {
    const trip = await take(courierWith([failing('transient'), TOLD]), OPS, 399);
    expect(trip.attempts).to.have.length(1);
    expect(begun).to.have.length(1);
  });

  it('sees an attempt through that the answer did not wait for', async () => {
    const trip = await take(courierWith([TOLD], 2, 20_000));
    expect(trip.outcome).to.deep.equal(TOLD);
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
    const courier = createCourier({
      clock: late,
      lanes,
      random: () => 0.5,
      send: () => {
        begun.push([0, '']);
        return Promise.resolve({ startedAt: 0, durationMs: 0, outcome: failing('transient') });
      },
    });
    const trip = await take(courier);
    expect(begun).to.have.length(1);
    expect(deferralOf(trip)).to.equal('time');
  });
});
