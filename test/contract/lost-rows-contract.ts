/** A store that loses rows, in a crash or because a copy is put in its place, and gives their ids to other callbacks. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { DeliveryName } from '../../src/ledger/ledger.ts';
import { failure, failures } from '../deliver/remotes.ts';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import { callbackWith } from '../support/callbacks.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';
import {
  answeredOf,
  answerOf,
  Bench,
  type CreateStore,
  delivered,
  failed,
  LOG,
  namesOf,
  OPS,
  putOff,
  settlementOf,
} from './ledger-under-test.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');

const CONFIG = `
receiver: { answer_within: 2s }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
routes:
  - { bot_id: mail, notify: [{ email: ops@example.com }] }
  - { bot_id: log, notify: [{ slack: '#log' }] }
default_route: { notify: [{ slack: '#ops' }] }
`;

/**
 * @param lose statements that take all callbacks, and have ids begin anew
 * @param onServer left out: a SQLite file
 */
export function describeLostRows(
  database: string,
  createStore: CreateStore,
  lose: string,
  onServer?: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`a ledger on ${database} that has lost rows`, () => {
    let bench: Bench;

    beforeEach(async () => {
      bench = await Bench.open(createStore);
    });

    afterEach(() => bench.store.close());

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
        bench.ledger.settle({
          ...settlementOf(delivered(of), id),
          answer: answerOf(200, 'delivered'),
        }),
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
      expect((await rejectionOf(bench.ledger.settle({ ...answeredOf(lost), answer }))).message).to.match(
        /the store has lost the callback/,
      );
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

  describe(`a POST of which a ledger on ${database} loses the rows`, () => {
    let world: PipelineWorld;

    beforeEach(async () => {
      world = await PipelineWorld.begin(CONFIG, NOON, onServer);
    });

    afterEach(() => world.close());

    /** @returns its answer to come, once it is being sent and the store knows nothing of it any more */
    const postAndLose = async (bot_id = 'ops') => {
      const answer = world.first
        .handle(callbackWith({ job_id: 'lost', bot_id, start_time: new Date(NOON).toISOString() }))
        .then(
          ({ status }) => status,
          (error: unknown) => (error instanceof LedgerUnavailable ? 503 : error),
        );
      while (world.tried.length === 0) await setImmediate();
      await world.store.run(lose);
      await world.clock.advance(1);
      return { answer };
    };
    const statuses = async ({ answer }: { readonly answer: Promise<unknown> }) =>
      world.clock.runAlong(answer);
    const states = async () => (await world.store.rows('deliveries')).map(({ state }) => state);

    it('is answered 200 once all is delivered, and who has got its ids is told as well', async () => {
      world.takes('slack:#ops', 500);
      const lost = await postAndLose();
      expect(await world.post({ job_id: 'other' })).to.include({ status: 200, result: 'delivered' });
      expect(await statuses(lost)).to.equal(200);
      expect(world.told).to.deep.equal(['slack:#ops', 'slack:#ops']);
      expect(await states()).to.deep.equal(['delivered']);
    });

    it('has nobody marked as told who was not', async () => {
      world.takes('slack:#ops', 500);
      const lost = await postAndLose();
      world.fails('slack:#log', ...failures(9, 'transient'));
      expect(await world.post({ job_id: 'other', bot_id: 'log' })).to.include({ status: 502 });
      expect(await statuses(lost)).to.equal(200);
      expect(await states()).to.deep.equal(['pending']);
    });

    it('is not answered 200 where something of it would be Botbell’s own to deliver, so that the service posts it again', async () => {
      world.takes('slack:#ops', 500);
      world.fails('slack:#ops', failure('rate_limited', 3_600_000));
      const lost = await postAndLose();
      await world.post({ job_id: 'other', bot_id: 'log' });
      expect(await statuses(lost)).to.equal(503);
    });

    it('is not answered 200 where a mail server has it and does not answer', async () => {
      world.handedOver.add('email:ops@example.com');
      world.takes('email:ops@example.com', 3000);
      const lost = await postAndLose('mail');
      expect(await statuses(lost)).to.be.oneOf([503, 504]);
    });
  });
}
