/** A callback from its arrival to its answer, over a real ledger, with remotes that do as the test says. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { ANSWER_WITHIN_MS, BridgeBench, incomingAt } from '../support/bridge-bench.ts';
import { isAlert } from '../../src/notice/notice.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { answersIn, attemptsIn } from '../support/history.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const CALLBACK = callbackWith();

function failure(failureClass: FailureClass, retryAfterMs?: number): DeliveryFailure {
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new DeliveryFailure({
    class: failureClass,
    code: 'x',
    message: `${failureClass} trouble`,
    ...pause,
  });
}

function summary({ status, result, deliveries }: Verdict): [number, string, string[]] {
  return [status, result, deliveries.map((each) => each.state)];
}

describe('the bridge', () => {
  let bench: BridgeBench;

  const post = (callback: Callback = CALLBACK) => bench.clock.runUntil(bench.handle(callback));

  const milestones = () => bench.milestones.map(({ name, destination }) => `${name} ${destination}`);

  beforeEach(async () => {
    bench = await BridgeBench.open(['slack:#ops', 'email:a@example.com']);
  });

  afterEach(() => bench.close());

  it('tells everybody a route names, once, and answers delivered', async () => {
    expect(summary(await post())).to.deep.equal([200, 'delivered', ['delivered', 'delivered']]);
    expect(bench.told).to.deep.equal(['slack:#ops', 'email:a@example.com']);
  });

  it('answers a callback that it knows without telling anybody again', async () => {
    await post();
    expect(summary(await post({ ...CALLBACK, elapsed_time: 99 }))).to.deep.equal([
      200,
      'duplicate',
      ['delivered', 'delivered'],
    ]);
    expect(bench.told).to.have.length(2);
  });

  it('tells nobody where no route matches, and says so', async () => {
    bench.planned = [];
    expect(summary(await post())).to.deep.equal([200, 'no_route', []]);
    expect(await bench.store.rows('callbacks')).to.have.length(1);
  });

  it('tells once when the same callback comes twice at the same moment', async () => {
    const both = await bench.clock.runUntil(Promise.all([bench.handle(CALLBACK), bench.handle(CALLBACK)]));
    expect(both.map((each) => each.result)).to.deep.equal(['delivered', 'duplicate']);
    expect(bench.told).to.deep.equal(['slack:#ops', 'email:a@example.com']);
  });

  it('tells once when two processes get the same callback at the same moment', async () => {
    const other = await bench.another('second');
    bench.takes('slack:#ops', 300);
    const both = await bench.clock.runUntil(
      Promise.all([bench.handle(CALLBACK), other.handle(incomingAt(CALLBACK, bench.clock.now()))]),
    );
    expect(both.map((each) => each.status)).to.deep.equal([200, 200]);
    expect(both.flatMap((each) => each.deliveries.map(({ state }) => state))).to.deep.equal(
      Array(4).fill('delivered'),
    );
    expect(bench.told.toSorted()).to.deep.equal(['email:a@example.com', 'slack:#ops']);
  });

  describe('when one destination fails', () => {
    it('answers 502 and reaches only that one on the retry', async () => {
      bench.fails('slack:#ops', failure('transient'), failure('transient'));
      const first = await post();
      expect(summary(first)).to.deep.equal([502, 'failed', ['pending', 'delivered']]);
      expect(first.deliveries[0]?.error).to.equal('transient trouble');
      expect(summary(await post())).to.deep.equal([200, 'delivered', ['delivered', 'delivered']]);
      expect(bench.told).to.deep.equal(['email:a@example.com', 'slack:#ops']);
    });

    it('tries again inside the request first', async () => {
      bench.fails('slack:#ops', failure('transient'));
      expect((await post()).status).to.equal(200);
      const attempts = await attemptsIn(bench.store);
      expect(attempts.map(({ outcome }) => outcome).toSorted()).to.deep.equal([
        'delivered',
        'delivered',
        'transient',
      ]);
    });

    it('writes each attempt and what was answered down', async () => {
      bench.fails('slack:#ops', failure('transient'), failure('transient'));
      await post();
      await post();
      const attempts = await attemptsIn(bench.store);
      expect(attempts).to.have.length(4);
      expect(attempts.filter((each) => each.error_message === 'transient trouble')).to.have.length(2);
      const answers = await answersIn(bench.store);
      expect(answers.map(({ status, result }) => [status, result])).to.deep.equal([
        [502, 'failed'],
        [200, 'delivered'],
      ]);
      const deliveries = await bench.store.rows('deliveries');
      expect(deliveries.map((row) => [row['attempts'], row['error_class'], row['claimed_by']])).to.deep.equal(
        [
          [3, null, null],
          [1, null, null],
        ],
      );
    });

    it('takes over at once what its pause keeps from being told in time, and leaves the remote alone', async () => {
      bench.fails('slack:#ops', failure('rate_limited', 90_000));
      const startedAt = bench.clock.now();
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(bench.clock.now() - startedAt).to.be.lessThan(1000);
      expect(bench.nudges).to.deep.equal(['slack:#ops']);
      await bench.clock.advance(30_000);
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(
        bench.tried.filter((each) => each === 'slack:#ops'),
        'left alone',
      ).to.have.length(1);
      await bench.clock.advance(60_000);
      expect((await post()).result).to.equal('delivered');
    });

    it('waits for a pause that ends in time', async () => {
      bench.fails('slack:#ops', failure('rate_limited', 2000));
      const startedAt = bench.clock.now();
      expect((await post()).result).to.equal('delivered');
      expect(bench.clock.now() - startedAt).to.be.within(2000, 3000);
    });

    it('goes on in time though somebody sets the clock back', async () => {
      bench.fails('slack:#ops', failure('rate_limited', 2000));
      const verdict = post();
      await bench.clock.advance(1000);
      bench.clock.setBy(-3_600_000);
      expect((await verdict).result).to.equal('delivered');
      bench.clock.setBy(7_200_000);
      bench.planned = ['slack:#ops'];
      expect((await bench.clock.runUntil(bench.handle(callbackWith({ job_id: 'later' })))).result).to.equal(
        'delivered',
      );
    });

    it('gives a permanent failure up after permanent_attempts non-2xx answers', async () => {
      bench.fails('slack:#ops', failure('permanent'), failure('permanent'), failure('permanent'));
      const verdicts = [await post(), await post(), await post(), await post()];
      expect(verdicts.map((each) => [each.status, each.result])).to.deep.equal([
        [502, 'failed'],
        [502, 'failed'],
        [200, 'gave_up'],
        [200, 'gave_up'],
      ]);
      expect(
        bench.tried.filter((each) => each === 'slack:#ops'),
        'a dead letter is not tried',
      ).to.have.length(3);
      expect(milestones(), 'once').to.deep.equal(['given_up slack:#ops']);
    });

    it('gives what will not pass up when it is a day old', async () => {
      const trouble = Array.from({ length: 6 }, () => failure('transient'));
      bench.fails('slack:#ops', ...trouble);
      expect((await post()).status).to.equal(502);
      await bench.clock.advance(24 * 3_600_000);
      expect(summary(await post())).to.deep.equal([200, 'gave_up', ['dead', 'delivered']]);
    });
  });

  describe('when a destination is slow', () => {
    it('answers 504 when the answer is due, and counts the late success as told', async () => {
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 2000);
      const startedAt = bench.clock.now();
      const first = await post();
      expect(summary(first)).to.deep.equal([504, 'timed_out', ['pending', 'delivered']]);
      expect(bench.clock.now() - startedAt).to.be.within(ANSWER_WITHIN_MS - 250, ANSWER_WITHIN_MS);
      await bench.clock.runUntil(bench.bridge.drained());
      expect(summary(await post())).to.deep.equal([200, 'duplicate', ['delivered', 'delivered']]);
      expect(bench.told).to.deep.equal(['email:a@example.com', 'slack:#ops']);
      expect(milestones(), 'and says so').to.deep.equal(['delivered_late slack:#ops']);
    });

    it('tells nobody again for a retry that comes while the late attempt is still under way', async () => {
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 2000);
      expect((await post()).status).to.equal(504);
      expect(summary(await post()), 'it waits for the late one').to.deep.equal([
        200,
        'duplicate',
        ['delivered', 'delivered'],
      ]);
      expect(bench.tried.filter((each) => each === 'slack:#ops')).to.have.length(1);
    });

    it('counts a late lasting failure as one of the answers that it was worth', async () => {
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 100);
      bench.fails('slack:#ops', ...Array.from({ length: 9 }, () => failure('permanent')));
      const statuses: number[] = [];
      for (let time = 0; time < 4; time += 1) {
        statuses.push((await post()).status);
        await bench.clock.runUntil(bench.bridge.drained());
      }
      expect(statuses).to.deep.equal([504, 504, 504, 200]);
    });

    it('says so when the late outcome is a dead letter', async () => {
      bench.policy.permanentAttempts = 0;
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 100);
      bench.fails('slack:#ops', failure('permanent'));
      expect((await post()).status).to.equal(504);
      await bench.clock.runUntil(bench.bridge.drained());
      expect(await bench.alerts()).to.deep.equal(['dead_letter slack:#ops x']);
      expect(milestones()).to.deep.equal(['given_up slack:#ops']);
    });

    it('has early successes on disk before the slow one is through', async () => {
      bench.takes('slack:#ops', 3000);
      const answer = bench.handle(CALLBACK);
      await bench.clock.advance(1000);
      const rows = await bench.store.rows('deliveries');
      expect(rows.map((row) => row['state'])).to.deep.equal(['pending', 'delivered']);
      expect(await attemptsIn(bench.store)).to.have.length(1);
      await bench.clock.runUntil(answer);
      expect(await attemptsIn(bench.store), 'each is written once').to.have.length(2);
    });

    it('lets a process that stops wait for the late ones', async () => {
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 2000);
      await post();
      let isDrained = false;
      const drained = bench.bridge.drained().then(() => void (isDrained = true));
      await bench.clock.advance(1000);
      expect(isDrained).to.equal(false);
      await bench.clock.runUntil(drained);
      expect((await bench.store.rows('deliveries')).map((row) => row['state'])).to.deep.equal([
        'delivered',
        'delivered',
      ]);
    });
  });

  describe('when a process died while it was telling', () => {
    it('tells who was left, once its claim has run out', async () => {
      const dead = await bench.another('dead');
      bench.takes('slack:#ops', 1_000_000);
      void dead.handle(incomingAt(CALLBACK, bench.clock.now()));
      await bench.clock.advance(30_000);
      bench.takes('slack:#ops', 0);
      expect(summary(await post())).to.deep.equal([200, 'delivered', ['delivered', 'delivered']]);
      expect(bench.told).to.deep.equal(['email:a@example.com', 'slack:#ops']);
    });
  });

  it('holds an executing callback back whose result came before', async () => {
    await post({ ...CALLBACK, status: 0 });
    expect(summary(await post({ ...CALLBACK, status: 2 }))).to.deep.equal([200, 'superseded', []]);
    expect(bench.told).to.have.length(2);
  });

  describe('when the store cannot be written', () => {
    it('before anybody is told: tells nobody and says so', async () => {
      const release = bench.lock();
      const error = await rejectionOf(post());
      expect(error).to.be.instanceOf(LedgerUnavailable);
      expect(bench.tried).to.deep.equal([]);
      release();
      expect((await post()).result).to.equal('delivered');
    });

    it('after everybody was told: answers 200 all the same, and reports it', async () => {
      bench.takes('slack:#ops', 100);
      bench.takes('email:a@example.com', 100);
      const answer = bench.handle(CALLBACK);
      await bench.clock.advance(50);
      const release = bench.lock();
      expect(summary(await bench.clock.runUntil(answer))).to.deep.equal([
        200,
        'delivered',
        ['delivered', 'delivered'],
      ]);
      expect(bench.unwritten.every((error) => error instanceof LedgerUnavailable)).to.equal(true);
      expect(bench.unwritten.length).to.be.greaterThan(0);
      release();
    });

    it('after everybody was told: tells nobody again, though nobody could write it down for long', async () => {
      const worker = bench.workerOn(bench.ledger);
      bench.takes('slack:#ops', 100);
      const answer = bench.handle(CALLBACK);
      await bench.clock.advance(50);
      const mend = bench.breakStore();
      await bench.clock.runUntil(answer);
      await bench.clock.advance(200_000);
      mend();
      worker.start();
      await bench.clock.advance(5000);
      expect(bench.told).to.have.length(2);
      expect((await post()).result).to.equal('duplicate');
      await bench.clock.runUntil(worker.stop());
    });

    it('while others are telling: still writes down whom it told itself', async () => {
      const other = await bench.another('second');
      bench.takes('slack:#ops', 3000);
      void other.handle(incomingAt(CALLBACK, bench.clock.now()));
      await bench.clock.advance(10);
      const waiting = bench.handle(CALLBACK);
      await bench.clock.advance(100);
      const mend = bench.breakStore();
      await bench.clock.advance(1000);
      mend();
      expect((await bench.clock.runUntil(waiting)).status).to.equal(200);
    });

    it('when something is to be given up: does not answer 200, since nobody would know', async () => {
      bench.policy.permanentAttempts = 0;
      bench.takes('slack:#ops', 100);
      bench.fails('slack:#ops', failure('permanent'));
      const answer = bench.handle(CALLBACK);
      await bench.clock.advance(50);
      const release = bench.lock();
      expect(await rejectionOf(bench.clock.runUntil(answer))).to.be.instanceOf(LedgerUnavailable);
      release();
    });
  });

  describe('when the config changes between two attempts', () => {
    beforeEach(async () => {
      bench.fails('slack:#ops', failure('config'));
      await post();
    });

    const workUntilTold = async () => {
      const worker = bench.workerOn(bench.ledger);
      worker.start();
      await bench.clock.advance(1000);
      await bench.clock.runUntil(worker.stop());
    };

    it('tells of what is old nobody whom it names only now', async () => {
      bench.planned = ['slack:#ops', 'slack:#new', 'email:a@example.com'];
      expect((await post()).result).to.equal('delivered');
      expect(bench.told.toSorted()).to.deep.equal(['email:a@example.com', 'slack:#ops']);
    });

    it('takes over whom it no longer names, and tells whom it names instead', async () => {
      bench.planned = ['slack:#new', 'email:a@example.com'];
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(bench.nudges).to.deep.equal(['slack:#ops']);
      await workUntilTold();
      expect(bench.told).to.deep.equal(['email:a@example.com', 'slack:#new']);
      expect(summary(await post())).to.deep.equal([200, 'duplicate', ['held', 'delivered', 'delivered']]);
      expect(await bench.alerts(), 'it is mended').to.deep.equal([]);
    });

    describe('so that it names nobody', () => {
      beforeEach(async () => {
        bench.planned = [];
        expect((await post()).result).to.equal('taken_over');
        await workUntilTold();
      });

      it('gives the callback up, which the operators are told', async () => {
        expect(summary(await post())).to.deep.equal([200, 'gave_up', ['dead', 'delivered']]);
        expect(await bench.alerts()).to.deep.equal(['dead_letter slack:#ops not_routed']);
        expect(bench.reroutings.map(({ isLost }) => isLost)).to.deep.equal([true]);
      });

      it('takes it over again at a retry once it names it again, and tells it', async () => {
        bench.planned = ['slack:#ops', 'email:a@example.com'];
        expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
        expect(bench.revivals.map(({ destination }) => destination)).to.deep.equal(['slack:#ops']);
        await workUntilTold();
        expect(summary(await post())).to.deep.equal([200, 'duplicate', ['delivered', 'delivered']]);
      });

      it('leaves it given up where it is named again after give_up_after', async () => {
        bench.planned = ['slack:#ops', 'email:a@example.com'];
        bench.policy.giveUpAfterMs = 500;
        bench.bridge = bench.bridgeOn(bench.ledger);
        expect((await post()).result).to.equal('gave_up');
      });

      it('leaves it given up while other processes run with another config', async () => {
        bench.planned = ['slack:#ops', 'email:a@example.com'];
        bench.mayRouteAnew = false;
        expect((await post()).result).to.equal('gave_up');
      });
    });
  });

  describe('that accepts what it delivers later', () => {
    beforeEach(() => {
      bench.answerWhen = 'accepted';
      bench.bridge = bench.bridgeOn(bench.ledger);
    });

    it('answers 200 accepted before anybody is told, and leaves the rest to the worker', async () => {
      expect(summary(await post())).to.deep.equal([200, 'accepted', ['pending', 'pending']]);
      expect([bench.tried, bench.nudges]).to.deep.equal([[], ['slack:#ops', 'email:a@example.com']]);
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'pending', claimed_by: null, is_ours: 1 });
      await bench.clock.runUntil(bench.bridge.drained());
      const [answer] = await answersIn(bench.store);
      expect(answer).to.include({ status: 200, result: 'accepted' });
    });

    it('answers a retry with how it stands', async () => {
      const worker = bench.workerOn(bench.ledger);
      bench.fails('slack:#ops', failure('permanent'));
      await post();
      expect((await post()).result).to.equal('accepted');
      worker.start();
      await bench.clock.advance(0);
      expect(summary(await post())).to.deep.equal([200, 'gave_up', ['dead', 'delivered']]);
      expect((await post(callbackWith({ job_id: 'job-2' }))).result).to.equal('accepted');
      await bench.clock.advance(1000);
      expect(summary(await post(callbackWith({ job_id: 'job-2' })))).to.deep.equal([
        200,
        'duplicate',
        ['delivered', 'delivered'],
      ]);
      await bench.clock.runUntil(worker.stop());
    });

    it('answers no_route and superseded like any other', async () => {
      await post({ ...CALLBACK, status: 0 });
      expect((await post({ ...CALLBACK, status: 2 })).result).to.equal('superseded');
      bench.planned = [];
      expect((await post(callbackWith({ job_id: 'job-2' }))).result).to.equal('no_route');
    });

    it('accepts nothing that it cannot write down', async () => {
      const release = bench.lock();
      expect(await rejectionOf(post())).to.be.instanceOf(LedgerUnavailable);
      release();
      expect((await post()).result).to.equal('accepted');
    });
  });

  describe('when Botbell has taken a delivery over', () => {
    const lasting = () => failure('config');

    beforeEach(async () => {
      bench.fails('slack:#ops', lasting(), lasting(), lasting(), lasting());
      const verdicts = [await post(), await post(), await post()];
      expect(verdicts.map((each) => [each.status, each.result])).to.deep.equal([
        [502, 'failed'],
        [502, 'failed'],
        [200, 'taken_over'],
      ]);
    });

    it('answers a retry 200 taken_over while it still fails', async () => {
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'pending', is_ours: 1, refusals: 2 });
    });

    it('has the operators alerted at once, and once of one failure of one delivery', async () => {
      expect(await bench.alerts()).to.deep.equal(['config_failure slack:#ops x']);
      await post();
      await bench.clock.advance(3_600_000);
      await post();
      expect(await bench.alerts()).to.have.length(1);
      expect(bench.nudges, 'the worker is told of it').to.include('email:operators@example.com');
    });

    it('answers a retry 200 delivered when it passes', async () => {
      bench.fails('slack:#ops');
      expect(summary(await post())).to.deep.equal([200, 'delivered', ['delivered', 'delivered']]);
      expect(milestones(), 'the answer’s own line tells the rest').to.deep.equal(['taken_over slack:#ops']);
    });

    it('goes on trying by itself until it is told', async () => {
      const worker = bench.workerOn(bench.ledger);
      worker.start();
      await bench.clock.advance(180_000);
      expect(await bench.alerts()).to.deep.equal(['config_failure slack:#ops x']);
      const told = bench.told.filter((each) => each !== 'email:operators@example.com');
      expect(told).to.deep.equal(['email:a@example.com', 'slack:#ops']);
      expect((await post()).result).to.equal('duplicate');
      await bench.clock.runUntil(worker.stop());
    });
  });

  describe('when an earlier callback of the job is still being sent', () => {
    const start: Callback = { ...CALLBACK, status: 2 };

    it('waits for it, and tells in order', async () => {
      bench.takes('slack:#ops', 1000);
      const first = bench.handle(start);
      await bench.clock.advance(100);
      const second = bench.handle(CALLBACK);
      await bench.clock.advance(500);
      expect(bench.tried.filter((each) => each === 'slack:#ops')).to.have.length(1);
      const both = await bench.clock.runUntil(Promise.all([first, second]));
      expect(both.map((each) => each.result)).to.deep.equal(['delivered', 'delivered']);
      const statuses = bench.addressed.filter((each) => each.destination === 'slack:#ops');
      expect(statuses.map(({ notice }) => callbackOf(notice).status)).to.deep.equal([2, 0]);
    });

    it('goes ahead when that failed, and the start is told no more', async () => {
      bench.takes('slack:#ops', 1000);
      bench.fails('slack:#ops', failure('config'));
      const first = bench.handle(start);
      await bench.clock.advance(100);
      const second = bench.handle(CALLBACK);
      const both = await bench.clock.runUntil(Promise.all([first, second]));
      expect(both.map((each) => each.status)).to.deep.equal([502, 200]);
      expect(summary(await post(start))).to.deep.equal([200, 'superseded', ['held', 'delivered']]);
    });

    it('takes it over rather than tell out of turn, or answer late', async () => {
      bench.takes('slack:#ops', ANSWER_WITHIN_MS + 3000);
      const first = bench.handle(start);
      await bench.clock.advance(100);
      const startedAt = bench.clock.now();
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(bench.clock.now() - startedAt).to.be.at.most(ANSWER_WITHIN_MS);
      await bench.clock.runUntil(first);
      await bench.clock.runUntil(bench.bridge.drained());
      bench.takes('slack:#ops', 0);
      expect((await post()).result).to.equal('delivered');
    });

    it('does not wait for one that is not being attempted: it is taken over at once, and told elsewhere', async () => {
      bench.fails('slack:#ops', failure('rate_limited', 90_000));
      expect((await post(callbackWith({ message: 'first' }))).result).to.equal('taken_over');
      const startedAt = bench.clock.now();
      const second = await post(callbackWith({ message: 'second' }));
      expect(summary(second)).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(bench.clock.now() - startedAt).to.be.lessThan(1000);
    });

    it('waits no longer when the attempt that it waits for has failed', async () => {
      bench.takes('slack:#ops', 1000);
      bench.fails('slack:#ops', failure('transient'), failure('transient'));
      const first = bench.handle(callbackWith({ message: 'first' }));
      await bench.clock.advance(100);
      const startedAt = bench.clock.now();
      const second = await post(callbackWith({ message: 'second' }));
      expect(second.result).to.equal('taken_over');
      expect(bench.clock.now() - startedAt).to.be.within(800, 1100);
      await bench.clock.runUntil(first);
    });

    it('lets a third one wait behind a second one that waits', async () => {
      bench.takes('slack:#ops', 1000);
      const verdicts = ['first', 'second', 'third'].map((message) => bench.handle(callbackWith({ message })));
      const all = await bench.clock.runUntil(Promise.all(verdicts));
      expect(all.map(({ result }) => result)).to.deep.equal(['delivered', 'delivered', 'delivered']);
      const ops = bench.addressed.filter(({ destination }) => destination === 'slack:#ops');
      expect(ops.map(({ notice }) => callbackOf(notice).message)).to.deep.equal(['first', 'second', 'third']);
    });
  });

  describe('under pressure', () => {
    const jobs = (count: number) =>
      Array.from({ length: count }, (_, number) => callbackWith({ job_id: `job-${number}` }));

    it('tells ten at once within fifteen seconds where one a second is allowed, without a non-2xx', async () => {
      bench.limitRate('slack:#ops', 1000);
      const worker = bench.workerOn(bench.ledger);
      bench.bridge = bench.bridgeOn(bench.ledger, (destinations) => worker.nudge(destinations));
      worker.start();
      const verdicts = await bench.clock.runUntil(Promise.all(jobs(10).map((each) => bench.handle(each))));
      expect(verdicts.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
      await bench.clock.advance(6000);
      expect(bench.told.filter((each) => each === 'slack:#ops')).to.have.length(10);
      await bench.clock.runUntil(worker.stop());
    });

    it('lets callbacks for a channel that hangs take no more than half of the places', async () => {
      bench.maxInFlight = 8;
      bench.bridge = bench.bridgeOn(bench.ledger);
      bench.takes('slack:#ops', 60_000);
      bench.planned = ['slack:#ops'];
      const waiting = jobs(4).map((each) => bench.handle(each));
      await bench.clock.advance(100);
      const fifth = await bench.clock.runUntil(bench.handle(callbackWith({ job_id: 'fifth' })));
      expect(fifth.result).to.equal('taken_over');
      bench.planned = ['email:a@example.com'];
      const mail = await bench.clock.runUntil(bench.handle(callbackWith({ job_id: 'mail' })));
      expect(mail.result).to.equal('delivered');
      await bench.clock.runUntil(Promise.all(waiting));
    });

    it('begins nothing once it is stopping: who only waits is taken over at once', async () => {
      const { lanes, underWay } = bench.processOn(bench.ledger);
      bench.fails('slack:#ops', failure('rate_limited', 3000));
      const verdict = bench.handle(CALLBACK);
      await bench.clock.advance(1000);
      const startedAt = bench.clock.now();
      lanes.stop();
      underWay.stop();
      expect((await bench.clock.runUntil(verdict)).result).to.equal('taken_over');
      expect(bench.clock.now() - startedAt).to.equal(0);
      expect((await post(callbackWith({ job_id: 'other' }))).result).to.equal('taken_over');
      expect(bench.tried).to.have.length(2);
    });

    it('cuts an attempt that outlasts the end, and says that it may have arrived', async () => {
      const { lanes, underWay } = bench.processOn(bench.ledger);
      bench.takes('slack:#ops', 60_000);
      bench.planned = ['slack:#ops'];
      const verdict = bench.handle(CALLBACK);
      await bench.clock.advance(1000);
      lanes.stop();
      underWay.cut();
      expect((await bench.clock.runUntil(verdict)).result).to.equal('taken_over');
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'pending', error_code: 'cut_off', is_ours: 1 });
      expect(row?.['error_message']).to.match(/may have arrived/);
    });
  });

  it('passes on how often the callback came', async () => {
    bench.fails('slack:#ops', failure('transient'), failure('transient'));
    await post();
    await post();
    const ops = bench.addressed.filter((each) => each.destination === 'slack:#ops');
    expect(ops.map(({ notice }) => !isAlert(notice) && notice.timesReceived)).to.deep.equal([1, 1, 2]);
  });

  it('keeps a hundred different callbacks at once apart', async () => {
    const callbacks = Array.from({ length: 100 }, (_, number) => callbackWith({ job_id: `job-${number}` }));
    const verdicts = await bench.clock.runUntil(Promise.all(callbacks.map((each) => bench.handle(each))));
    expect(verdicts.every((each) => each.result === 'delivered')).to.equal(true);
    expect(bench.told).to.have.length(200);
  });
});
