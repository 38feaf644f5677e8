import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { target } from '../contract/arrivals.ts';
import { anew } from '../support/anew.ts';
import { REFUSED } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { MINUTE, SECOND } from '../support/manual-clock.ts';
import { DeliveryBench, failure, failures } from './delivery-bench.ts';

const OPS = 'slack:#ops';
const MAIL = 'email:a@example.com';
const OPERATORS = 'email:operators@example.com';

describe('what nobody waits for', () => {
  const bench = anew(() => DeliveryBench.open([OPS, MAIL]));

  const accept = (fields: Partial<Callback> = {}, destinations?: readonly string[]) =>
    bench.accept(callbackWith(fields), destinations);
  const acceptJobs = (count: number, destinations: readonly string[]) =>
    Promise.all(Array.from({ length: count }, (_, at) => accept({ job_id: `job-${at}` }, destinations)));
  const start = async () => {
    await bench.first.pipeline.start();
    await bench.clock.advance(0);
  };
  const accepted = (job_id: string) => bench.first.handle(callbackWith({ job_id }));
  /** @returns gives how often the first process has asked for what is due since; more than `most` times fails */
  const countClaims = (most: number) => {
    const { ledger } = bench.first;
    const claim = ledger.claim.bind(ledger);
    let claims = 0;
    const counting: typeof claim = (request) => {
      claims += 1;
      return claims > most ? Promise.reject(new Error('asked again and again')) : claim(request);
    };
    Object.assign(ledger, { claim: counting });
    return () => claims;
  };
  /** The first process has been silent until now; with its next heartbeat it is heard again. */
  const beatsFromSilence = () => {
    bench.isHeard = false;
    const { upkeep } = bench.first.ledger;
    const beat = upkeep.heartbeat;
    upkeep.heartbeat = async (config) => {
      bench.isHeard = true;
      return beat.call(upkeep, config);
    };
  };

  it('is told at once when this process has answered that it is accepted, and within a second otherwise', async () => {
    bench.answerWhen = 'accepted';
    await bench.reload();
    const { status, result, deliveries } = await accepted('a');
    const states = deliveries.map(({ state }) => state).join();
    expect(`${status} ${result} ${states}`).to.equal('200 accepted pending,pending');
    await bench.clock.runUntil(bench.first.pipeline.loop.underWay.idle());
    expect([bench.told, await bench.results('answered')]).to.deep.equal([[OPS, MAIL], ['accepted']]);
    await start();
    const claims = countClaims(100);
    await accepted('b');
    await bench.clock.advance(0);
    expect([bench.told.length, claims()], 'and claimed by its admission').to.deep.equal([4, 0]);
    expect((await accepted('a')).result).to.equal('duplicate');
    await accept({ job_id: 'c' });
    await bench.clock.advance(SECOND);
    expect(bench.told).to.have.length(6);
  });

  it('is begun by no process whose heartbeat the store does not take: what comes is taken over, and told once it does', async () => {
    bench.isHeard = false;
    await start();
    await accept({ job_id: 'due' });
    const { status, result } = await bench.deliver(callbackWith({ job_id: 'posted' }));
    await bench.clock.advance(10 * SECOND);
    expect([status, result, bench.told]).to.deep.equal([200, 'taken_over', []]);
    bench.isHeard = true;
    await bench.clock.advance(3 * SECOND);
    expect(bench.told.toSorted()).to.deep.equal([MAIL, MAIL, OPS, OPS]);
  });

  it('is no longer in the hands of a process that was silent, even once that beats again: others may have it', async () => {
    bench.fails(OPS, failure('rate_limited', 6 * SECOND));
    await accept({}, [OPS]);
    await start();
    expect(bench.first.pipeline.loop.inHand.own, 'it waits for the pause to end').to.have.length(1);
    beatsFromSilence();
    await bench.clock.advance(5 * SECOND);
    expect([bench.first.pipeline.loop.inHand.own, bench.told]).to.deep.equal([[], []]);
  });

  for (const [connectsIn, when] of [
    [2 * SECOND, 'before that beats again'],
    [7 * SECOND, 'even once that beats again'],
  ] as const)
    it(`is not sent by a process that was silent while it connected, ${when}`, async () => {
      bench.connectsIn(OPS, connectsIn);
      await accept({}, [OPS]);
      await start();
      expect(bench.tries(OPS)).to.equal(1);
      beatsFromSilence();
      await bench.clock.advance(connectsIn);
      expect(bench.told).to.deep.equal([]);
      await bench.clock.advance(20 * SECOND);
      expect(bench.told).to.deep.equal([OPS]);
    });

  it('is asked for once a second while there is none', async () => {
    const claims = countClaims(100);
    await start();
    await bench.clock.advance(MINUTE);
    expect(claims()).to.be.within(60, 65);
  });

  it('is what the service has stopped retrying, and the log says so', async () => {
    bench.fails(OPS, ...failures(2, 'transient'));
    expect((await bench.deliver(callbackWith())).status).to.equal(502);
    await start();
    await bench.clock.advance(2 * MINUTE - SECOND);
    expect(bench.told).to.deep.equal([MAIL]);
    await bench.clock.advance(2 * SECOND);
    expect(bench.told).to.deep.equal([MAIL, OPS]);
    expect(bench.milestonesReached).to.deep.equal([`taken_over ${OPS}`, `delivered_late ${OPS}`]);
  });

  it('is not looked for again and again where another process has paused the pace', async () => {
    bench.answerWhen = 'accepted';
    await bench.plan(OPS);
    await start();
    bench.fails(OPS, failure('rate_limited', SECOND));
    await accepted('a');
    await bench.clock.advance(1.5 * SECOND);
    await bench.first.ledger.pausePace(OPS, 10 * SECOND);
    const claims = countClaims(50);
    await accepted('b');
    await bench.clock.advance(0);
    expect([bench.tries(OPS), bench.troubles]).to.deep.equal([2, []]);
    expect(claims()).to.be.lessThan(5);
    await bench.clock.advance(11 * SECOND);
    expect(bench.told).to.deep.equal([OPS, OPS]);
  });

  it('is given up at once where it can never pass, with an alert, unless it is one itself: that is a line in the log', async () => {
    bench.fails(OPS, failure('permanent'));
    bench.fails(OPERATORS, failure('permanent'));
    await accept();
    await start();
    expect([bench.tries(OPS), bench.tries(OPERATORS)]).to.deep.equal([1, 1]);
    await bench.clock.advance(MINUTE);
    expect(await bench.alerts()).to.deep.equal([`dead_letter ${OPS} x`]);
    expect(bench.milestonesReached).to.include.members([`given_up ${OPS}`, `given_up ${OPERATORS}`]);
  });

  it('to many destinations has 24 under way of one destination at most, and one of each of a hundred others', async () => {
    const others = Array.from({ length: 100 }, (_, number) => `slack:#${number}`);
    await bench.plan(OPS, ...others);
    for (const destination of [OPS, ...others]) bench.takes(destination, 5 * SECOND);
    await acceptJobs(40, [OPS]);
    for (const [number, destination] of others.entries())
      await accept({ job_id: `other-${number}` }, [destination]);
    await start();
    expect([bench.tries(OPS), bench.tried.length]).to.deep.equal([24, 124]);
    await bench.clock.advance(25 * SECOND);
    expect(bench.told).to.have.length(140);
  });

  it('to many destinations has 40 calls to one destination at most, whoever waits for them', async () => {
    await bench.plan(OPS);
    bench.takes(OPS, 3 * SECOND);
    const posts = Array.from({ length: 60 }, (_, number) =>
      bench.first.handle(callbackWith({ job_id: `job-${number}` })),
    );
    await bench.clock.advance(0);
    expect(bench.tries(OPS)).to.equal(40);
    await bench.clock.advance(3 * SECOND);
    expect(bench.tries(OPS)).to.equal(60);
    const verdicts = await bench.clock.runUntil(Promise.all(posts));
    expect(verdicts.map(({ status }) => status)).to.deep.equal(Array(60).fill(200));
  });

  it('to many destinations is told at once where there is no trouble, however much waits elsewhere', async () => {
    bench.takes(OPS, 5 * SECOND);
    await acceptJobs(300, [OPS]);
    await start();
    bench.answerWhen = 'accepted';
    await bench.plan(MAIL, 'slack:#log');
    await accepted('elsewhere');
    await bench.clock.advance(0);
    expect(bench.told).to.have.members([MAIL, 'slack:#log']);
  });

  it('and the config no longer sends there is told after all where a process with another config has held it, and is gone', async () => {
    await start();
    bench.mayRouteAnew = false;
    await bench.clock.advance(10 * SECOND);
    await accept({}, [OPS]);
    await bench.store.run(`update deliveries set state = 'held', reason = 'no longer routed'`);
    await bench.clock.advance(10 * SECOND);
    expect(bench.told).to.deep.equal([]);
    bench.mayRouteAnew = true;
    await bench.clock.advance(10 * SECOND);
    expect(bench.told).to.deep.equal([OPS]);
  });

  it('and the config no longer sends there is left to others where this process finds only now that another one has loaded another config', async () => {
    await bench.plan('slack:#log');
    await start();
    const now = bench.clock.now();
    await bench.store.run(
      `insert into processes (owner, config_hash, loaded_at, seen_at) values ('other', 'other', ${now}, ${now})`,
    );
    await accept({}, [OPS]);
    await bench.clock.advance(2 * SECOND);
    const [{ owner, state, due_at } = {}] = await bench.store.rows('deliveries');
    expect([owner, state]).to.deep.equal([null, 'pending']);
    expect(Number(due_at)).to.be.above(now + 10 * SECOND);
  });

  it('and the config no longer sends there is an alert that goes to whom alerts go today, or ends where they go to nobody', async () => {
    bench.fails(OPERATORS, ...failures(9, 'config'));
    const refused = { status: 400, detail: '', errors: [], from: '', body: '' } as const;
    const alert = { subject: REFUSED, targets: [target(OPERATORS)] };
    await bench.first.ledger.refuse(refused, { cause: 'x', ...alert });
    bench.alertTargets = [OPS];
    await bench.reload();
    await start();
    expect(bench.told).to.deep.equal([OPS]);
    await bench.first.ledger.refuse({ ...refused, status: 413 }, { cause: 'y', ...alert });
    bench.alertTargets = [];
    await bench.reload();
    await bench.clock.advance(SECOND);
    expect(bench.milestonesReached.filter((each) => each.startsWith('held'))).to.have.length(2);
  });

  it('that waits for a setting to be corrected is due at once after a config was loaded, all else at its time', async () => {
    bench.fails(OPS, ...failures(2, 'transient'), ...failures(20, 'config'));
    bench.fails(MAIL, ...failures(50, 'transient'));
    await accept();
    await start();
    await bench.clock.advance(2 * MINUTE);
    const before = [bench.tries(OPS), bench.tries(MAIL)] as const;
    bench.fails(OPS);
    await bench.plan(OPS, MAIL, 'slack:#new');
    await bench.clock.advance(6 * SECOND);
    expect([bench.tries(OPS), bench.tries(MAIL)]).to.deep.equal([before[0] + 1, before[1]]);
    expect(bench.told).to.include(OPS).and.not.include(MAIL);
  });

  it('that somebody has to look at, since it may have arrived, is left alone by time and by a config that leaves its channel as it is, until the service posts it again', async () => {
    const details = { class: 'config', code: 'http_302', message: 'redirect', mayHaveArrived: true } as const;
    bench.fails(OPS, new DeliveryFailure(details));
    await accept();
    await start();
    await bench.plan(OPS, MAIL, 'slack:#new');
    await bench.clock.advance(20 * MINUTE);
    expect(bench.tries(OPS)).to.equal(1);
    expect((await bench.deliver(callbackWith())).status).to.equal(200);
    expect(bench.tries(OPS)).to.equal(2);
  });

  describe('and is claimed anew before this process knows that its outcome is written', () => {
    /** Of the next outcome, this process knows so much later that it is written. */
    const knowsLate = async (ms: number) => {
      await bench.plan(OPS);
      bench.fails(OPS, ...failures(2, 'transient'));
      await start();
      const { ledger } = bench.first;
      const settle = ledger.settle.bind(ledger);
      const late: typeof settle = async (...args) => {
        Object.assign(ledger, { settle });
        const isDue = await settle(...args);
        await bench.clock.sleep(ms);
        return isDue;
      };
      Object.assign(ledger, { settle: late });
    };

    it('is attempted at its time, and the log says once that it is taken over', async () => {
      await knowsLate(122 * SECOND);
      const { status } = await bench.deliver(callbackWith());
      await bench.clock.advance(5 * SECOND);
      expect([status, bench.told]).to.deep.equal([502, [OPS]]);
      expect(bench.milestonesReached).to.deep.equal([`taken_over ${OPS}`, `delivered_late ${OPS}`]);
    });

    it('is attempted by the config that is in force then', async () => {
      await knowsLate(122 * SECOND);
      const posted = bench.first.handle(callbackWith());
      await bench.clock.advance(121 * SECOND);
      await bench.plan('slack:#others');
      await bench.clock.runUntil(posted);
      await bench.clock.advance(5 * SECOND);
      expect(bench.told).to.deep.equal(['slack:#others']);
    });

    it('is attempted within half a minute where the service has posted it again', async () => {
      await knowsLate(10 * SECOND);
      const first = bench.first.handle(callbackWith());
      await bench.clock.advance(5 * SECOND);
      expect((await bench.deliver(callbackWith())).result).to.equal('taken_over');
      await bench.clock.runUntil(first);
      await bench.clock.advance(30 * SECOND);
      expect(bench.told).to.deep.equal([OPS]);
    });
  });

  it('while the process stops is finished where it is being attempted, and not begun otherwise', async () => {
    bench.takes(OPS, 3 * SECOND);
    await accept({}, [OPS]);
    await start();
    let isStopped = false;
    const stopped = bench.first.pipeline.stop().then(() => (isStopped = true));
    await accept({ job_id: 'job-2' }, [MAIL]);
    await bench.clock.advance(2 * SECOND);
    expect(isStopped).to.equal(false);
    await bench.clock.runUntil(stopped);
    expect((await bench.row(OPS))?.['state']).to.equal('delivered');
    expect(bench.told).to.deep.equal([OPS]);
  });

  it('while the process stops is given back where it has just been claimed', async () => {
    await accept({}, [OPS]);
    void bench.first.pipeline.start();
    await bench.clock.runUntil(bench.first.pipeline.stop());
    expect(bench.tried).to.deep.equal([]);
    expect((await bench.row(OPS))?.['owner']).to.equal(null);
  });

  it('while the ledger cannot be used is said once, and once when that is over', async () => {
    await start();
    const mend = bench.breakStore();
    await bench.clock.advance(20 * SECOND);
    expect([bench.troubles.length, bench.recoveries]).to.deep.equal([1, 0]);
    mend();
    await accept();
    await bench.clock.advance(10 * SECOND);
    expect([bench.troubles.length, bench.recoveries]).to.deep.equal([1, 1]);
    expect(bench.told).to.have.length(2);
  });

  it('while the ledger cannot be used leaves other processes the time to write down whom they told, before anything is claimed again', async () => {
    const other = await bench.another('other');
    bench.takes(OPS, 100);
    await start();
    await bench.clock.advance(500);
    await accept({}, [OPS]);
    await other.pipeline.start();
    await bench.clock.advance(50);
    const mend = bench.breakStore();
    await bench.clock.advance(20 * SECOND + 150);
    mend();
    await bench.clock.advance(30 * SECOND);
    expect(bench.told).to.deep.equal([OPS]);
    await bench.clock.runUntil(other.pipeline.stop());
  });
});
