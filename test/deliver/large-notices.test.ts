/** Reading what is large from the ledger, one after the other. */
import { expect } from 'chai';
import { LargeNotices } from '../../src/deliver/large-notices.ts';
import { MemoryBudget } from '../../src/deliver/memory-budget.ts';
import type { UnreadNotice } from '../../src/ledger/ledger.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';
import { type Moment, moment } from '../support/moment.ts';

const NOTICE = noticeAbout(callbackWith(), 1);
const MOST = { bytes: 1_000_000, values: 1000 };

function unread(load = { bytes: 1000, values: 10 }): UnreadNotice {
  return { ...load, kept: undefined, read: () => NOTICE };
}

describe('Large notices', () => {
  let clock: ManualClock;
  let budget: MemoryBudget;
  /** Ids, in the order of the reads, each of which ends when it is told to. */
  let reads: { readonly id: number; readonly finish: Moment }[];
  let notices: LargeNotices;
  let read: () => UnreadNotice;

  beforeEach(() => {
    clock = new ManualClock(0);
    budget = new MemoryBudget(clock, MOST);
    reads = [];
    read = () => unread();
    const readNotice = async (id: number) => {
      const finish = moment();
      reads.push({ id, finish });
      await finish.promise;
      return read();
    };
    const readLarge = () => Promise.reject(new Error('it is small'));
    notices = new LargeNotices({ clock, ledger: { readNotice }, budget, readLarge });
  });

  const expectNothingHeld = () => expect(budget.held).to.deep.equal({ bytes: 0, values: 0 });

  it('are read one after the other, and hold memory until they are told', async () => {
    const [first, second] = [notices.load(1, 1000), notices.load(2, 1000)];
    await settle();
    expect(reads.map(({ id }) => id)).to.deep.equal([1]);
    reads[0]?.finish.happen();
    const loaded = await first;
    expect(loaded?.notice).to.equal(NOTICE);
    expect(reads.map(({ id }) => id)).to.deep.equal([1, 2]);
    expect(budget.held.bytes).to.equal(1000);
    reads[1]?.finish.happen();
    for (const each of [loaded, await second]) each?.release();
    expectNothingHeld();
  });

  it('are not read any more when their time is over before their turn has come', async () => {
    const [slow, late] = [notices.load(1, 1000), notices.load(2, 1000)];
    await settle();
    await clock.advance(1000);
    const next = notices.load(3, 2000);
    reads[0]?.finish.happen();
    (await slow)?.release();
    expect(await late).to.equal(undefined);
    await settle();
    expect(reads.map(({ id }) => id)).to.deep.equal([1, 3]);
    reads[1]?.finish.happen();
    (await next)?.release();
    expectNothingHeld();
  });

  it('give back their memory when the time is over before it could be used', async () => {
    const release = budget.takeNow({ bytes: 700_000, values: 1 });
    read = () => unread({ bytes: 500_000, values: 10 });
    const [waiting, slow] = [notices.load(1, 1000), notices.load(2, 5000)];
    await settle();
    reads[0]?.finish.happen();
    await settle();
    read = () => unread();
    release?.();
    await clock.advance(1000);
    reads[1]?.finish.happen();
    expect(await waiting).to.equal(undefined);
    (await slow)?.release();
    expectNothingHeld();
  });
});
