/** How a destination did last is gathered, and written when the store can be. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import { SeenDestinations } from '../../src/deliver/destinations.ts';
import type { SeenDestination } from '../../src/ledger/deliveries/failing.ts';
import { rejectionOf } from '../support/rejection-of.ts';

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
