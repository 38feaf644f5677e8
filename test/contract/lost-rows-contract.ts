/** A store that loses rows, in a crash or because a copy is put in its place, and gives their ids to other callbacks. */
import { expect } from 'chai';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { DeliveryName } from '../../src/ledger/ledger.ts';
import { anew } from '../support/anew.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { LOG, OPS } from './arrivals.ts';
import { Bench, type CreateStore } from './ledger-bench.ts';
import { answeredOf, answerOf, settlementOf } from './settlements.ts';
import { delivered, failed, namesOf, putOff } from './updates.ts';

/** @param lose statements that take all callbacks, and have ids begin anew */
export function describeLostRows(database: string, createStore: CreateStore, lose: string): void {
  describe(`a ledger on ${database} that has lost rows`, () => {
    const bench = anew(() => Bench.open(createStore));

    /** No crash, and no restoring of a copy, is over in the moment in which a callback came. */
    const loseRows = async () => {
      await bench.store.run(lose);
      await bench.store.passTime(1000);
    };
    const contents = async () => [await bench.store.rows('callbacks'), await bench.store.rows('deliveries')];

    /** Everything that a process may still have to write of a delivery that it has in hand. */
    const writes: Readonly<Record<string, (of: DeliveryName, callbackId: number) => Promise<unknown>>> = {
      'that somebody was told': (of, id) => bench.ledger.settle(settlementOf(delivered(of), id)),
      'that it was, with the answer': (of, id) =>
        bench.ledger.settle({ ...settlementOf(delivered(of), id), answer: answerOf(200, 'delivered') }),
      'a failure': (of, id) => bench.ledger.settle(settlementOf(failed(of), id)),
      'that it is Botbell’s own': (of) => bench.ledger.takeOver([of]),
      'that no route names it': (of) =>
        bench.ledger.reroute({
          update: putOff(of, 0, { state: 'held', reason: 'no longer routed' }),
          wanted: { botId: '', status: undefined, planned: [LOG], timezone: 'UTC' },
          perhaps: [],
          routing: [],
          channels: new Map(),
        }),
    };

    /** What has got the ids of a callback for `#ops` and `#log`. */
    const others = {
      nobody: () => Promise.resolve(),
      'another job': () => bench.arrive({ job_id: 'other' }, [OPS, LOG]),
      'another callback of its job': () => bench.arrive({ message: 'other' }, [OPS, LOG]),
      'itself, posted again, with its destinations in another order': () => bench.arrive({}, [LOG, OPS]),
    };

    const expectRefusal = async (write: (typeof writes)[string], arrive: () => Promise<unknown>) => {
      const lost = await bench.arrive({}, [OPS, LOG]);
      await loseRows();
      await arrive();
      const before = await contents();
      const error = await rejectionOf(write(namesOf(lost)[0], lost.callbackId));
      expect(error).to.be.instanceOf(LedgerUnavailable);
      expect(error.message).to.match(/the store has lost/);
      expect(await contents()).to.deep.equal(before);
    };

    for (const [what, write] of Object.entries(writes))
      it(`refuses to write ${what}, and changes nothing of who has its ids`, async () => {
        await bench.ledger.upkeep.heartbeat({ hash: 'a', channels: new Map() });
        await expectRefusal(write, others['another callback of its job']);
      });

    for (const [whose, arrive] of Object.entries(others))
      it(`refuses to write what belongs to none, where its ids are had by ${whose}`, () =>
        expectRefusal((of, id) => bench.ledger.settle(settlementOf(delivered(of), id)), arrive));

    it('writes no answer of a callback on another one', async () => {
      const lost = await bench.arrive({}, []);
      await loseRows();
      await bench.arrive({ job_id: 'other' }, []);
      const before = await contents();
      const answer = answerOf(200, 'delivered');
      const { message } = await rejectionOf(bench.ledger.settle({ ...answeredOf(lost), answer }));
      expect(message).to.match(/the store has lost the callback/);
      expect(await contents()).to.deep.equal(before);
    });

    it('takes what it could not write of one for nothing of another one, then or later', async () => {
      const lost = await bench.arrive({}, [OPS]);
      const [ops] = namesOf(lost);
      await loseRows();
      await rejectionOf(bench.ledger.settle(settlementOf(delivered(ops), lost.callbackId)));
      expect(bench.ledger.unwritten.has(ops)).to.equal(true);
      for (const _ of ['when it came', 'when it came again']) {
        const { deliveries } = await bench.arrive({ job_id: 'other' }, [OPS]);
        expect(deliveries.map(({ id, state }) => [id, state])).to.deep.equal([[ops.id, 'pending']]);
      }
      await bench.ledger.unwritten.write();
      expect(await bench.states()).to.deep.equal(['slack:#ops pending']);
    });
  });
}
