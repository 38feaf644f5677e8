/** What people do while Botbell runs: delivered at once, in its turn, and said in the log. */
import { expect } from 'chai';
import type { Operations } from '../../src/admin/services.ts';
import type { Actor } from '../../src/ledger/history.ts';
import { claimFor, only } from '../contract/ledger-under-test.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { deadUpdate } from '../support/recorded.ts';
import { DeliveryBench, failures } from './delivery-bench.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const ACTOR: Actor = { via: 'page', user: 'hanako', from: '192.0.2.7' };
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

describe('what people do', () => {
  let bench: DeliveryBench;
  let operations: Operations;

  const accept = (job_id: string, destinations: readonly string[] = [OPS]) =>
    bench.accept(callbackWith({ job_id }), destinations);
  /** @returns ids of the deliveries */
  const deadLetters = async (...jobs: readonly string[]): Promise<number[]> => {
    const { ledger } = bench.first;
    const ids: number[] = [];
    for (const job of jobs) {
      const { callbackId, deliveries } = await accept(job);
      await claimFor(ledger, only(OPS, 1));
      const dead = deliveries.map(({ id }) => deadUpdate(id));
      await ledger.settle({ callbackId, deliveries: dead, attempts: [], isDurable: false });
      ids.push(...deliveries.map(({ id }) => id));
    }
    return ids;
  };
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, number) => `${name}-${number}`);
  /** Jobs of which somebody was told, in their order. */
  const jobs = () => bench.addressed.map(({ notice }) => callbackOf(notice).job_id);
  const stateOf = async () => (await bench.row(OPS))?.['state'];

  beforeEach(async () => {
    bench = await DeliveryBench.open([OPS, LOG]);
    ({ operations } = bench.first.pipeline);
  });

  afterEach(() => bench.close());

  it('is done at once', async () => {
    const [id = 0] = await deadLetters('a');
    await bench.first.pipeline.start();
    await bench.clock.advance(100);
    expect(bench.told).to.deep.equal([]);
    expect(await operations.redeliver(id, ACTOR, false)).to.equal('accepted');
    await bench.clock.advance(0);
    expect(bench.told).to.deep.equal([OPS]);
    expect(bench.actions).to.deep.equal([
      { what: 'redeliver', actor: ACTOR, subject: id, result: 'accepted' },
    ]);
  });

  it('routes anew by the config in force, which names whom it did not', async () => {
    const { callbackId } = await accept('a', []);
    await bench.first.pipeline.start();
    await bench.clock.advance(100);
    expect(await operations.routeAnew(callbackId, ACTOR)).to.deep.equal({
      told: [OPS, LOG],
      untouched: [],
    });
    await bench.clock.advance(0);
    expect(bench.told.toSorted()).to.deep.equal([LOG, OPS]);
    expect(await operations.routeAnew(99, ACTOR)).to.equal(undefined);
    expect(bench.actions.map(({ result }) => result)).to.deep.equal(['2 told, 0 left alone', 'unknown']);
  });

  it('knows which destinations the config in force has, and what another name may mean', () => {
    expect(operations.unknownDestination(OPS)).to.equal(undefined);
    expect(operations.unknownDestination('slack:#opps')).to.equal(`; did you mean "${OPS}"?`);
  });

  it('says in the log what is refused, dismissed, begun, stopped and tested', async () => {
    const [id = 0] = await deadLetters('a');
    await operations.dismiss(id, ACTOR);
    const bulk = await operations.startBulk({}, ACTOR, 'dismissed');
    await operations.stopBulk(bulk.id, ACTOR);
    await operations.test('slack:#none', ACTOR);
    expect(bench.actions.map(({ what, subject, result }) => [what, subject, result])).to.deep.equal([
      ['dismiss', id, 'dismissed'],
      ['redeliver in bulk', bulk.id, 'dismissed'],
      ['stop in bulk', bulk.id, 'stopped'],
      ['test', 'slack:#none', 'unknown'],
    ]);
  });

  it('is attempted for give_up_after from then on, and not from when it came', async () => {
    bench.policy.giveUpAfterMs = 10 * MINUTE_MS;
    const [id = 0] = await deadLetters('a');
    await bench.clock.advance(60 * MINUTE_MS);
    bench.fails(OPS, ...failures(1000, 'transient'));
    await bench.first.pipeline.start();
    await operations.redeliver(id, ACTOR, false);
    await bench.clock.advance(9 * MINUTE_MS);
    expect(await stateOf()).to.equal('pending');
    await bench.clock.advance(2 * MINUTE_MS);
    expect(await stateOf()).to.equal('dead');
  });

  it('says to whom it is sent how late that is, but not where Botbell itself has retried', async () => {
    const [late = 0] = await deadLetters('late');
    await bench.clock.advance(120 * SECOND_MS);
    await accept('retried', [LOG]);
    await operations.redeliver(late, ACTOR, false);
    await bench.first.pipeline.start();
    await bench.clock.advance(0);
    const delays = bench.addressed.map(({ notice }) => [
      callbackOf(notice).job_id,
      'delayedMs' in notice ? notice.delayedMs : undefined,
    ]);
    expect(delays).to.have.deep.members([
      ['late', 120 * SECOND_MS],
      ['retried', undefined],
    ]);
  });

  describe('in bulk', () => {
    it('gives what is new three turns of four, while both wait for a destination that keeps a pace', async () => {
      await deadLetters(...numbered('old', 12));
      await bench.first.ledger.pausePace(OPS, SECOND_MS);
      await bench.first.pipeline.paces.refresh();
      for (const job of numbered('new', 9)) await accept(job);
      const { id } = await operations.startBulk({}, ACTOR);
      while ((await bench.first.ledger.actions.continueBulk()).isMore);
      await bench.first.pipeline.start();
      await bench.clock.advance(40 * SECOND_MS);
      const order = jobs().map((job) => job.slice(0, 3));
      const firsts = order.slice(0, 12);
      expect(firsts.filter((each) => each === 'new')).to.have.length(9);
      expect(firsts.slice(0, 4)).to.include('old');
      expect(jobs().filter((job) => job.startsWith('new'))).to.deep.equal(numbered('new', 9));
      expect(await operations.bulk(id)).to.include({ state: 'done', delivered: 12 });
    });

    it('goes on by itself until it is through', async () => {
      await deadLetters(...numbered('old', 130));
      await bench.first.pipeline.start();
      await bench.clock.advance(100);
      const { id } = await operations.startBulk({}, ACTOR);
      await bench.clock.advance(5 * SECOND_MS);
      expect(await operations.bulk(id)).to.include({ state: 'done', given: 130, delivered: 130 });
      expect(bench.told).to.have.length(130);
    });

    it('leaves given back what was, once it is stopped', async () => {
      await deadLetters(...numbered('old', 130));
      const { id } = await operations.startBulk({}, ACTOR);
      await bench.first.ledger.actions.continueBulk();
      expect(await operations.stopBulk(id, ACTOR)).to.include({ state: 'stopped', given: 100 });
      await bench.first.pipeline.start();
      await bench.clock.advance(5 * SECOND_MS);
      expect(bench.told).to.have.length(100);
    });

    it('is found by a process of which nobody has asked it', async () => {
      await deadLetters('a');
      await bench.first.pipeline.start();
      await bench.clock.advance(100);
      const other = await bench.store.open({ clock: bench.clock, owner: 'other' });
      await other.actions.startBulk({}, ACTOR);
      await bench.clock.advance(2 * SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
    });
  });
});
