/** Whose a claim is: it lives as long as its owner, on every database. */
import { expect } from 'chai';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { freeClaims } from '../../src/ledger/shared/processes.ts';
import type { InHand } from '../../src/ledger/shared/upkeep.ts';
import { anew } from '../support/anew.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { LOG, OPS, target } from './arrivals.ts';
import { Bench, type CreateStore, HANDS, WORK_MS } from './ledger-bench.ts';
import { settlementOf } from './settlements.ts';
import { delivered, NOBODY, putOff } from './updates.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const CONFIG = { hash: 'a', channels: new Map([['slack', 'slack']]) };

export function describeClaims(name: string, createStore: CreateStore): void {
  describe(`${name}: what a process has claimed`, () => {
    const bench = anew(() => Bench.open(createStore));
    let other: DatabaseLedger;
    let gone: string[];

    beforeEach(async () => {
      gone = [];
      other = await bench.store.open({ owner: 'other', isGone: (owner) => gone.includes(owner) });
      for (const each of [bench.ledger, other]) await each.upkeep.heartbeat(CONFIG);
      // The first look after a start asks for one at what is due.
      await other.upkeep.repair(HANDS);
    });

    const pass = (ms: number) => bench.store.passTime(ms);
    const claimed = async () => {
      const isAny = await other.upkeep.repair(HANDS);
      return [isAny, (await bench.claim(other)).map(({ record }) => record.destination).toSorted()];
    };
    /** A POST is being attempted, and so is what was due, whose answer is waited for ten minutes more. */
    const begin = async () => {
      await bench.arrive({}, [OPS]);
      await bench.accept({ job_id: 'mail' }, [LOG]);
      await bench.claim();
    };

    it('is another’s at once when it has ended on the same machine, but not what waits for a later attempt', async () => {
      const later = await bench.accept({ job_id: 'later' }, [OPS]);
      await bench.claim();
      await bench.settled(later, (of) => putOff(of, 10 * MINUTE));
      await begin();
      await (await bench.openAs('third')).upkeep.heartbeat(CONFIG);
      expect(await claimed(), 'while it lives').to.deep.equal([false, []]);
      gone.push('first');
      expect(await claimed()).to.deep.equal([true, [LOG.destination, OPS.destination]]);
      expect((await bench.history()).filter((what) => what === 'taken_over')).to.have.length(1);
      expect(await other.upkeep.repair(HANDS), 'once').to.equal(false);
      const living = (await bench.store.rows('processes', 'owner')).map(({ owner }) => owner);
      expect(living).to.deep.equal(['other', 'third']);
    });

    it('is another’s when it has been silent for 30 s, and then only what it had', async () => {
      await begin();
      await pass(30 * SECOND - 1);
      await other.upkeep.heartbeat(CONFIG);
      expect(await claimed()).to.deep.equal([false, []]);
      await pass(1);
      await other.upkeep.heartbeat(CONFIG);
      expect(await claimed()).to.deep.equal([true, [LOG.destination, OPS.destination]]);
      await bench.ledger.upkeep.heartbeat(CONFIG);
      await bench.arrive({ job_id: 'back' }, [OPS]);
      expect(await claimed(), 'it is back').to.deep.equal([false, []]);
      await pass(31 * SECOND);
      await other.upkeep.heartbeat(CONFIG);
      expect((await claimed())[0], 'and dies again').to.equal(true);
    });

    it('is due at once when it stops', async () => {
      await bench.accept({ job_id: 'kept' }, [target('slack:#kept')]);
      await bench.claim(other);
      await begin();
      await bench.ledger.signOff();
      expect(await claimed()).to.deep.equal([false, [LOG.destination, OPS.destination]]);
      const owners = (await bench.store.rows('processes', 'owner')).map(({ owner }) => owner);
      expect(owners).to.deep.equal(['other']);
    });

    it('is freed even if a dead process’s last write is committed after it was seen to be dead', async () => {
      gone.push('first');
      for (const _ of [1, 2]) await other.upkeep.repair(HANDS);
      await begin();
      expect(await claimed(), 'nothing new').to.deep.equal([false, []]);
      await pass(MINUTE);
      await other.upkeep.heartbeat(CONFIG);
      expect(await claimed()).to.deep.equal([true, [LOG.destination, OPS.destination]]);
    });

    it('is not freed by another process that had it before', async () => {
      await begin();
      await bench.store.run(
        `insert into timers (key, kind, due_at, data, owner) values ('hold a', 'hold', 0, '{}', 'first')`,
      );
      const deliveries = (await bench.deliveries()).map(({ id }) => ({ ...NOBODY, id, updatedAt: 0 }));
      const looking = { isGone: () => false, isSilenceJudged: false, isDue: () => true };
      const abandonedOf = () => ({ deliveries, timers: ['hold a'] });
      const { isAny } = await bench.store.call(freeClaims, [{ ...looking, abandonedOf }], 'other');
      expect(isAny).to.equal(false);
    });

    describe('and does not work on, since the answer of a call was lost', () => {
      const look = (hands: Partial<InHand> = {}) => {
        const nothing = { has: () => false, isFiring: () => false };
        return bench.ledger.upkeep.repair({ ...nothing, ...hands });
      };
      const again = async (hands?: Partial<InHand>) => {
        await pass(WORK_MS + 1);
        await bench.ledger.upkeep.heartbeat(CONFIG);
        return look(hands);
      };

      beforeEach(async () => {
        await look();
        await begin();
        await pass(MINUTE);
        await bench.ledger.upkeep.heartbeat(CONFIG);
      });

      it('is looked for at the next heartbeat when a call has failed', async () => {
        await again();
        await again();
        await bench.claim();
        expect(await rejectionOf(bench.ledger.takeOver([NOBODY]))).to.be.an('error');
        expect(await look(), 'it may be on its way').to.equal(false);
        expect(await again()).to.equal(true);
      });

      it('is not what is in its hands, however long that takes', async () => {
        for (let look = 0; look < 3; look += 1) expect(await again(HANDS)).to.equal(false);
      });

      it('is not what it has told, though it could not write that down yet', async () => {
        const { items } = await bench.ledger.archive.callbacks({}, {});
        for (const { receivedAt, deliveries } of items)
          for (const { id, destination } of deliveries)
            bench.ledger.unwritten.keep(settlementOf(delivered({ id, destination, receivedAt })));
        for (let look = 0; look < 3; look += 1) expect(await again()).to.equal(false);
      });

      it('is a timer that was not fired, and comes behind the others', async () => {
        await bench.arrive({ job_id: 'held' }, [OPS]);
        const ended = bench.store.clock.now();
        const hold = `update deliveries set state = 'held', owner = null, reason = 'mute', held_until = ${ended}`;
        await bench.store.run(hold);
        expect(await bench.timers()).to.have.length(2);
        await look();
        expect(await again({ isFiring: (key) => key.endsWith('#ops') })).to.equal(true);
        expect((await bench.timers(other)).map(({ key }) => key)).to.deep.equal(['hold slack:#log']);
      });
    });

    it('may be attempted as long as a heartbeat could be written within 20 s, and not after the machine has slept', async () => {
      const isHeard = () => bench.ledger.upkeep.isHeard;
      expect((await bench.openAs('new')).upkeep.isHeard, 'none yet').to.equal(false);
      for (const sleep of [pass, (ms: number) => Promise.resolve(bench.store.clock.setBy(ms))]) {
        await pass(20 * SECOND - 1);
        expect(isHeard()).to.equal(true);
        await sleep(1);
        expect(isHeard()).to.equal(false);
        await bench.ledger.upkeep.heartbeat(CONFIG);
      }
      expect(isHeard()).to.equal(true);
      bench.store.clock.setBy(-MINUTE);
      expect(isHeard(), 'set back').to.equal(true);
    });
  });
}
