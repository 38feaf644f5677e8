/** What callbacks hold together stays within the memory there is, and nobody waits for ever for his part of it. */
import { expect } from 'chai';
import { type Load, MemoryBudget, memoryFor } from '../../src/deliver/memory-budget.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MOST = { bytes: 256_000, values: 25_600 };
const NOTHING = { bytes: 0, values: 0 };
/** At the most a small one. */
const SMALL = { bytes: 1000, values: 100 };
/** The largest. */
const LARGE = { bytes: 192_000, values: 19_200 };

describe('the memory budget', () => {
  let clock: ManualClock;
  let budget: MemoryBudget;
  let taken: string[];

  beforeEach(() => {
    clock = new ManualClock();
    budget = new MemoryBudget(clock, MOST);
    taken = [];
  });

  /** @returns what gives it back, once it has been taken */
  function take(name: string, load: Load, withinMs = 8000): () => void {
    let release: (() => void) | undefined;
    const noted = async () => {
      release = await budget.take(load, clock.monotonic() + withinMs);
      taken.push(release === undefined ? `not ${name}` : name);
    };
    void noted();
    return () => release?.();
  }

  it('gives a load at once where it fits, and counts it until it is given back, once', async () => {
    const giveBack = take('it', LARGE);
    await clock.advance(0);
    expect(taken).to.deep.equal(['it']);
    expect(budget.held).to.deep.equal(LARGE);
    giveBack();
    giveBack();
    expect(budget.held).to.deep.equal(NOTHING);
    expect(clock.sleeping).to.equal(0);
  });

  it('lets wait what does not fit, and serves it in the order in which it came', async () => {
    const giveBack = take('first', LARGE);
    take('second', { bytes: 100_000, values: 10 });
    take('third', { bytes: 50_000, values: 19_191 });
    await clock.advance(100);
    expect(taken).to.deep.equal(['first']);
    giveBack();
    await clock.advance(0);
    expect(taken).to.deep.equal(['first', 'second']);
    expect(budget.waiting).to.equal(1);
  });

  it('bounds bytes and values each for itself', async () => {
    take('bytes', { bytes: 100_000, values: 1 });
    take('values', { bytes: 1, values: 10_000 });
    take('more bytes', { bytes: 100_000, values: 1 });
    await clock.advance(8000);
    take('more values', { bytes: 1, values: 10_000 });
    await clock.advance(8000);
    expect(taken).to.deep.equal(['bytes', 'values', 'not more bytes', 'not more values']);
  });

  it('gives up at the deadline, and lets those behind have what it waited for', async () => {
    take('first', { bytes: 150_000, values: 10 });
    take('second', { bytes: 150_000, values: 10 }, 500);
    take('third', { bytes: 20_000, values: 10 });
    await clock.advance(499);
    expect(taken).to.deep.equal(['first']);
    await clock.advance(1);
    expect(taken).to.deep.equal(['first', 'not second', 'third']);
    expect(clock.sleeping).to.equal(0);
  });

  it('takes nothing after the deadline but what fits at once', async () => {
    take('first', LARGE, 0);
    take('second', LARGE, 0);
    await clock.advance(0);
    expect(taken).to.deep.equal(['first', 'not second']);
  });

  it('does not let small loads wait for large ones', async () => {
    take('large', LARGE);
    take('large, too', LARGE);
    for (let index = 0; index < 64; index += 1) take(`small ${index}`, SMALL);
    await clock.advance(0);
    expect(taken).to.have.lengthOf(65).and.not.to.include('large, too');
    expect(budget.held).to.deep.equal(MOST);
  });

  it('does not let a large load wait for ever while small ones keep coming', async () => {
    const small = Array.from({ length: 256 }, (_, index) => take(`small ${index}`, SMALL));
    take('large', LARGE);
    await clock.advance(0);
    expect(taken).to.have.lengthOf(256);
    for (const [index, giveBack] of small.entries()) {
      giveBack();
      take(`another ${index}`, SMALL);
      await clock.advance(1);
    }
    expect(taken.filter((each) => !each.startsWith('not')).indexOf('large')).to.equal(256);
  });

  it('gives small loads all there is while no large one waits', async () => {
    for (let index = 0; index < 257; index += 1) take(`small ${index}`, SMALL);
    await clock.advance(0);
    expect(taken).to.have.lengthOf(256);
    expect(budget.waiting).to.equal(1);
  });

  it('refuses at once what is larger than anything it ever takes', async () => {
    take('too large', { bytes: LARGE.bytes + 1, values: 1 });
    await clock.advance(0);
    expect(taken).to.deep.equal(['not too large']);
    expect(budget.largest).to.deep.equal(LARGE);
  });

  it('lets no more wait than it may hold itself, in bytes', async () => {
    take('first', LARGE);
    take('second', LARGE);
    take('third', LARGE);
    await clock.advance(0);
    expect(taken).to.deep.equal(['first', 'not third']);
  });

  it('lets no more than a thousand or so wait', async () => {
    take('large', LARGE);
    for (let index = 0; index < 1100; index += 1) take('waiting', { bytes: 1, values: 10_000 });
    await clock.advance(0);
    expect(taken.filter((each) => each === 'not waiting')).to.have.lengthOf(1100 - 1024);
    await clock.advance(8000);
    expect(budget.waiting).to.equal(0);
    expect(budget.held).to.deep.equal(LARGE);
  });

  it('holds nothing in the end, whatever came and went', async () => {
    const given: (() => void)[] = [];
    for (let index = 0; index < 500; index += 1) {
      const part = ((index * 7919) % 100) / 100;
      given.push(take('one', { bytes: LARGE.bytes * part, values: LARGE.values * part }, index * 10));
      if (index % 3 === 0) given[(index * 31) % given.length]?.();
      await clock.advance(1);
    }
    await clock.advance(10_000);
    for (const giveBack of given) giveBack();
    expect(taken).to.have.lengthOf(500);
    expect(budget.held).to.deep.equal(NOTHING);
    expect(budget.waiting).to.equal(0);
  });
});

describe('the memory for callbacks', () => {
  it('grows with the heap, and lets a callback of 8 MB and 500,000 values through one of 256 MB', () => {
    const small = new MemoryBudget(new ManualClock(), memoryFor(256 * 1024 ** 2));
    expect(small.largest.bytes).to.be.at.least(8 * 1024 ** 2);
    expect(small.largest.values).to.be.at.least(500_000);
    expect(memoryFor(1024 ** 3).values).to.be.closeTo(4 * memoryFor(256 * 1024 ** 2).values, 4);
  });
});
