/** What people do while Botbell runs: given to the worker at once, in its turn, and said in the log. */
import { expect } from 'chai';
import type { Operations } from '../../src/admin/services.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { BulkRunner } from '../../src/deliver/bulk-runner.ts';
import { createOperations, type ReportedAction } from '../../src/deliver/operations.ts';
import type { Worker } from '../../src/deliver/worker.ts';
import type { Actor } from '../../src/ledger/actions/action.ts';
import type { Actions, BulkStep } from '../../src/ledger/actions/actions.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { arrivalOf, failed, settlementOf, target, claimAllDue } from '../contract/ledger-contract.ts';
import { BridgeBench } from '../support/bridge-bench.ts';
import { callbackWith, callbackOf } from '../support/callbacks.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const ACTOR: Actor = { via: 'page', user: 'hanako', from: '192.0.2.7' };
const REQUEST = { actor: ACTOR };
const SECOND_MS = 1000;

describe('what people do', () => {
  let bench: BridgeBench;
  let worker: Worker;
  let bulks: BulkRunner;
  let operations: Operations;
  let said: ReportedAction[];
  let ended: NonNullable<BulkStep['ended']>[];
  let troubles: unknown[];

  const accept = async (job_id: string, destinations: readonly string[] = [OPS]) => {
    const arrival = arrivalOf(callbackWith({ job_id }), destinations.map(target), bench.clock.now());
    return bench.ledger.admit({ ...arrival, isAccepted: true });
  };
  /** Ids of the deliveries. */
  const deadLetters = async (...jobs: readonly string[]): Promise<number[]> => {
    const ids: number[] = [];
    for (const job of jobs) ids.push(...(await accept(job)).deliveries.map(({ id }) => id));
    await claimAllDue(bench.ledger, 500);
    await bench.ledger.settle(settlementOf(ids.map((id) => ({ ...failed(id), state: 'dead' as const }))));
    return ids;
  };
  /** Jobs of which somebody was told, in their order. */
  const jobs = () => bench.addressed.map(({ notice }) => callbackOf(notice).job_id);
  const runnerOn = (actions: Pick<Actions, 'continueBulk'>) =>
    new BulkRunner({
      clock: bench.clock,
      actions,
      onDue: () => worker.look(),
      onBulkEnded: (each) => void ended.push(each),
      onTrouble: (error) => void troubles.push(error),
    });

  beforeEach(async () => {
    [said, ended, troubles] = [[], [], []];
    bench = await BridgeBench.open([OPS, LOG]);
    worker = bench.workerOn(bench.ledger);
    bulks = runnerOn(bench.ledger.actions);
    const { actions, archive } = bench.ledger;
    operations = createOperations({
      actions,
      archive,
      settings: bench.settings,
      onDue: () => worker.look(),
      onBulkChanged: () => bulks.nudge(),
      onAction: (action) => void said.push(action),
      test: () => Promise.resolve(undefined),
    });
  });

  afterEach(async () => {
    await bench.clock.runUntil(Promise.all([worker.stop(), bulks.stop()]));
    await bench.close();
  });

  it('is done by the worker at once', async () => {
    const [id = 0] = await deadLetters('a');
    worker.start();
    await bench.clock.advance(100);
    expect(bench.told).to.deep.equal([]);
    expect(await operations.redeliver(id, REQUEST, false)).to.equal('accepted');
    await bench.clock.advance(0);
    expect(bench.told).to.deep.equal([OPS]);
    expect(said).to.deep.equal([{ what: 'redeliver', actor: ACTOR, subject: id, result: 'accepted' }]);
  });

  it('routes anew by the config in force, which names whom it did not', async () => {
    const { callbackId } = await accept('a', []);
    worker.start();
    await bench.clock.advance(100);
    expect(await operations.routeAnew(callbackId, REQUEST)).to.deep.equal({
      told: [OPS, LOG],
      untouched: [],
    });
    await bench.clock.advance(0);
    expect(bench.told.toSorted()).to.deep.equal([LOG, OPS]);
    expect(await operations.routeAnew(callbackId, REQUEST)).to.deep.equal({
      told: [],
      untouched: [OPS, LOG],
    });
    expect(await operations.routeAnew(99, REQUEST)).to.equal(undefined);
    expect(said.map(({ result }) => result)).to.deep.equal([
      '2 told, 0 left alone',
      '0 told, 2 left alone',
      'unknown',
    ]);
  });

  it('says in the log what is refused, dismissed, begun, stopped and tested', async () => {
    const [id = 0] = await deadLetters('a');
    await operations.dismiss(id, REQUEST);
    const bulk = await operations.startBulk({}, REQUEST, 'dismissed');
    await operations.stopBulk(bulk.id, REQUEST);
    await operations.test('slack:#none', ACTOR);
    expect(said.map(({ what, subject, result }) => [what, subject, result])).to.deep.equal([
      ['dismiss', id, 'dismissed'],
      ['redeliver in bulk', bulk.id, 'dismissed'],
      ['stop in bulk', bulk.id, 'stopped'],
      ['test', 'slack:#none', 'unknown'],
    ]);
  });

  it('is attempted for give_up_after from then on, and not from when it came', async () => {
    const MINUTE_MS = 60 * SECOND_MS;
    bench.policy.giveUpAfterMs = 10 * MINUTE_MS;
    const no = () => new DeliveryFailure({ class: 'transient', code: 'x', message: 'no' });
    const [id = 0] = await deadLetters('a');
    await bench.clock.advance(60 * MINUTE_MS);
    bench.fails(OPS, ...Array.from({ length: 1000 }, no));
    worker.start();
    await operations.redeliver(id, REQUEST, false);
    const stateOf = async () => (await bench.store.rows('deliveries'))[0]?.['state'];
    await bench.clock.advance(9 * MINUTE_MS);
    expect(await stateOf()).to.equal('pending');
    await bench.clock.advance(2 * MINUTE_MS);
    expect(await stateOf()).to.equal('dead');
    expect(bench.tried.length).to.be.above(3);
  });

  it('says to whom it is sent how late that is, but not where Botbell itself has retried', async () => {
    const [late = 0] = await deadLetters('late');
    await bench.clock.advance(120 * SECOND_MS);
    await accept('retried', [LOG]);
    await operations.redeliver(late, REQUEST, false);
    worker.start();
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
    const LETTERS = Array.from({ length: 12 }, (_, number) => `old-${number}`);

    it('gives what is new three turns of four, while both wait for a destination that keeps a pace', async () => {
      await deadLetters(...LETTERS);
      await bench.ledger.paces.pause(OPS, SECOND_MS);
      await bench.processOn(bench.ledger).lanes.refresh();
      for (let number = 0; number < 9; number += 1) await accept(`new-${number}`);
      await operations.startBulk({}, REQUEST);
      bulks.start();
      await bench.clock.advance(500);
      worker.start();
      await bench.clock.advance(40 * SECOND_MS);
      const order = jobs().map((job) => job.slice(0, 3));
      expect(order.slice(0, 12).join(' ')).to.equal('new new new old new new new old new new new old');
      expect(order.slice(12)).to.deep.equal(Array.from({ length: 9 }, () => 'old'));
      expect(jobs().filter((job) => job.startsWith('new'))).to.deep.equal(
        Array.from({ length: 9 }, (_, number) => `new-${number}`),
      );
    });

    it('goes on by itself and says when it is through', async () => {
      const count = 130;
      await deadLetters(...Array.from({ length: count }, (_, number) => `old-${number}`));
      worker.start();
      bulks.start();
      await bench.clock.advance(100);
      const { id } = await operations.startBulk({}, REQUEST);
      await bench.clock.advance(5 * SECOND_MS);
      expect(await operations.bulk(id)).to.include({
        state: 'done',
        given: count,
        delivered: count,
        pending: 0,
      });
      expect(ended).to.deep.equal([{ id, what: 'redelivered', given: count }]);
      expect(bench.told).to.have.length(count);
    });

    it('leaves nothing on its way, once it is stopped, to a remote that takes nothing', async () => {
      const count = 140;
      await deadLetters(...Array.from({ length: count }, (_, number) => `old-${number}`));
      const limited = new DeliveryFailure({
        class: 'rate_limited',
        code: 'ratelimited',
        message: 'slow down',
        retryAfterMs: SECOND_MS,
      });
      bench.fails(OPS, ...Array.from({ length: count }, () => limited));
      worker.start();
      bulks.start();
      const { id } = await operations.startBulk({}, REQUEST);
      await bench.clock.advance(5 * SECOND_MS);
      expect(await operations.bulk(id)).to.include({ state: 'done', pending: count });
      expect(await operations.stopBulk(id, REQUEST)).to.deep.include({ state: 'stopped', stoppedBy: ACTOR });
      await bench.clock.advance(5 * SECOND_MS);
      expect(await operations.bulk(id)).to.include({ pending: 0, dead: 0, withdrawn: count });
      const tried = bench.tried.length;
      await bench.clock.advance(600 * SECOND_MS);
      expect(bench.tried).to.have.length(tried).and.to.have.length.above(0);
      expect(await bench.ledger.countOpen()).to.deep.equal({ pending: 0, dead: count, held: 0 });
    });

    it('is found by a process of which nobody has asked it', async () => {
      await deadLetters('a');
      bulks.start();
      await bench.clock.advance(100);
      const other = await bench.openLedger('other');
      await other.actions.startBulk({}, REQUEST);
      await bench.clock.advance(2 * SECOND_MS);
      expect(ended).to.have.length(1);
    });

    it('waits for a store that cannot be used, says so once, and goes on', async () => {
      await deadLetters('a');
      let isDown = true;
      await operations.startBulk({}, REQUEST);
      bulks = runnerOn({
        continueBulk: () =>
          isDown ? Promise.reject(new LedgerUnavailable('hung')) : bench.ledger.actions.continueBulk(),
      });
      bulks.start();
      await bench.clock.advance(10 * SECOND_MS);
      expect(troubles).to.have.length(1);
      isDown = false;
      await bench.clock.advance(2 * SECOND_MS);
      expect(ended).to.have.length(1);
    });
  });
});
