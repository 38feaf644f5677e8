/** Many callbacks of one job, many copies of one callback, many jobs of one BOT: what they leave to the others. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { BridgeBench, incomingAt } from '../support/bridge-bench.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { settle } from '../support/manual-clock.ts';

const SLOTS = 8;
const MANY = 60;
const OPS = 'slack:#ops';

const TROUBLE = new DeliveryFailure({ class: 'transient', code: 'x', message: 'trouble' });

function numbered(index: number, fields: Partial<Callback> = {}): Callback {
  return callbackWith({ bot_id: 'greedy', job_id: 'job', message: String(index), ...fields });
}

describe('One sender with many callbacks', () => {
  let bench: BridgeBench;

  beforeEach(async () => {
    bench = await BridgeBench.open([OPS]);
    bench.maxInFlight = SLOTS;
    bench.bridge = bench.bridgeOn(bench.ledger);
    bench.takes(OPS, 2500);
  });

  afterEach(() => bench.close());

  /** Posts them all at once, lets the ledger have them, and posts one of somebody else. */
  const postBeside = async (callbacks: readonly Callback[]) => {
    const answers = callbacks.map((each) =>
      bench.handle(each).catch((error: unknown) => (error as Error).name),
    );
    await settle();
    bench.planned = ['slack:#other'];
    const other = await bench.clock.runUntil(
      bench.handle(callbackWith({ bot_id: 'other', job_id: 'other' })),
    );
    bench.planned = [OPS];
    return { answers: await bench.clock.runUntil(Promise.all(answers)), other };
  };
  const resultsOf = (answers: readonly (Verdict | string)[]) =>
    answers.map((answer) => (typeof answer === 'string' ? answer : answer.result));
  const toldAfterAll = async () => {
    const worker = bench.workerOn(bench.ledger);
    bench.takes(OPS, 0);
    worker.start();
    await bench.clock.advance(300_000);
    await bench.clock.runUntil(worker.stop());
    return bench.addressed
      .filter(({ destination }) => destination === OPS)
      .map(({ notice }) => callbackOf(notice).message);
  };

  it('of one job keeps nobody else waiting, loses none of them, and has them told in order', async () => {
    const { answers, other } = await postBeside(Array.from({ length: SLOTS }, (_, index) => numbered(index)));
    expect([other.status, other.result]).to.deep.equal([200, 'delivered']);
    const results = resultsOf(answers);
    expect(results.slice(0, 3)).to.deep.equal(['delivered', 'delivered', 'delivered']);
    expect(new Set(results.slice(3))).to.deep.equal(new Set(['taken_over']));
    expect(await toldAfterAll()).to.deep.equal(Array.from({ length: SLOTS }, (_, index) => String(index)));
  });

  it('of one callback, posted often, has it told once and every copy answered by what is true', async () => {
    const { answers, other } = await postBeside(Array.from({ length: SLOTS }, () => numbered(0)));
    expect(other.result).to.equal('delivered');
    const results = resultsOf(answers);
    expect(results[0]).to.equal('delivered');
    expect(new Set(results.slice(1))).to.deep.equal(new Set(['duplicate', 'taken_over']));
    expect(await toldAfterAll()).to.deep.equal(['0']);
  });

  it('of one callback that fails is answered taken_over by all, once one was, and told by Botbell', async () => {
    bench.fails(OPS, TROUBLE, TROUBLE);
    const { answers } = await postBeside(Array.from({ length: SLOTS }, () => numbered(0)));
    const results = resultsOf(answers);
    expect(results[0]).to.equal('taken_over');
    expect(results.filter((each) => each === 'taken_over').length).to.be.above(1);
    const [row] = await bench.store.rows('deliveries');
    expect(row).to.include({ is_ours: 1, state: 'pending' });
    expect(await toldAfterAll()).to.deep.equal(['0', '0', '0']);
  });

  it('past the slots and the queue for them is refused itself, and nobody else', async () => {
    const { answers, other } = await postBeside(Array.from({ length: MANY }, (_, index) => numbered(index)));
    expect(other.result).to.equal('delivered');
    const results = resultsOf(answers);
    const refused = results.filter((each) => each === 'Overloaded').length;
    expect(refused).to.be.within(1, MANY - 2 * SLOTS + 1);
    const taken = results.flatMap((each, index) => (each === 'Overloaded' ? [] : String(index)));
    expect(await toldAfterAll()).to.deep.equal(taken);
  });

  it('has a slot waited for, also by who was kept waiting for something else before', async () => {
    bench.maxInFlight = 1;
    bench.bridge = bench.bridgeOn(bench.ledger);
    bench.takes(OPS, 1500);
    const first = bench.handle(numbered(0));
    await settle();
    const arrived = incomingAt(numbered(1, { job_id: 'another' }), bench.clock.now());
    const late = bench.bridge.handle({ ...arrived, arrivedAt: bench.clock.now() - 3000 });
    expect(resultsOf(await bench.clock.runUntil(Promise.all([first, late])))).to.deep.equal([
      'delivered',
      'delivered',
    ]);
  });

  it('with many jobs leaves room at the channel for the next BOT', async () => {
    bench.maxInFlight = 4 * SLOTS;
    bench.bridge = bench.bridgeOn(bench.ledger);
    const jobs = Array.from({ length: 4 * SLOTS }, (_, index) => numbered(index, { job_id: `job ${index}` }));
    const { answers, other } = await postBeside(jobs);
    expect(other.result).to.equal('delivered');
    expect(resultsOf(answers).filter((each) => each === 'delivered')).to.have.length(14);
    expect(resultsOf(answers).filter((each) => each === 'taken_over')).to.have.length(18);
    expect((await toldAfterAll()).toSorted()).to.deep.equal(jobs.map(({ message }) => message).toSorted());
  });

  it('is not waited for by who stops: a copy of what another process attempts is taken over', async () => {
    const elsewhere = await bench.openLedger('second');
    const other = bench.bridgeOn(elsewhere);
    const first = other.handle(incomingAt(numbered(0), bench.clock.now()));
    await settle();
    const copy = bench.handle(numbered(0));
    await bench.clock.advance(100);
    bench.processOn(bench.ledger).underWay.stop();
    const startedAt = bench.clock.now();
    expect((await bench.clock.runUntil(copy)).result).to.equal('taken_over');
    expect(bench.clock.now()).to.equal(startedAt);
    await bench.clock.runUntil(first);
  });
});
