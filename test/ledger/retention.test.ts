/** Old callbacks go a little at a time, for as long as the service runs. */
import { expect } from 'chai';
import { type Retention, startRetention } from '../../src/ledger/retention.ts';
import { ManualClock } from '../support/manual-clock.ts';

const KEEP_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
const INTERVAL_MS = 10 * 60_000;

describe('retention', () => {
  let clock: ManualClock;
  let retention: Retention;
  let asked: { at: number; before: number; after: number }[];
  let troubles: unknown[];

  /** @param steps the id that each one comes to; 'through': nothing further is old */
  const start = (steps: readonly (number | 'through' | Error)[]) => {
    const left = [...steps];
    const prune = (before: number, after: number) => {
      asked.push({ at: clock.now(), before, after });
      const step = left.shift() ?? 'through';
      if (step instanceof Error) return Promise.reject(step);
      const isThrough = step === 'through';
      return Promise.resolve({ forgotten: 0, lookedAt: isThrough ? after : step, isThrough });
    };
    retention = startRetention({ prune }, KEEP_MS, clock, (error) => troubles.push(error));
  };
  const lookedAfter = () => asked.map(({ after }) => after);

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
    expect(asked).to.deep.equal([{ at: startedAt, before: startedAt - KEEP_MS, after: 0 }]);
  });

  it('goes on while there is more, with a pause for the callbacks, and then looks again now and then', async () => {
    start([100, 200, 207, 'through']);
    await clock.advance(INTERVAL_MS);
    expect(asked).to.have.length(4);
    expect(asked.every(({ at }, index) => index === 0 || at > (asked[index - 1]?.at ?? 0))).to.equal(true);
    await clock.advance(INTERVAL_MS);
    expect(lookedAfter()).to.deep.equal([0, 100, 200, 207, 207]);
  });

  it('looks again only once a day at what had to stay', async () => {
    start([5000]);
    await clock.advance(DAY_MS - INTERVAL_MS);
    expect(
      lookedAfter()
        .slice(1)
        .every((after) => after === 5000),
    ).to.equal(true);
    await clock.advance(2 * INTERVAL_MS);
    expect(lookedAfter().filter((after) => after === 0)).to.have.length(2);
  });

  it('says so when the store cannot be used, and tries again later', async () => {
    start([new Error('locked'), 100]);
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
