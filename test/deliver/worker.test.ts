/** What nobody waits for: taken over, retried with patience, given up in the end; over a real ledger, in time moved by hand. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import { MemoryBudget } from '../../src/deliver/memory-budget.ts';
import type { Worker } from '../../src/deliver/worker.ts';
import type { Admission } from '../../src/ledger/ledger.ts';
import { arrivalOf, failed, settlementOf, target } from '../contract/ledger-contract.ts';
import { REFUSED } from '../support/alerts.ts';
import { BridgeBench, incomingAt } from '../support/bridge-bench.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { attemptsIn } from '../support/history.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const OPS = 'slack:#ops';
const MAIL = 'email:a@example.com';

function failures(failureClass: FailureClass, count: number, retryAfterMs?: number): DeliveryFailure[] {
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return Array.from(
    { length: count },
    () => new DeliveryFailure({ class: failureClass, code: 'x', message: 'no', ...pause }),
  );
}

describe('the worker', () => {
  let bench: BridgeBench;
  let worker: Worker;

  const accept = (fields: Partial<Callback> = {}, destinations = bench.planned): Promise<Admission> =>
    bench.ledger.admit({
      ...arrivalOf(callbackWith(fields), destinations.map(target), bench.clock.now()),
      isAccepted: true,
    });
  const stateOf = async (destination: string) => {
    const rows = await bench.store.rows('deliveries');
    return rows.find((row) => row['destination'] === destination)?.['state'];
  };
  const tries = (destination: string) => bench.tried.filter((each) => each === destination).length;
  const start = () => {
    worker.start();
    return bench.clock.advance(0);
  };

  beforeEach(async () => {
    bench = await BridgeBench.open([OPS, MAIL]);
    worker = bench.workerOn(bench.ledger);
  });

  afterEach(async () => {
    await bench.clock.runUntil(worker.stop());
    await bench.close();
  });

  it('tells everybody of what was accepted, once, and writes each attempt down', async () => {
    await accept();
    await start();
    expect(bench.told.toSorted()).to.deep.equal([MAIL, OPS]);
    await bench.clock.advance(MINUTE_MS);
    expect(bench.told).to.have.length(2);
    expect(await attemptsIn(bench.store)).to.have.length(2);
    expect(await bench.ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
  });

  describe('of large callbacks', () => {
    const LARGEST = 6000;
    const large = (values: number) => ({ output: { list: Array.from({ length: values }, () => 0) } });

    beforeEach(() => {
      bench.memory = new MemoryBudget(bench.clock, { bytes: 1_000_000, values: 8000 });
      bench.planned = [OPS];
      worker = bench.workerOn(bench.ledger);
    });

    it('has no more in memory at once than fits, and tells them all', async () => {
      bench.takes(OPS, SECOND_MS);
      for (const job_id of ['a', 'b', 'c', 'd', 'e']) await accept({ job_id, ...large(2500) });
      const held: number[] = [];
      await start();
      for (let tenth = 0; tenth < 50; tenth += 1) {
        held.push(bench.memory.held.values);
        await bench.clock.advance(SECOND_MS / 10);
      }
      expect(Math.max(...held)).to.be.within(5000, LARGEST);
      expect(bench.told).to.deep.equal([OPS, OPS, OPS, OPS, OPS]);
      expect(bench.memory.held).to.deep.equal({ bytes: 0, values: 0 });
    });

    it('puts off what there is no memory for, without counting that as an attempt', async () => {
      const release = bench.memory.takeNow({ bytes: 1, values: LARGEST });
      await accept(large(2500));
      await start();
      await bench.clock.advance(30 * SECOND_MS);
      expect(bench.tried).to.deep.equal([]);
      release?.();
      await bench.clock.advance(30 * SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
      expect(await attemptsIn(bench.store)).to.have.length(1);
    });

    it('tells what came when there was more memory, alone', async () => {
      bench.memory = new MemoryBudget(bench.clock, { bytes: 4000, values: 2000 });
      worker = bench.workerOn(bench.ledger);
      await accept(large(2500));
      await start();
      expect(bench.told).to.deep.equal([OPS]);
      expect(bench.memory.held).to.deep.equal({ bytes: 0, values: 0 });
    });

    it('lets the small ones pass meanwhile', async () => {
      const release = bench.memory.takeNow({ bytes: 1, values: LARGEST });
      await accept({ job_id: 'large', ...large(2500) });
      await accept({ job_id: 'small' });
      await start();
      expect(bench.told).to.deep.equal([OPS]);
      release?.();
      await bench.clock.advance(0);
      expect(bench.told).to.deep.equal([OPS, OPS]);
    });

    it('gives its memory back when the ledger cannot be read or written', async () => {
      await accept(large(2500));
      const mend = bench.breakStore();
      await start();
      await bench.clock.advance(SECOND_MS);
      mend();
      await bench.clock.advance(MINUTE_MS);
      expect(bench.told).to.deep.equal([OPS]);
      expect(bench.memory.held).to.deep.equal({ bytes: 0, values: 0 });
    });
  });

  it('takes over what the service has not retried for take_over_after, and only that', async () => {
    bench.fails(OPS, ...failures('transient', 2));
    await bench.clock.runUntil(bench.handle(callbackWith()));
    await start();
    await bench.clock.advance(2 * MINUTE_MS - SECOND_MS);
    expect(bench.told).to.deep.equal([MAIL]);
    await bench.clock.advance(2 * SECOND_MS);
    expect(bench.told).to.deep.equal([MAIL, OPS]);
  });

  it('tells the log what it takes over, what it tells late, and what it gives up', async () => {
    const said = () => bench.milestones.map(({ name, destination }) => `${name} ${destination}`);
    bench.fails(OPS, ...failures('transient', 3));
    await bench.clock.runUntil(bench.handle(callbackWith()));
    await start();
    await bench.clock.advance(2 * MINUTE_MS - SECOND_MS);
    expect(said()).to.deep.equal([]);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(said()).to.deep.equal([`taken_over ${OPS}`, `delivered_late ${OPS}`]);
    const late = bench.milestones.at(-1);
    expect([late?.attempts, late?.notice.template]).to.deep.equal([4, 'succeeded']);
  });

  it('takes over what a process that died was telling', async () => {
    const dead = await bench.another('dead');
    bench.takes(OPS, 100 * MINUTE_MS);
    void dead.handle(incomingAt(callbackWith(), bench.clock.now()));
    await bench.clock.advance(SECOND_MS);
    bench.takes(OPS, 0);
    await start();
    await bench.clock.advance(2 * MINUTE_MS);
    expect(bench.told).to.deep.equal([MAIL, OPS]);
  });

  it('retries ever more patiently, with jitter', async () => {
    bench.fails(OPS, ...failures('transient', 100));
    await accept({}, [OPS]);
    await start();
    await bench.clock.advance(6 * MINUTE_MS);
    const attempts = await attemptsIn(bench.store);
    const startedAt = attempts.map((each) => each.started_at);
    // Two attempts a sent, the second right after the first.
    const results = startedAt.filter((_, index) => index % 2 === 0);
    const waits = results.slice(1).map((at, index) => Math.round((at - (results[index] ?? 0)) / SECOND_MS));
    expect(waits).to.have.length(3);
    // Half of 30 s, 2 min and 8 min, and up to a second until the next look.
    for (const [index, half] of [15, 60, 240].entries()) expect(waits[index]).to.be.within(half, half + 1);
  });

  it('obeys a Retry-After, and leaves everything else on that channel alone meanwhile', async () => {
    bench.fails(OPS, ...failures('rate_limited', 1, 2 * MINUTE_MS));
    await accept();
    await start();
    await accept({ job_id: 'job-2' });
    await bench.clock.advance(2 * MINUTE_MS - SECOND_MS);
    expect(tries(OPS)).to.equal(1);
    expect(tries(MAIL), 'another channel').to.equal(2);
    await bench.clock.advance(3 * SECOND_MS);
    expect(bench.told.filter((each) => each === OPS)).to.have.length(2);
  });

  it('gives up what will not pass within give_up_after, and says so once', async () => {
    bench.policy.giveUpAfterMs = 2 * MINUTE_MS;
    bench.fails(OPS, ...failures('config', 1000));
    await accept();
    await start();
    await bench.clock.advance(2 * MINUTE_MS - SECOND_MS);
    expect([await stateOf(OPS), await bench.alerts()]).to.deep.equal([
      'pending',
      [`config_failure ${OPS} x`],
    ]);
    await bench.clock.advance(5 * MINUTE_MS);
    expect(await stateOf(OPS)).to.equal('dead');
    expect(await bench.alerts()).to.deep.equal([`config_failure ${OPS} x`, `dead_letter ${OPS} x`]);
    const before = tries(OPS);
    await bench.clock.advance(2 * MINUTE_MS);
    expect(tries(OPS)).to.equal(before);
  });

  it('raises no alert of an alert that cannot be delivered, and says so', async () => {
    const [operators = ''] = bench.alertTargets;
    bench.fails(OPS, ...failures('permanent', 1));
    bench.fails(operators, ...failures('permanent', 1));
    await accept();
    await start();
    await bench.clock.advance(MINUTE_MS);
    expect(await bench.alerts()).to.deep.equal([`dead_letter ${OPS} x`]);
    const lost = bench.milestones.filter(({ name }) => name === 'given_up');
    expect(lost.map(({ notice }) => notice.template)).to.deep.equal(['succeeded', 'dead_letter']);
    expect(await stateOf(operators)).to.equal('dead');
  });

  it('tells an alert without waiting for its next look', async () => {
    const [operators = ''] = bench.alertTargets;
    bench.fails(OPS, ...failures('permanent', 1));
    await accept();
    await start();
    expect(bench.told).to.include(operators);
  });

  it('gives up at once what can never pass', async () => {
    bench.fails(OPS, ...failures('permanent', 9));
    await accept();
    await start();
    expect([tries(OPS), await bench.alerts()]).to.deep.equal([1, [`dead_letter ${OPS} x`]]);
  });

  describe('of a delivery that is held back until a time', () => {
    const HOUR_MS = 60 * MINUTE_MS;

    /** As a rule of the config would have it settled. */
    const hold = async () => {
      const { deliveries } = await accept({}, [OPS]);
      await bench.ledger.claimDue([{ destination: OPS, limit: 9 }]);
      const id = deliveries[0]?.id ?? -1;
      const ended = { state: 'held', hold: { code: 'mute', endsInMs: HOUR_MS } } as const;
      await bench.ledger.settle(settlementOf([{ ...failed(id), ...ended }]));
    };

    it('waits for that time, and tells it then', async () => {
      bench.planned = [OPS];
      await hold();
      await start();
      await bench.clock.advance(HOUR_MS - MINUTE_MS);
      expect([bench.told, await stateOf(OPS)]).to.deep.equal([[], 'held']);
      await bench.clock.advance(MINUTE_MS + SECOND_MS);
      expect([bench.told, await stateOf(OPS)]).to.deep.equal([[OPS], 'delivered']);
    });

    it('plans it by the config of then', async () => {
      bench.planned = [OPS];
      await hold();
      await start();
      bench.planned = [MAIL];
      await bench.clock.advance(HOUR_MS + SECOND_MS);
      expect(bench.told).to.deep.equal([MAIL]);
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'held', held_because: 'no longer routed', held_until: null });
    });
  });

  describe('of a delivery that the config no longer sends there', () => {
    it('tells whom the config names instead, and says so', async () => {
      await accept({}, [OPS]);
      bench.planned = [MAIL];
      await start();
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'held', held_because: 'no longer routed' });
      expect(bench.told).to.deep.equal([MAIL]);
      expect(bench.reroutings.map(({ added, isLost }) => [added, isLost])).to.deep.equal([[[MAIL], false]]);
    });

    it('leaves it to others while they run with another config, and looks again a little later', async () => {
      bench.mayRouteAnew = false;
      bench.planned = [OPS];
      await accept({}, [MAIL]);
      await start();
      await bench.clock.advance(MINUTE_MS);
      expect([bench.told, await stateOf(MAIL)]).to.deep.equal([[], 'pending']);
      bench.mayRouteAnew = true;
      await bench.clock.advance(SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
    });

    it('puts it off where it attempts others for the same destination', async () => {
      bench.mayRouteAnew = false;
      bench.planned = [OPS];
      // Told there of alerts alone.
      bench.alertTargets = [MAIL];
      await bench.clock.runUntil(worker.stop());
      worker = bench.workerOn(bench.ledger);
      await accept({}, [MAIL]);
      await start();
      const [row] = await bench.store.rows('deliveries');
      expect(row).to.include({ state: 'pending', claimed_by: null, attempts: 0 });
      expect(Number(row?.['due_at']) - bench.clock.now()).to.be.within(5000, 10_000);
    });

    it('does not wait for the pace of where it is sent no more', async () => {
      const process = bench.processOn(bench.ledger);
      await process.lanes.refresh();
      await bench.ledger.paces.pause(OPS, MINUTE_MS);
      await process.lanes.refresh();
      await accept({}, [OPS]);
      bench.planned = [MAIL];
      await start();
      expect(bench.told).to.deep.equal([MAIL]);
    });

    it('sends an alert to whom alerts go today, and ends it where they go to nobody', async () => {
      const operators = 'email:operators@example.com';
      bench.fails(operators, ...failures('config', 9));
      await bench.ledger.refuse(
        { receivedAt: 0, status: 400, detail: '', errors: [], from: '', body: '' },
        { cause: 'x', subject: REFUSED, targets: [target(operators)], language: 'en' },
      );
      bench.alertTargets = [OPS];
      await start();
      expect(bench.told).to.deep.equal([OPS]);
      await bench.ledger.refuse(
        { receivedAt: 0, status: 400, detail: '', errors: [], from: '', body: '' },
        { cause: 'y', subject: REFUSED, targets: [target(operators)], language: 'en' },
      );
      bench.alertTargets = [];
      await bench.clock.advance(SECOND_MS);
      expect(bench.reroutings.map(({ isLost }) => isLost)).to.deep.equal([false, true]);
      expect((await bench.ledger.countOpen()).pending).to.equal(0);
    });
  });

  it('tells a job’s results in order', async () => {
    bench.fails(OPS, ...failures('transient', 2));
    await accept({ message: 'first' }, [OPS]);
    await accept({ message: 'second' }, [OPS]);
    await start();
    await bench.clock.advance(MINUTE_MS);
    const messages = bench.addressed.map(({ notice }) => callbackOf(notice).message);
    expect(messages).to.deep.equal(['first', 'first', 'first', 'second']);
  });

  it('has 64 under way at most, 48 of one channel and 24 of one destination, and goes on as they are through', async () => {
    const destinations = ['slack:#a', 'slack:#b', 'slack:#c', 'email:a@example.com', 'email:b@example.com'];
    bench.planned = destinations;
    for (const destination of destinations) bench.takes(destination, 5 * SECOND_MS);
    const jobs = Array.from({ length: 40 }, (_, number) => `job-${number}`);
    await Promise.all(jobs.map((job_id) => accept({ job_id }, destinations)));
    await start();
    expect(bench.tried.length).to.be.within(56, 64);
    expect(bench.tried.filter((each) => each.startsWith('slack:')).length).to.be.within(32, 48);
    for (const destination of destinations) expect(tries(destination), destination).to.be.within(1, 24);
    await bench.clock.advance(20 * SECOND_MS);
    expect(bench.told).to.have.length(200);
  });

  it('tells a destination without trouble at once, however much waits for another one', async () => {
    bench.takes(OPS, 5 * SECOND_MS);
    const jobs = Array.from({ length: 300 }, (_, number) => `job-${number}`);
    await Promise.all(jobs.map((job_id) => accept({ job_id }, [OPS])));
    await start();
    await accept({ job_id: 'mail' }, [MAIL]);
    worker.nudge([MAIL]);
    await bench.clock.advance(0);
    expect(bench.told).to.deep.equal([MAIL]);
  });

  it('keeps the pace of a destination that limits its rate, in the order of its callbacks', async () => {
    bench.limitRate(OPS, SECOND_MS);
    const jobs = Array.from({ length: 30 }, (_, number) => `job-${String(number).padStart(2, '0')}`);
    for (const job_id of jobs) await accept({ job_id }, [OPS]);
    await start();
    await bench.clock.advance(34 * SECOND_MS);
    expect(bench.told.filter((each) => each === OPS)).to.have.length(30);
    // The first ones, sent before anybody knew of the limit, were refused once.
    expect(tries(OPS)).to.be.below(30 + 24);
    await accept({ job_id: 'last' }, [OPS]);
    await bench.clock.advance(2 * SECOND_MS);
    expect(bench.told.filter((each) => each === OPS)).to.have.length(31);
  });

  it('looks at once when it is told that something is due, and every second anyway', async () => {
    await start();
    await accept({ job_id: 'a' });
    await bench.clock.advance(500);
    expect(bench.told).to.deep.equal([]);
    worker.nudge([OPS, MAIL]);
    await bench.clock.advance(0);
    expect(bench.told).to.have.length(2);
    await accept({ job_id: 'b' });
    await bench.clock.advance(SECOND_MS);
    expect(bench.told).to.have.length(4);
  });

  it('loses no nudge that comes while it is looking', async () => {
    let duringClaim = () => Promise.resolve();
    worker = bench.workerOn({
      async claimDue(requests) {
        const due = await bench.ledger.claimDue(requests);
        await duringClaim();
        return due;
      },
      dueDestinations: () => bench.ledger.dueDestinations(),
      settle: (settlement) => bench.ledger.settle(settlement),
      probe: () => bench.ledger.probe(),
      releaseHeld: () => bench.ledger.releaseHeld(),
      releaseStranded: () => bench.ledger.releaseStranded(),
    });
    duringClaim = async () => {
      duringClaim = () => Promise.resolve();
      await accept({ job_id: 'job-2' });
      worker.nudge([OPS, MAIL]);
    };
    await accept();
    await start();
    expect(bench.told).to.have.length(4);
  });

  describe('when it is stopped', () => {
    it('sees through what is under way, writes it down, and begins nothing more', async () => {
      bench.takes(OPS, 3 * SECOND_MS);
      await accept({}, [OPS]);
      await start();
      let isStopped = false;
      const stopped = worker.stop().then(() => void (isStopped = true));
      await accept({ job_id: 'job-2' }, [MAIL]);
      await bench.clock.advance(2 * SECOND_MS);
      expect(isStopped).to.equal(false);
      await bench.clock.runUntil(stopped);
      expect(await stateOf(OPS)).to.equal('delivered');
      expect(bench.told).to.deep.equal([OPS]);
    });

    it('while it is claiming, gives back what it got', async () => {
      await accept({}, [OPS]);
      worker.start();
      bench.processOn(bench.ledger).lanes.stop();
      await worker.stop();
      expect(bench.tried).to.deep.equal([]);
      const other = await bench.openLedger('other');
      expect(await other.claimDue([{ destination: OPS, limit: 9 }])).to.have.length(1);
    });

    it('before it was started, is no trouble', async () => {
      await worker.stop();
    });
  });

  describe('when the ledger cannot be used', () => {
    it('says so once, and once when it is over', async () => {
      await start();
      const release = bench.breakStore();
      await bench.clock.advance(20 * SECOND_MS);
      expect([bench.troubles.length, bench.recoveries]).to.deep.equal([1, 0]);
      release();
      await accept();
      await bench.clock.advance(10 * SECOND_MS);
      expect([bench.troubles.length, bench.recoveries]).to.deep.equal([1, 1]);
      expect(bench.told).to.have.length(2);
    });

    it('tells nobody again whom it told while it could not write it down', async () => {
      bench.takes(OPS, 100);
      await accept({}, [OPS]);
      await start();
      const release = bench.breakStore();
      await bench.clock.advance(20 * SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
      release();
      expect(await stateOf(OPS)).to.equal('pending');
      await bench.clock.advance(30 * SECOND_MS);
      expect(await stateOf(OPS)).to.equal('delivered');
      expect(bench.told, 'though its claim had ended').to.deep.equal([OPS]);
      expect(await attemptsIn(bench.store)).to.have.length(1);
    });

    it('gives other processes the time to write down whom they told, before it claims again', async () => {
      const other = bench.workerOn(await bench.openLedger('other'));
      bench.takes(OPS, 100);
      await start();
      await bench.clock.advance(500);
      await accept({}, [OPS]);
      other.start();
      await bench.clock.advance(50);
      const release = bench.breakStore();
      await bench.clock.advance(20 * SECOND_MS + 150);
      release();
      // The next to look is not the one who told.
      await bench.clock.advance(30 * SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
      await bench.clock.runUntil(other.stop());
    });
  });
});
