/** What a store's clock that was ahead has made waits no longer than its own kind can ask for, once the clock is set right. */
import { expect } from 'chai';
import { retentionChore } from '../../src/app/ledger-chores.ts';
import { LONGEST_BACKOFF_MS, widenFailing } from '../../src/ledger/deliveries/failing.ts';
import { LOG, OPS, target } from './arrivals.ts';
import { Bench, type CreateStore, HANDS } from './ledger-bench.ts';
import { dead, failed, namesOf, putOff, TAKE_OVER_AFTER_MS } from './updates.ts';
import { anew } from '../support/anew.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const AHEAD = 400 * 24 * HOUR;
const CONFIG = { hash: 'a', channels: new Map([['slack', 'slack']]) };

export function describeSetClocks(name: string, createStore: CreateStore): void {
  describe(`${name} when its clock was ahead and is set right`, () => {
    const bench = anew(() => Bench.open(createStore));

    const setBy = (ms: number) => bench.store.clock.setBy(ms);
    const beat = async (by = bench.ledger) => {
      await by.upkeep.heartbeat(CONFIG);
      return by.upkeep.repair(HANDS);
    };
    /** A message waits so long for Botbell's own next attempt. */
    const putsOff = async (ms: number) => {
      const [ops] = namesOf(await bench.accept({}, [OPS]));
      await bench.claim();
      await bench.settle([putOff(ops, ms)]);
    };
    /** Ahead, it does this; then the clock is right again. */
    const ahead = async (does: () => Promise<unknown>, ms = AHEAD) => {
      setBy(ms);
      await beat();
      await does();
      setBy(-ms);
    };

    it('attempts what waits for Botbell’s own next attempt, and what the service no longer retries, once this is noticed, also after a restart', async () => {
      await ahead(async () => {
        await putsOff(10 * MINUTE);
        await bench.settled(bench.arrive({ job_id: 'posted' }, [LOG]), failed);
      });
      expect(await bench.due(), 'nobody has noticed').to.deep.equal([]);
      const second = await bench.openAs('second');
      expect([await beat(second), await beat(second)], 'once').to.deep.equal([true, false]);
      expect(await bench.due()).to.deep.equal([OPS.destination]);
      await bench.store.passTime(TAKE_OVER_AFTER_MS);
      expect(await bench.due()).to.deep.equal([LOG.destination, OPS.destination]);
    });

    it('leaves a wait as it is that its own kind can ask for', async () => {
      setBy(HOUR);
      await putsOff(14 * MINUTE);
      await beat();
      expect(await bench.due()).to.deep.equal([]);
      await bench.store.passTime(14 * MINUTE);
      expect(await bench.due()).to.deep.equal([OPS.destination]);
    });

    it('leaves as it is what lies no more than a second ahead', async () => {
      setBy(SECOND);
      const now = bench.store.clock.now();
      const { deliveries } = await bench.accept({ status: 1, message: 'x' }, [OPS, LOG]);
      await bench.claim();
      await bench.settle(deliveries.map((each) => putOff(each, LONGEST_BACKOFF_MS)));
      const [log] = namesOf(await bench.arrive({ job_id: 'posted' }, [LOG]));
      const [held, lost] = namesOf(await bench.arrive({ job_id: 'held' }, [OPS, target('slack:#lost')]));
      await bench.settle([failed(log), dead(lost)]);
      const actor = { via: 'api', user: 'amy', from: '' } as const;
      const request = { botId: 'b', until: now + HOUR, isUntilSuccess: false, because: '', actor };
      await bench.ledger.actions.snooze(request);
      const lastDeliveredAt = bench.store.clock.monotonic();
      await bench.ledger.recordDestinations([{ destination: LOG.destination, lastDeliveredAt }]);
      await bench.store.run(`
        update deliveries set state = 'held', reason = 'burst', held_until = ${now + HOUR} where id = ${held.id};
        update incidents set over_at = ${now} where kind = 'bot';
        insert into timers (key, kind, due_at, data) values ('burst slack:#ops', 'burst', ${now}, '{"startedAt":${now}}'),
          ('overdue 1 5', 'overdue', ${now + 5}, '{"overdueMs":5}'), ('hold slack:#ops', 'hold', ${now}, '{}')`);
      const tables = ['deliveries', 'snoozes', 'incidents', 'destinations', 'timers'];
      const all = () => Promise.all(tables.map((table) => bench.store.rows(table, '1')));
      const before = await all();
      setBy(-SECOND);
      await beat();
      expect(await all()).to.deep.equal(before);
    });

    it('gives up what was received or waited then when give_up_after is over, not later', async () => {
      await bench.accept({ job_id: 'before' }, [LOG]);
      await ahead(async () => {
        await bench.settle((await bench.claim()).map(({ record }) => putOff(record, 0)));
        await bench.accept({}, [OPS]);
      });
      await beat();
      await bench.store.passTime(HOUR);
      expect((await bench.claim()).map(({ record }) => record.ageMs)).to.deep.equal([0, 0]);
      const [again] = (await bench.arrive({}, [OPS])).deliveries;
      expect(again?.ageMs).to.be.within(0, HOUR);
    });

    for (const ms of [AHEAD, 5 * MINUTE])
      it(`takes nobody for alive whose heart beat then, and lets nobody who lives lose what it has in hand: ${ms / MINUTE} minutes`, async () => {
        const other = await bench.openAs('other');
        await ahead(async () => {
          await beat(other);
          await bench.accept({}, [OPS]);
          await bench.claim(other);
        }, ms);
        await beat();
        expect(await bench.due(), 'it may be alive').to.deep.equal([]);
        for (const _ of [1, 2]) {
          await bench.store.passTime(15 * SECOND);
          await beat();
        }
        expect(await bench.due()).to.deep.equal([OPS.destination]);
      });

    it('takes nobody for dead because it was set forward', async () => {
      const other = await bench.openAs('other');
      for (const each of [bench.ledger, other]) await beat(each);
      await bench.accept({}, [OPS]);
      await bench.claim(other);
      setBy(5 * MINUTE);
      // It looks at all claims.
      bench.ledger.upkeep.expectStrays();
      expect(await beat()).to.equal(false);
      expect(await bench.due()).to.deep.equal([]);
      await bench.store.passTime(10 * SECOND);
      expect(await beat(), 'nor does it beat after that').to.equal(true);
    });

    for (const came of ['then', 'before'])
      it(`counts no time towards give_up_after in which a message was held from then on that came ${came}`, async () => {
        if (came === 'before') await bench.accept({}, [OPS]);
        await ahead(async () => {
          if (came === 'then') await bench.accept({}, [OPS]);
          const now = bench.store.clock.now();
          await bench.store.run(
            `update deliveries set state = 'held', reason = 'mute', held_until = ${now}, updated_at = ${now}`,
          );
        });
        await beat();
        await bench.store.passTime(HOUR);
        await bench.store.run(`update deliveries set held_until = ${bench.store.clock.now()}`);
        expect(await bench.release()).to.equal(1);
        const [due] = await bench.claim();
        expect(due?.record.ageMs).to.equal(0);
      });

    it('tells what was held until then at once', async () => {
      await bench.accept({}, [OPS]);
      await ahead(async () => {
        const now = bench.store.clock.now();
        await bench.store.run(`
          update deliveries set state = 'held', reason = 'mute', held_until = ${now - AHEAD};
          insert into timers (key, kind, due_at, data) values ('hold slack:#ops', 'hold', ${now}, '{}')`);
      });
      expect(await bench.release(), 'nobody has noticed').to.equal(0);
      await beat();
      expect(await bench.release()).to.equal(1);
    });

    it('obeys no pause that ends later than in an hour, has a snooze last as long as it was to, and the config that was loaded last decide fifteen minutes after it is set right', async () => {
      await bench.ledger.pausePace(LOG.destination, HOUR);
      const actor = { via: 'api', user: 'amy', from: '' } as const;
      await ahead(async () => {
        await bench.ledger.pausePace(OPS.destination, 2 * SECOND);
        const until = bench.store.clock.now() + HOUR;
        await bench.ledger.actions.snooze({ botId: 'b', until, isUntilSuccess: false, because: '', actor });
      });
      await beat();
      const obeyed = { key: LOG.destination, nextInMs: HOUR, pausedMs: HOUR };
      expect(await bench.ledger.currentPaces()).to.deep.equal([obeyed]);
      const [snooze] = (await bench.ledger.archive.snoozes()).items;
      expect(snooze?.until).to.equal(bench.store.clock.now() + HOUR);
      const [own] = await bench.ledger.processes();
      expect(own?.loadedAt).to.equal(bench.store.clock.now());
    });

    it('knows a destination as down two minutes after it fails, which failed then, too', async () => {
      const fails = () => {
        const now = bench.store.clock.monotonic();
        return bench.store.call(widenFailing, [OPS.destination, { first: now, last: now }]);
      };
      await ahead(fails);
      await beat();
      await fails();
      await bench.store.passTime(2 * MINUTE);
      await fails();
      const known = { destination: OPS.destination, first: -2 * MINUTE, last: 0 };
      expect(await bench.ledger.failingDestinations()).to.deep.equal([known]);
    });

    it('ends the trouble of a destination with the next success, and with no earlier one', async () => {
      const open = async () => (await bench.ledger.archive.openIncidents()).map(({ subject }) => subject);
      const succeeds = (destination: string) => {
        const lastDeliveredAt = bench.store.clock.monotonic();
        return bench.ledger.recordDestinations([{ destination, lastDeliveredAt }]);
      };
      await ahead(async () => {
        const [ops, log] = namesOf(await bench.arrive({}, [OPS, LOG]));
        const lastError = { class: 'config', code: 'no', message: 'no' } as const;
        await bench.settle([ops, log].map((each) => putOff(each, MINUTE, { lastError })));
        await bench.store.passTime(SECOND);
        await succeeds(LOG.destination);
      });
      await beat();
      await bench.care();
      expect(await open()).to.deep.equal([OPS.destination]);
      await bench.store.passTime(SECOND);
      await succeeds(OPS.destination);
      await bench.care();
      expect(await open()).to.deep.equal([]);
    });

    it('takes what fails again for another trouble than one that was over then', async () => {
      const fails = async (job_id: string) => {
        const [ops] = await bench.settled(bench.arrive({ job_id }, [OPS]), dead);
        return ops;
      };
      const all = async () => (await bench.ledger.archive.incidents({}, {})).items.length;
      await ahead(async () => {
        const { id } = await fails('ahead');
        await bench.ledger.actions.dismiss(id, { via: 'api', user: undefined, from: 'test' });
        await bench.care();
        await bench.store.run('update incidents set told_at = over_at');
      });
      await beat();
      await bench.store.passTime(HOUR);
      await fails('another');
      expect(await all()).to.equal(2);
    });

    it('deletes what was received then when store.keep is over', async () => {
      await ahead(() => bench.arrive({}, []));
      await bench.forget(HOUR);
      await bench.store.passTime(HOUR + 1);
      await bench.forget(HOUR);
      expect(await bench.store.rows('callbacks')).to.deep.equal([]);
    });

    it('deletes nothing old for a day after it was set forward, so that a retry of what came before is known', async () => {
      const { clock } = bench.store;
      const settings = { current: { config: { store: { keepMs: 48 * HOUR } } } };
      const parts = { clock, ledger: bench.ledger, settings } as unknown as Parameters<
        typeof retentionChore
      >[0];
      const chore = retentionChore(parts);
      const left = async () => {
        for (let isMore = true; isMore;) isMore = (await chore.work()) === true;
        return (await bench.store.rows('callbacks')).length;
      };
      await bench.arrive({}, []);
      const before = await left();
      setBy(AHEAD);
      const after = await left();
      await bench.store.passTime(24 * HOUR - MINUTE);
      const later = await left();
      await bench.store.passTime(MINUTE);
      expect([before, after, later, await left()]).to.deep.equal([1, 1, 1, 0]);
    });
  });
}
