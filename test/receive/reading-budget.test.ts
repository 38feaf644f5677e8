/** Bodies that are being read share a budget: in turn, by source, and each in a bounded time. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { HttpProblem } from '../../src/http/problem.ts';
import { type Reading, ReadingBudget, readingLimits } from '../../src/receive/reading-budget.ts';
import { ManualClock } from '../support/manual-clock.ts';

const KB = 1024;
const BLOCK = 64 * KB;
/** The largest body, and the budget: the oldest body, and four blocks beside it. */
const MAX_BODY = 4 * BLOCK;
const MOST = MAX_BODY + BLOCK + 4 * BLOCK;
const LONGEST_WAIT_MS = 2000;

class Body {
  readonly reading: Reading;
  grants = 0;
  ended: HttpProblem | undefined;
  isWhole = false;
  #asked = 0;

  constructor(budget: ReadingBudget, source: string) {
    this.reading = budget.open(source, (problem) => (this.ended = problem));
  }

  get isWaiting(): boolean {
    return this.ended === undefined && this.#asked > this.grants;
  }

  reach(bytes: number): boolean {
    const isGranted = this.reading.reach(bytes, () => (this.grants += 1));
    if (!isGranted) this.#asked += 1;
    return isGranted;
  }

  finish(): void {
    this.reading.finish();
    this.isWhole = true;
  }
}

interface Step {
  readonly body: number;
  readonly source: number;
  readonly blocks: number;
  readonly isWhole: boolean;
}

/** The oldest first. */
class OpenBodies {
  readonly #open: (source: string) => Body;
  readonly #bodies = new Map<number, Body>();

  constructor(open: (source: string) => Body) {
    this.#open = open;
  }

  get all(): Body[] {
    return [...this.#bodies.values()];
  }

  get oldest(): Body | undefined {
    return this.all.find(({ isWhole, ended }) => !isWhole && ended === undefined);
  }

  /** Opens a body where there is none, or it has ended; else has it come to its end, or be released. */
  take({ body: index, source, blocks, isWhole }: Step): void {
    const known = this.#bodies.get(index);
    if (known === undefined || known.ended !== undefined) this.#begin(index, `s${source}`, blocks);
    else if (known.isWaiting) return;
    else if (isWhole && !known.isWhole) known.finish();
    else this.#release(index, known);
  }

  #begin(index: number, source: string, blocks: number): void {
    const body = this.#open(source);
    this.#bodies.delete(index);
    this.#bodies.set(index, body);
    body.reach(blocks * BLOCK);
  }

  #release(index: number, body: Body): void {
    this.#bodies.delete(index);
    body.reading.release();
  }
}

describe('the budget of bodies that are being read', () => {
  let clock: ManualClock;
  let budget: ReadingBudget;
  const open = (source: string) => new Body(budget, source);

  /** So many bodies of a source, each as large as can be but the first. */
  const fill = (source: string, blocks: number) =>
    Array.from({ length: blocks }, () => {
      const body = open(source);
      body.reach(BLOCK);
      return body;
    });

  const emptyBudget = () => {
    const sizes = { mostBytes: MOST, maxBodyBytes: MAX_BODY, longestWaitMs: LONGEST_WAIT_MS };
    return new ReadingBudget({ clock, ...sizes });
  };

  beforeEach(() => {
    clock = new ManualClock();
    budget = emptyBudget();
  });

  afterEach(() => {
    expect(budget.usage.heldBytes).to.be.at.most(MOST);
  });

  it('grows with the heap, and has room for two of the largest bodies in any', () => {
    const MB = KB * KB;
    const mostBytesOf = (heapBytes: number) =>
      readingLimits({ maxBodyBytes: 8 * MB, answerWithinMs: 8000 }, heapBytes).mostBytes;
    expect(mostBytesOf(4096 * MB)).to.equal(512 * MB);
    expect(mostBytesOf(64 * MB)).to.equal(2 * (8 * MB + BLOCK));
  });

  it('keeps nobody waiting for longer than half of the answer’s time', () => {
    const longestOf = (answerWithinMs: number) =>
      readingLimits({ maxBodyBytes: MAX_BODY, answerWithinMs }).longestWaitMs;
    expect([longestOf(60_000), longestOf(3000)]).to.deep.equal([5000, 1500]);
  });

  it('gives bytes at once while there are some, one source alone all that there are', () => {
    const bodies = fill('a', 5);
    expect(bodies.map(({ reading }) => reading.waitedMs)).to.deep.equal([0, 0, 0, 0, 0]);
    expect(budget.usage.heldBytes).to.equal(5 * BLOCK);
    expect(open('a').reach(1), 'room for the rest of the oldest is kept').to.equal(false);
  });

  it('has the oldest body come to its end, whoever else waits', () => {
    const [oldest, ...others] = fill('a', 5);
    expect(others.map((body) => body.reach(2 * BLOCK))).to.deep.equal([false, false, false, false]);
    expect(oldest?.reach(MAX_BODY + 1)).to.equal(true);
  });

  it('lets the next one come to its end when the oldest is through', () => {
    const [oldest, second] = fill('a', 5);
    second?.reach(2 * BLOCK);
    oldest?.reading.release();
    expect(second?.grants).to.equal(1);
    expect(second?.reach(MAX_BODY)).to.equal(true);
  });

  it('gives what is free to the source that holds least, before those who have waited longer', () => {
    const holding = fill('a', 5);
    const more = open('a');
    expect(more.reach(1)).to.equal(false);
    const other = open('b');
    expect(other.reach(1)).to.equal(false);
    holding[4]?.reading.release();
    expect([more.grants, other.grants]).to.deep.equal([0, 1]);
  });

  it('takes from the source that holds most for another that was patient, and from what moves least', async () => {
    const [oldest, still, ...moving] = fill('a', 5);
    await clock.advance(10);
    for (const body of [oldest, ...moving]) body?.reach(1);
    const other = open('b');
    other.reach(1);
    await clock.advance(249);
    expect([other.grants, still?.ended]).to.deep.equal([0, undefined]);
    await clock.advance(1);
    expect(other.grants).to.equal(1);
    expect(still?.ended?.details).to.include({ status: 503 });
    expect(still?.ended?.details.headers).to.include({ 'Retry-After': '30' });
    expect([oldest, ...moving].map((body) => body?.ended)).to.deep.equal(Array(4).fill(undefined));
  });

  it('has the next one of another source not wait at all, as long as the first keeps filling it', async () => {
    fill('a', 5);
    const other = open('b');
    other.reach(1);
    await clock.advance(300);
    other.reading.release();
    fill('a', 5);
    const next = open('b');
    next.reach(1);
    expect([next.grants, next.reading.waitedMs]).to.deep.equal([1, 0]);
  });

  it('never takes from a source for its own sake', async () => {
    const bodies = fill('a', 5);
    const sixth = open('a');
    sixth.reach(1);
    await clock.advance(LONGEST_WAIT_MS - 1);
    expect(bodies.map(({ ended }) => ended)).to.deep.equal(Array(5).fill(undefined));
    expect(sixth.ended).to.equal(undefined);
  });

  it('answers 503 to who has waited in vain, and has forgotten him', async () => {
    fill('a', 5);
    const sixth = open('a');
    sixth.reach(1);
    await clock.advance(LONGEST_WAIT_MS);
    expect(sixth.ended?.details.status).to.equal(503);
    expect(budget.usage.waitingCount).to.equal(0);
    expect(sixth.reading.waitedMs).to.equal(LONGEST_WAIT_MS);
  });

  it('does not take from many small sources for one more: each has its share', async () => {
    const bodies = Array.from({ length: 5 }, (_, index) => fill(`s${index}`, 1)).flat();
    const late = open('late');
    late.reach(1);
    await clock.advance(300);
    expect(bodies.map(({ ended }) => ended)).to.deep.equal(Array(5).fill(undefined));
    bodies[0]?.reading.release();
    expect(late.grants).to.equal(1);
  });

  it('counts a body that has come for its bytes, but has it neither give way nor keep room for more', async () => {
    const [whole, second] = fill('a', 5);
    const other = open('b');
    expect([second?.reach(2 * BLOCK), other.reach(1)]).to.deep.equal([false, false]);
    whole?.reading.finish();
    expect(budget.usage.heldBytes).to.be.at.least(5 * BLOCK);
    expect(second?.grants, 'the next one is the oldest').to.equal(1);
    await clock.advance(LONGEST_WAIT_MS);
    expect(whole?.ended).to.equal(undefined);
    const before = budget.usage.heldBytes;
    whole?.reading.release();
    whole?.reading.release();
    expect(budget.usage.heldBytes).to.equal(before - BLOCK);
  });

  it('grants what is freed one after the other, however many wait and ask for more at once', () => {
    const most = 500;
    const maxBodyBytes = most * BLOCK;
    const mostBytes = 2 * (maxBodyBytes + BLOCK);
    budget = new ReadingBudget({ clock, mostBytes, maxBodyBytes, longestWaitMs: LONGEST_WAIT_MS });
    const [, freed] = Array.from({ length: 2 }, () => {
      const body = open('large');
      expect(body.reach(maxBodyBytes)).to.equal(true);
      return body;
    });
    let [granted, depth, deepest] = [0, 0, 0];
    for (let index = 0; index < most; index += 1) {
      const reading = budget.open(`s${index}`, () => undefined);
      const askForMore = () => {
        [granted, depth] = [granted + 1, depth + 1];
        deepest = Math.max(deepest, depth);
        reading.reach(2 * BLOCK, () => undefined);
        depth -= 1;
      };
      reading.reach(1, askForMore);
    }
    expect(granted).to.equal(0);
    freed?.reading.release();
    expect(granted).to.be.greaterThan(most / 2);
    expect(deepest, 'one within the other').to.equal(1);
    expect(budget.usage.heldBytes).to.be.at.most(mostBytes);
    budget = emptyBudget();
  });

  it('knows nobody any more once all is released, once or twice', () => {
    const bodies = [...fill('a', 3), ...fill('b', 2)];
    for (const { reading } of [...bodies, ...bodies]) reading.release();
    expect([budget.usage.heldBytes, budget.usage.sourceCount, budget.usage.waitingCount]).to.deep.equal([
      0, 0, 0,
    ]);
    expect(clock.sleeping).to.equal(0);
  });

  it('never holds more than there is, nor keeps the oldest waiting but for those that have come, whatever happens in whatever order', async () => {
    const steps = fc.array(
      fc.record({
        body: fc.nat(9),
        source: fc.nat(3),
        blocks: fc.integer({ min: 1, max: 4 }),
        isWhole: fc.boolean(),
        ms: fc.nat(400),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        clock = new ManualClock();
        budget = emptyBudget();
        const bodies = new OpenBodies(open);
        for (const { ms, ...step } of each) {
          bodies.take(step);
          const isHeldUp = bodies.all.some(({ isWhole }) => isWhole);
          expect(!isHeldUp && bodies.oldest?.isWaiting === true, 'the oldest waits').to.equal(false);
          if (ms > 300) await clock.advance(ms);
          expect(budget.usage.heldBytes).to.be.at.most(MOST);
          expect(bodies.all.filter(({ isWhole, ended }) => isWhole && ended !== undefined)).to.deep.equal([]);
        }
        await clock.advance(2 * LONGEST_WAIT_MS);
        expect(budget.usage.waitingCount).to.equal(0);
        for (const { reading } of bodies.all) reading.release();
        expect([budget.usage.heldBytes, budget.usage.sourceCount]).to.deep.equal([0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
