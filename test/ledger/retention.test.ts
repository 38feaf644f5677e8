/** Old callbacks go a little at a time, for as long as the service runs. */
import { expect } from 'chai';
import type { PruneRequest, Sweep } from '../../src/ledger/retention/retention.ts';
import { type Retention, startRetention } from '../../src/ledger/retention/retention.ts';
import { ManualClock } from '../support/manual-clock.ts';

const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;
const INTERVAL_MS = 10 * 60_000;

describe('retention', () => {
  let clock: ManualClock;
  let retention: Retention;
  let asked: (PruneRequest & { at: number })[];
  let causes: number;
  let troubles: unknown[];

  /** @param steps what each step of the sweep through what is done comes to; 'through': nothing further is old */
  const start = (steps: readonly ('more' | 'through' | Error)[], keepMs = KEEP_MS, causesLeft = 0) => {
    const left = [...steps];
    const prune = (request: PruneRequest) => {
      asked.push({ ...request, at: clock.now() });
      const step = request.sweep === 'done' ? (left.shift() ?? 'through') : 'through';
      if (step instanceof Error) return Promise.reject(step);
      return Promise.resolve({ forgotten: 0, lookedAt: 0, isThrough: step === 'through' });
    };
    const tidy = () => Promise.resolve((causes += 1) <= causesLeft);
    retention = startRetention(
      { prune, tidy },
      () => keepMs,
      clock,
      (error) => troubles.push(error),
    );
  };
  const askedOf = (sweep: Sweep) => asked.filter((each) => each.sweep === sweep);

  beforeEach(() => {
    clock = new ManualClock();
    asked = [];
    causes = 0;
    troubles = [];
  });

  afterEach(() => retention.stop());

  it('forgets what is older than it is to be kept, as soon as the service starts', async () => {
    const at = clock.now();
    start([]);
    await clock.advance(0);
    expect(askedOf('done')).to.deep.equal([{ sweep: 'done', at, before: at - KEEP_MS, after: 0 }]);
  });

  it('forgets what reached nobody after three days, or sooner where nothing is kept so long', async () => {
    const at = clock.now();
    start([]);
    await clock.advance(0);
    const request = { sweep: 'reached_nobody', at, after: undefined };
    expect(askedOf('reached_nobody')).to.deep.equal([{ ...request, before: at - 3 * DAY_MS }]);
    await retention.stop();
    start([], DAY_MS);
    await clock.advance(0);
    expect(askedOf('reached_nobody')[1]).to.deep.equal({ ...request, before: at - DAY_MS });
  });

  it('forgets causes of alerts, some at a time', async () => {
    start([], KEEP_MS, 2);
    await clock.advance(1000);
    expect(causes).to.equal(3);
  });

  it('goes on while there is more, with a pause for the callbacks, and then looks again now and then', async () => {
    start(['more', 'more', 'more', 'through']);
    await clock.advance(INTERVAL_MS - 1);
    const times = askedOf('done').map(({ at }) => at);
    expect(times).to.have.length(4);
    expect(new Set(times).size).to.equal(4);
    await clock.advance(INTERVAL_MS);
    expect(askedOf('done').map(({ after }) => after)).to.deep.equal([
      0,
      ...Array<undefined>(4).fill(undefined),
    ]);
  });

  it('looks again only once a day at what had to stay', async () => {
    start(['more']);
    await clock.advance(DAY_MS - INTERVAL_MS);
    const begun = () => askedOf('done').filter(({ after }) => after === 0).length;
    expect(begun()).to.equal(1);
    await clock.advance(2 * INTERVAL_MS);
    expect(begun()).to.equal(2);
    expect(askedOf('reached_nobody').every(({ after }) => after === undefined)).to.equal(true);
  });

  it('says so when the store cannot be used, and tries again later', async () => {
    start([new Error('locked'), 'more']);
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
    const { length } = asked;
    await clock.advance(10 * INTERVAL_MS);
    expect(asked).to.have.length(length);
    expect(clock.sleeping).to.equal(0);
  });
});
