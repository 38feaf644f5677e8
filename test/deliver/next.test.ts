/** What happens next is decided in one place, from class and arrival: each row of that table. */
import { expect } from 'chai';
import { DeliveryFailure, type FailureDetails } from '../../src/channels/failure.ts';
import { type Next, nextAfter } from '../../src/deliver/outcome.ts';

type Row = readonly [Pick<FailureDetails, 'class'> & Partial<FailureDetails>, Next];

const MAYBE = { mayHaveArrived: true };
const PAUSED = { retryAfterMs: 60_000 };

const ROWS: readonly Row[] = [
  [{ class: 'transient' }, 'again'],
  [{ class: 'transient', ...PAUSED }, 'again'],
  [{ class: 'transient', ...MAYBE }, 'retry'],
  [{ class: 'transient', ...MAYBE, ...PAUSED }, 'botbell'],
  [{ class: 'transient', isForLater: true }, 'botbell'],
  [{ class: 'rate_limited' }, 'pause'],
  [{ class: 'rate_limited', ...PAUSED }, 'pause'],
  [{ class: 'config' }, 'mend'],
  [{ class: 'config', ...PAUSED }, 'botbell'],
  [{ class: 'config', ...MAYBE }, 'ask'],
  [{ class: 'config', ...MAYBE, ...PAUSED }, 'ask'],
  [{ class: 'permanent' }, 'never'],
  [{ class: 'permanent', ...MAYBE }, 'never'],
];

describe('what happens after a failure', () => {
  for (const [details, next] of ROWS)
    it(`is ${next} after ${JSON.stringify(details)}`, () => {
      expect(nextAfter(new DeliveryFailure({ code: 'x', message: 'x', ...details }))).to.equal(next);
    });
});
