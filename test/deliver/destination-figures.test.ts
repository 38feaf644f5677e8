/** How a destination did last is told without a write for each message. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { SeenDestinations } from '../../src/deliver/destination-figures.ts';
import type { AttemptResult } from '../../src/deliver/sender.ts';
import type { DestinationFigures } from '../../src/ledger/destination-rows.ts';
import { ManualClock } from '../support/manual-clock.ts';

const told = (startedAt: number, durationMs: number): AttemptResult => ({
  startedAt,
  durationMs,
  outcome: { receipt: {} },
});

const failed = (startedAt: number, failureClass: 'config' | 'rate_limited'): AttemptResult => ({
  startedAt,
  durationMs: 10,
  outcome: { failure: new DeliveryFailure({ class: failureClass, code: 'no', message: 'No.' }) },
});

describe('What is seen of destinations', () => {
  let clock: ManualClock;
  let written: DestinationFigures[][];
  let counted: unknown[];
  let trouble: unknown[];
  let isBroken: boolean;
  let seen: SeenDestinations;

  beforeEach(() => {
    clock = new ManualClock(0);
    written = [];
    counted = [];
    trouble = [];
    isBroken = false;
    seen = new SeenDestinations({
      clock,
      onTrouble: (error) => trouble.push(error),
      store: {
        record: (figures, attempts) => {
          if (isBroken) return Promise.reject(new Error('no store'));
          written.push([...figures]);
          counted.push(Object.fromEntries(attempts));
          return Promise.resolve();
        },
      },
    });
  });

  it('is written once for many messages, some seconds later', async () => {
    for (let n = 0; n < 100; n += 1) seen.attempted('slack:#ops', told(1000 + n, n));
    seen.attempted('slack:#log', told(5, 1));
    expect(written).to.deep.equal([]);
    await clock.advance(5000);
    expect(written).to.have.length(1);
    expect(written[0]?.[0]).to.deep.equal({
      destination: 'slack:#ops',
      lastDeliveredAt: 1198,
      lastFailedAt: 0,
      lastError: undefined,
      medianMs: 50,
      slowMs: 95,
    });
    expect(written[0]?.[1]).to.include({ destination: 'slack:#log', medianMs: undefined });
    await clock.advance(60_000);
    expect(written).to.have.length(1);
  });

  it('keeps the last failure; a rate limit is none', async () => {
    seen.attempted('slack:#ops', failed(100, 'config'));
    seen.attempted('slack:#ops', failed(900, 'rate_limited'));
    seen.attempted('slack:#ops', told(500, 5));
    await clock.advance(5000);
    expect(written[0]?.[0]).to.include({ lastDeliveredAt: 505, lastFailedAt: 110 });
    expect(written[0]?.[0]?.lastError).to.deep.equal({ class: 'config', code: 'no', message: 'No.' });
  });

  it('is counted by what each attempt came to, rate limits among them', async () => {
    seen.attempted('slack:#ops', failed(1, 'rate_limited'));
    await clock.advance(5000);
    expect(counted).to.deep.equal([{ rate_limited: 1 }]);
    isBroken = true;
    seen.attempted('slack:#ops', told(2, 1));
    await clock.advance(5000);
    isBroken = false;
    seen.attempted('slack:#log', told(3, 1));
    seen.attempted('slack:#log', failed(4, 'config'));
    await seen.stop();
    expect(counted.slice(1)).to.deep.equal([{ delivered: 2, config: 1 }]);
  });

  it('is written at the end, and again after trouble', async () => {
    isBroken = true;
    seen.attempted('slack:#ops', told(1, 1));
    await clock.advance(5000);
    expect([written.length, trouble.length]).to.deep.equal([0, 1]);
    isBroken = false;
    seen.attempted('slack:#log', told(1, 1));
    await seen.stop();
    expect(written[0]?.map(({ destination }) => destination)).to.deep.equal(['slack:#ops', 'slack:#log']);
  });
});
