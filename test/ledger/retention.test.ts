/** Old callbacks go a little at a time, for as long as the service runs. */
import { expect } from 'chai';
import { type Retention, startRetention } from '../../src/ledger/retention.ts';
import { ManualClock } from '../support/manual-clock.ts';

const KEEP_MS = 30 * 86_400_000;
const INTERVAL_MS = 10 * 60_000;

describe('retention', () => {
  let clock: ManualClock;
  let retention: Retention;
  let asked: { at: number; before: number }[];
  let troubles: unknown[];

  const start = (steps: readonly (number | Error)[]) => {
    const left = [...steps];
    const prune = (before: number) => {
      asked.push({ at: clock.now(), before });
      const step = left.shift() ?? 0;
      return typeof step === 'number' ? Promise.resolve(step) : Promise.reject(step);
    };
    retention = startRetention({ prune }, KEEP_MS, clock, (error) => troubles.push(error));
  };

  beforeEach(() => {
    clock = new ManualClock();
    asked = [];
    troubles = [];
  });

  afterEach(() => retention.stop());

  it('forgets what is older than it is to be kept, as soon as the service starts', async () => {
    const startedAt = clock.now();
    start([]);
    await clock.advance(0);
    expect(asked).to.deep.equal([{ at: startedAt, before: startedAt - KEEP_MS }]);
  });

  it('goes on while there is more, with a pause for the callbacks, and then looks again now and then', async () => {
    start([200, 200, 7, 0]);
    await clock.advance(INTERVAL_MS);
    expect(asked).to.have.length(4);
    expect(asked.every(({ at }, index) => index === 0 || at > (asked[index - 1]?.at ?? 0))).to.equal(true);
    await clock.advance(INTERVAL_MS);
    expect(asked).to.have.length(5);
  });

  it('says so when the store cannot be used, and tries again later', async () => {
    start([new Error('locked'), 5]);
    await clock.advance(0);
    expect(troubles).to.have.length(1);
    await clock.advance(INTERVAL_MS);
    expect(asked.length).to.be.greaterThan(1);
    expect(troubles).to.have.length(1);
  });

  it('stops at once', async () => {
    start([]);
    await clock.advance(0);
    await retention.stop();
    await clock.advance(10 * INTERVAL_MS);
    expect(asked).to.have.length(1);
    expect(clock.sleeping).to.equal(0);
  });
});
