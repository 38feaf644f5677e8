/** How a destination did last is told without a write for each message. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import { SeenDestinations } from '../../src/deliver/figures.ts';
import type { SeenDestination } from '../../src/ledger/operations/destinations.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const told = (startedAt: number, durationMs: number): AttemptResult => ({
  startedAt,
  durationMs,
  receipt: {},
});

const failed = (startedAt: number, failureClass: 'config' | 'rate_limited'): AttemptResult => ({
  startedAt,
  durationMs: 10,
  failure: new DeliveryFailure({ class: failureClass, code: 'no', message: 'No.' }),
});

describe('what is seen of destinations', () => {
  let written: SeenDestination[][];
  let isBroken: boolean;
  let seen: SeenDestinations;
  let ledger: Parameters<SeenDestinations['write']>[0];

  beforeEach(() => {
    written = [];
    isBroken = false;
    seen = new SeenDestinations();
    ledger = {
      recordDestinations: (figures) => {
        if (isBroken) return Promise.reject(new Error('no store'));
        written.push([...figures]);
        return Promise.resolve();
      },
    };
  });

  it('is written once for many messages', async () => {
    for (let n = 0; n < 100; n += 1) seen.attempted('slack:#ops', told(1000 + n, n));
    seen.attempted('slack:#log', told(5, 1));
    await seen.write(ledger);
    await seen.write(ledger);
    expect(written).to.have.length(1);
    expect(written[0]?.[0]).to.deep.equal({ destination: 'slack:#ops', lastDeliveredAt: 1198 });
    expect(written[0]?.[1]).to.include({ destination: 'slack:#log' });
  });

  it('keeps the last failure; a rate limit is none', async () => {
    seen.attempted('slack:#ops', failed(100, 'config'));
    seen.attempted('slack:#ops', failed(900, 'rate_limited'));
    seen.attempted('slack:#ops', told(500, 5));
    await seen.write(ledger);
    expect(written[0]?.[0]).to.include({ lastDeliveredAt: 505, lastFailedAt: 110 });
    expect(written[0]?.[0]?.lastError).to.deep.equal({ class: 'config', code: 'no', message: 'No.' });
  });

  it('is kept until it could be written', async () => {
    isBroken = true;
    seen.attempted('slack:#ops', told(1, 1));
    await rejectionOf(seen.write(ledger));
    isBroken = false;
    await seen.write(ledger);
    expect(written[0]?.map(({ destination }) => destination)).to.deep.equal(['slack:#ops']);
  });
});
