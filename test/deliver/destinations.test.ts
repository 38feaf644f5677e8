import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import { Calls, Failing, SeenDestinations } from '../../src/deliver/destinations.ts';
import type { SeenDestination } from '../../src/ledger/deliveries/failing.ts';
import { settle } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const OPS = 'slack:#ops';

describe('the calls of a process', () => {
  const begin = (calls: Calls, destinations: number, of: (number: number) => string) =>
    Array.from({ length: destinations }, (_, number) => calls.begin(of(number))).filter(Boolean).length;

  it('to destinations in trouble are half of all at most, so that others have the rest', () => {
    const calls = new Calls();
    const troubled = (number: number) => `down:${number}`;
    for (let number = 0; number < 400; number += 1) calls.note(troubled(number), true);
    expect(begin(calls, 400, troubled)).to.equal(256);
    expect(begin(calls, 400, (number) => `up:${number}`)).to.equal(256);
    calls.end('up:0');
    expect(calls.begin('down:399'), 'with room').to.equal(false);
    calls.note('down:399', false);
    expect(calls.begin('down:399'), 'that has answered').to.equal(true);
  });

  it('that end give their places to the destinations that wait, in turn', async () => {
    const calls = new Calls();
    begin(calls, 512, (number) => `other:${number}`);
    const order: string[] = [];
    const wait = (destination: string) =>
      void calls.waitForPlace(destination).then(() => order.push(destination));
    wait('slack:#a');
    wait('slack:#b');
    await settle();
    expect(order).to.deep.equal([]);
    calls.end('other:0');
    await settle();
    expect(order).to.deep.equal(['slack:#a']);
    calls.end('slack:#a');
    await settle();
    expect(order).to.deep.equal(['slack:#a', 'slack:#b']);
  });
});

describe('what a process knows of failing destinations', () => {
  it('is what the store has, but for what has succeeded here since', () => {
    const failing = new Failing();
    const stored = [{ destination: OPS, first: -130_000, last: -1000 }];
    failing.adopt(stored, 500_000);
    expect([failing.isDown(OPS), failing.down]).to.deep.equal([true, [OPS]]);
    expect(failing.countAttempt(OPS, undefined, 500_500)).to.equal(true);
    failing.adopt(stored, 500_600);
    expect(failing.isDown(OPS), 'not written yet').to.equal(false);
    failing.adopt([{ ...stored[0], destination: OPS, first: -130_000, last: -100 }], 501_000);
    expect(failing.isDown(OPS), 'has failed elsewhere since').to.equal(true);
    for (const failed of ['config', 'permanent', 'rate_limited'] as const)
      expect(failing.countAttempt('slack:#log', failed, 1)).to.equal(undefined);
    expect(failing.countAttempt('slack:#log', undefined, 2), 'says nothing').to.equal(undefined);
  });
});

const told = (endedAt: number): AttemptResult => ({ durationMs: 5, endedAt, receipt: {} });

const failed = (endedAt: number, failureClass: 'config' | 'rate_limited'): AttemptResult => ({
  durationMs: 10,
  endedAt,
  failure: new DeliveryFailure({ class: failureClass, code: 'no', message: 'No.' }),
});

describe('what is seen of destinations', () => {
  it('is the last success and the last failure of each, a rate limit being none, kept until it could be written', async () => {
    const seen = new SeenDestinations();
    for (const result of [failed(100, 'config'), failed(900, 'rate_limited'), told(400), told(500)])
      seen.attempted('slack:#ops', result);
    seen.attempted('slack:#log', told(5));
    await rejectionOf(seen.write({ recordDestinations: () => Promise.reject(new Error('no store')) }));
    let written: readonly SeenDestination[] = [];
    await seen.write({ recordDestinations: (figures) => Promise.resolve(void (written = figures)) });
    const lastError = { class: 'config', code: 'no', message: 'No.' };
    expect(written).to.deep.equal([
      { destination: 'slack:#ops', lastDeliveredAt: 500, lastFailedAt: 100, lastError },
      { destination: 'slack:#log', lastDeliveredAt: 5 },
    ]);
  });
});
