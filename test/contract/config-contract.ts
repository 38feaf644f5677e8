/** What every ledger promises where the config changes: who may route anew, what that adds, and what a route brings back. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { OpenLedger, Rerouting, RunningConfig } from '../../src/ledger/configs/config-store.ts';
import {
  type Alert,
  type DeliveryTarget,
  type DeliveryUpdate,
  type DueDelivery,
} from '../../src/ledger/ledger.ts';
import { type KeptExplanation, roundsIn } from '../../src/ledger/configs/routing-rounds.ts';
import { NO_LONGER_ROUTED } from '../../src/ledger/hold.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  arrivalOf,
  claimAllDue,
  delivered,
  failed,
  idsOf,
  LEASE_MS,
  settlementOf,
  type StoreUnderTest,
  TAKE_OVER_AFTER_MS,
  target,
} from './ledger-contract.ts';

const MINUTE_MS = 60_000;
const OLD = target('slack:#old');
const NEW = target('slack:#new');
const LOG = target('slack:#log');
/** As the router explains it, in short. */
const routingTo = (targets: readonly DeliveryTarget[]) =>
  targets.length === 0
    ? []
    : [{ route: 'as of today', matched: true, reaches: targets.map(({ destination }) => destination) }];
const FIRST_PLACE = { destination: '', isBulk: false, callbackId: 0 };
const reachesOf = ({ reaches }: KeptExplanation) => reaches;
const NOT_ROUTED = { class: 'config', code: 'not_routed', message: 'No route names anybody.' } as const;
const ALERT: Alert = {
  cause: 'not routed',
  subject: DEAD_LETTER,
  targets: [target('email:operators@example.com')],
  language: 'en',
};

function configOf(
  hash: string,
  channels: Record<string, string> = { slack: 'slack', email: 'email' },
): RunningConfig {
  return { hash, channels: new Map(Object.entries(channels)) };
}

export function describeConfigChanges(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} when the config changes`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: OpenLedger;

    const openAs = (owner: string) =>
      store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const accept = (fields: Partial<Callback>, planned: readonly DeliveryTarget[]) =>
      ledger.admit({ ...arrivalOf(callbackWith(fields), planned, clock.now()), isAccepted: true });
    const at = (destination: string, due: readonly DueDelivery[]) =>
      due.find(({ record }) => record.destination === destination) as DueDelivery;
    const claimOne = async () => (await claimAllDue(ledger, 64))[0] as DueDelivery;
    const rows = () => store.rows('deliveries');
    const states = async () =>
      (await rows()).map(({ destination, state }) => `${String(destination)} ${String(state)}`);

    function endOf({ record }: DueDelivery, state: 'held' | 'dead', alert?: Alert): DeliveryUpdate {
      const { id, attempts, failedAnswers, lastError } = record;
      return {
        id,
        state,
        attempts,
        failedAnswers,
        lastError,
        receipt: undefined,
        hold: { code: NO_LONGER_ROUTED },
        isTakenOver: true,
        dueInMs: 0,
        alert,
      };
    }
    const routed = (due: DueDelivery, targets: readonly DeliveryTarget[], alert?: Alert): Rerouting => ({
      callbackId: due.callbackId,
      update: endOf(due, targets.length > 0 ? 'held' : 'dead', alert),
      targets,
      routing: routingTo(targets),
    });
    const routeAnew = (due: DueDelivery, targets: readonly DeliveryTarget[], alert?: Alert) =>
      ledger.configs.routeAnew(routed(due, targets, alert));

    beforeEach(async () => {
      clock = new ManualClock();
      store = await createStore(clock);
      ledger = await openAs('first');
      await ledger.configs.heartbeat(configOf('a'));
    });

    afterEach(() => store.close());

    describe('a delivery that is no longer routed', () => {
      it('is held, and its callback gains today’s destinations that it lacks, due at once', async () => {
        await accept({}, [OLD]);
        const due = await claimOne();
        expect(await routeAnew(due, [NEW, LOG])).to.deep.equal({
          added: ['slack:#new', 'slack:#log'],
          hasReleased: false,
        });
        expect(await states()).to.deep.equal(['slack:#old held', 'slack:#new pending', 'slack:#log pending']);
        const told = await claimAllDue(ledger, 64);
        const asClaimed = told.map(({ record }) => `${record.destination} ${record.isTakenOver}`);
        expect(asClaimed.toSorted()).to.deep.equal(['slack:#log true', 'slack:#new true']);
        expect((await rows())[0]).to.include({ held_because: NO_LONGER_ROUTED, claimed_by: null });
      });

      it('keeps each routing, in its order, beside what was decided when its callback came', async () => {
        const { callbackId } = await accept({}, [OLD]);
        await routeAnew(await claimOne(), [NEW]);
        await store.passTime(5000);
        await routeAnew(await claimOne(), [LOG]);
        await store.passTime(5000);
        await routeAnew(await claimOne(), []);
        const rounds = roundsIn((await ledger.archive.story(callbackId))?.routing);
        expect(rounds.map(({ by, explanations }) => [by, ...explanations.map(reachesOf)])).to.deep.equal([
          [undefined, []],
          ['config', ['slack:#new']],
          ['config', ['slack:#log']],
          ['config'],
        ]);
        const ended = (await rows()).at(-1)?.['updated_at'];
        expect((rounds.at(-1)?.at ?? 0) - Number(ended)).to.be.within(-2000, 2000);
      });

      it('keeps one routing where two deliveries of its callback end by the same', async () => {
        const { callbackId } = await accept({}, [OLD, LOG]);
        const due = await claimAllDue(ledger, 64);
        await routeAnew(at('slack:#old', due), [NEW]);
        await store.passTime(5000);
        await routeAnew(at('slack:#log', due), [NEW]);
        expect(roundsIn((await ledger.archive.story(callbackId))?.routing)).to.have.length(2);
      });

      it('adds nobody who has it, whether told, given up or still to be told', async () => {
        const [, log] = idsOf(await accept({}, [OLD, LOG, NEW]));
        const due = at('slack:#old', await claimAllDue(ledger, 64));
        await ledger.settle(settlementOf([delivered(log)]));
        expect((await routeAnew(due, [LOG, NEW]))?.added).to.deep.equal([]);
        expect(await states()).to.deep.equal([
          'slack:#old held',
          'slack:#log delivered',
          'slack:#new pending',
        ]);
      });

      it('begins its age anew where it goes, with all the time that is given for it', async () => {
        await accept({}, [OLD]);
        await store.passTime(60 * MINUTE_MS);
        await routeAnew(await claimOne(), [NEW]);
        await store.passTime(MINUTE_MS);
        expect((await claimOne()).record.ageMs).to.be.below(MINUTE_MS);
      });

      it('is a dead letter where nobody is named, with its alert', async () => {
        await accept({}, [OLD]);
        await routeAnew(await claimOne(), [], ALERT);
        expect(await ledger.countOpen()).to.deep.equal({ pending: 1, dead: 1, held: 0 });
        expect(await states()).to.deep.equal(['slack:#old dead', 'email:operators@example.com pending']);
      });

      it('that is an alert goes to whom alerts go today', async () => {
        await accept({}, [OLD]);
        await routeAnew(await claimOne(), [], ALERT);
        const alert = await claimOne();
        expect((await routeAnew(alert, [LOG]))?.added).to.deep.equal(['slack:#log']);
        expect((await claimOne()).notice).to.deep.equal(alert.notice);
      });

      it('keeps the order of its job where it goes', async () => {
        await accept({ message: 'one' }, [OLD]);
        await accept({ message: 'two' }, [OLD]);
        const first = await claimOne();
        expect(await routeAnew(first, [NEW])).to.include({ hasReleased: true });
        const due = await claimAllDue(ledger, 64);
        const [atNew, second] = [at('slack:#new', due), at('slack:#old', due)];
        await routeAnew(second, [NEW]);
        expect(await claimAllDue(ledger, 64), 'waits for the first').to.deep.equal([]);
        await ledger.settle(settlementOf([delivered(atNew.record.id)]));
        expect((await claimOne()).callbackId).to.equal(second.callbackId);
      });

      it('is left alone where its claim has ended', async () => {
        await accept({}, [OLD]);
        const due = await claimOne();
        await ledger.settle(settlementOf([delivered(due.record.id)]));
        expect(await routeAnew(due, [NEW])).to.deep.equal({ added: [], hasReleased: false });
        expect(await states()).to.deep.equal(['slack:#old delivered']);
      });

      it('adds an address once, whoever routes two deliveries of its callback at the same moment', async () => {
        await accept({}, [OLD, LOG]);
        const due = await claimAllDue(ledger, 64);
        await Promise.all(due.map((each) => routeAnew(each, [NEW])));
        expect(await states()).to.deep.equal(['slack:#old held', 'slack:#log held', 'slack:#new pending']);
      });
    });

    describe('a channel under another name', () => {
      const CHAT = target('chat:#old');
      const renamed = () => ledger.configs.heartbeat(configOf('b', { chat: 'slack', email: 'email' }));

      it('has nobody told again who was told under the old one', async () => {
        const [old] = idsOf(await accept({}, [OLD, LOG]));
        const due = await claimAllDue(ledger, 64);
        await ledger.settle(settlementOf([delivered(old)]));
        await renamed();
        const log = at('slack:#log', due);
        expect((await routeAnew(log, [CHAT, target('chat:#log')]))?.added).to.deep.equal(['chat:#log']);
      });

      it('has whom an address of another type, or of a channel that is still there, was told', async () => {
        const [old] = idsOf(await accept({}, [OLD, LOG]));
        const due = await claimAllDue(ledger, 64);
        await ledger.settle(settlementOf([delivered(old)]));
        await ledger.configs.heartbeat(configOf('b', { slack: 'slack', chat: 'slack' }));
        const log = at('slack:#log', due);
        expect((await routeAnew(log, [CHAT]))?.added).to.deep.equal(['chat:#old']);
      });
    });

    describe('a route that comes back', () => {
      const unrouted = async () =>
        (await ledger.configs.unroutedAfter(0, 9)).map(({ destination, state }) => `${destination} ${state}`);

      it('finds what ended because no route named it, and nothing else', async () => {
        await accept({ job_id: 'lost' }, [OLD]);
        await routeAnew(await claimOne(), []);
        await accept({ job_id: 'moved' }, [OLD]);
        const moved = await claimOne();
        await ledger.settle(settlementOf([endOf(moved, 'held')]));
        const [gone] = idsOf(await accept({ job_id: 'given up' }, [OLD]));
        await claimOne();
        await ledger.settle(settlementOf([{ ...failed(gone), state: 'dead' }]));
        expect(await unrouted()).to.deep.equal(['slack:#old dead', 'slack:#old held']);
        const [first] = await ledger.configs.unroutedAfter(0, 1);
        expect(first).to.include({
          kind: 'callback',
          botId: callbackWith().bot_id,
          status: callbackWith().status,
        });
        expect(await ledger.configs.unroutedAfter(moved.record.id, 9)).to.deep.equal([]);
      });

      it('has it told after all, its age beginning anew', async () => {
        const [old] = idsOf(await accept({}, [OLD]));
        await routeAnew(await claimOne(), []);
        await store.passTime(60 * MINUTE_MS);
        const [row] = await ledger.configs.unroutedAfter(0, 9);
        expect(row?.ageMs).to.be.at.least(59 * MINUTE_MS);
        expect(await ledger.configs.revive([{ id: old, routing: [] }])).to.deep.equal([old]);
        const { record } = await claimOne();
        expect(record).to.include({
          id: old,
          state: 'pending',
          hold: undefined,
          lastError: undefined,
        });
        expect(record.ageMs).to.be.below(MINUTE_MS);
        expect(await ledger.configs.revive([{ id: old, routing: [] }]), 'once').to.deep.equal([]);
      });

      it('keeps how each delivery had ended, with the routing that names it again', async () => {
        const { callbackId, deliveries } = await accept({}, [OLD, LOG]);
        const [old = 0, log = 0] = deliveries.map(({ id }) => id);
        const due = await claimAllDue(ledger, 64);
        await routeAnew(at('slack:#old', due), [NEW]);
        await store.passTime(5000);
        const lost = endOf(at('slack:#log', due), 'dead');
        await ledger.settle(settlementOf([{ ...lost, lastError: NOT_ROUTED }]));
        await store.passTime(60 * MINUTE_MS);
        const ended = (await rows()).map((row) => Number(row['updated_at']));
        const routing = routingTo([OLD, LOG]);
        expect(
          await ledger.configs.revive([
            { id: old, routing },
            { id: log, routing },
          ]),
        ).to.have.members([old, log]);
        const rounds = roundsIn((await ledger.archive.story(callbackId))?.routing);
        expect(rounds).to.have.length(3);
        const { by, explanations, revived } = rounds.at(-1) ?? rounds[0];
        expect([by, ...explanations.map(reachesOf)]).to.deep.equal(['config', ['slack:#old', 'slack:#log']]);
        const hold = { code: NO_LONGER_ROUTED };
        expect(revived.toSorted((a, b) => a.deliveryId - b.deliveryId)).to.deep.equal([
          { deliveryId: old, state: 'held', updatedAt: ended[0], hold, lastError: undefined },
          { deliveryId: log, state: 'dead', updatedAt: ended[1], hold, lastError: NOT_ROUTED },
        ]);
      });

      it('writes of many callbacks the routing of each', async () => {
        const ids: number[] = [];
        for (const job_id of ['one', 'two', 'three']) ids.push(...idsOf(await accept({ job_id }, [OLD])));
        for (const due of await claimAllDue(ledger, 64)) await routeAnew(due, []);
        const routed = ids.map((id) => ({ id, routing: routingTo([OLD, target(`slack:#of-${id}`)]) }));
        expect(await ledger.configs.revive(routed)).to.have.members(ids);
        const callbacks = await store.rows('callbacks');
        const reached = callbacks.map(({ routing }) =>
          roundsIn(JSON.parse(String(routing)))
            .at(-1)
            ?.explanations.map(reachesOf),
        );
        expect(reached).to.have.deep.members(ids.map((id) => [['slack:#old', `slack:#of-${id}`]]));
      });

      it('revives nothing that was told meanwhile under another name of the channel', async () => {
        const [old] = idsOf(await accept({}, [OLD]));
        await ledger.configs.heartbeat(configOf('b', { chat: 'slack' }));
        await routeAnew(await claimOne(), [target('chat:#old')]);
        const due = await claimOne();
        await ledger.settle(settlementOf([delivered(due.record.id)]));
        await ledger.configs.heartbeat(configOf('a'));
        expect(await ledger.configs.revive([{ id: old, routing: [] }])).to.deep.equal([]);
      });
    });

    describe('what a change may have mended', () => {
      const pending = () => ledger.configs.pendingAfter(FIRST_PLACE, 9);

      it('is found among all that is pending, slice by slice', async () => {
        await accept({ job_id: 'one' }, [OLD, NEW]);
        await accept({ job_id: 'two' }, [OLD]);
        const all = await pending();
        expect(all.map(({ destination }) => destination)).to.deep.equal([
          'slack:#new',
          'slack:#old',
          'slack:#old',
        ]);
        const [first, second, third] = all;
        expect(await ledger.configs.pendingAfter(first as never, 1)).to.deep.equal([second]);
        expect(await ledger.configs.pendingAfter(second as never, 9)).to.deep.equal([third]);
        expect(await ledger.configs.pendingAfter(third as never, 9)).to.deep.equal([]);
      });

      it('is due at once where it was put off, but nothing that is being attempted or waits for its turn', async () => {
        const [old, log] = idsOf(await accept({ message: 'one' }, [OLD, LOG]));
        const [waiting] = idsOf(await accept({ message: 'two' }, [OLD]));
        await claimAllDue(ledger, 64);
        const lasting = { class: 'config', code: 'channel_not_found', message: 'no' } as const;
        await ledger.settle(
          settlementOf([{ ...failed(old), isTakenOver: true, lastError: lasting, dueInMs: MINUTE_MS }]),
        );
        const found = await pending();
        expect(found.map(({ id, isPutOff, lastErrorClass }) => [id, isPutOff, lastErrorClass])).to.deep.equal(
          [
            [log, false, undefined],
            [old, true, 'config'],
            [waiting, false, undefined],
          ],
        );
        expect(await claimAllDue(ledger, 64)).to.deep.equal([]);
        await ledger.configs.hasten([old, log, waiting]);
        expect((await claimAllDue(ledger, 64)).map(({ record }) => record.id)).to.deep.equal([old]);
      });
    });

    describe('processes with different configs', () => {
      let other: OpenLedger;

      beforeEach(async () => {
        other = await openAs('other');
      });

      const beat = async () => {
        const first = await ledger.configs.heartbeat(configOf('a'));
        return [first, await other.configs.heartbeat(configOf('b'))];
      };

      it('may all route anew while they run with the same', async () => {
        expect(await other.configs.heartbeat(configOf('a'))).to.equal(true);
        expect(await ledger.configs.heartbeat(configOf('a'))).to.equal(true);
      });

      it('may not route anew: neither does anything then', async () => {
        await accept({}, [OLD]);
        await accept({ job_id: 'lost' }, [LOG]);
        const claimed = await claimAllDue(ledger, 64);
        const [due, lost] = [at('slack:#old', claimed), at('slack:#log', claimed)];
        await routeAnew(lost, []);
        await beat();
        expect(await beat()).to.deep.equal([false, false]);
        expect(await routeAnew(due, [NEW])).to.equal(undefined);
        expect(await ledger.configs.revive([{ id: lost.record.id, routing: [] }])).to.deep.equal([]);
        expect(await states()).to.deep.equal(['slack:#old pending', 'slack:#log dead']);
      });

      it('leave it, after fifteen minutes, to those whose config was loaded last', async () => {
        await store.passTime(MINUTE_MS);
        await beat();
        await store.passTime(14 * MINUTE_MS);
        await beat();
        expect(await beat()).to.deep.equal([false, false]);
        await store.passTime(MINUTE_MS);
        await beat();
        expect(await beat()).to.deep.equal([false, true]);
      });

      it('are told with what each runs, as long as their hearts beat', async () => {
        await beat();
        const seen = async () =>
          (await ledger.configs.processes()).map(({ configHash, isThis }) => `${configHash} ${isThis}`);
        expect((await seen()).toSorted()).to.deep.equal(['a true', 'b false']);
        await store.passTime(31_000);
        await ledger.configs.heartbeat(configOf('c'));
        expect(await seen()).to.deep.equal(['c true']);
        const [own] = await ledger.configs.processes();
        expect(own?.loadedAt).to.equal(own?.seenAt);
      });

      it('do not wait for one that is gone, or whose heartbeat has stopped', async () => {
        await beat();
        await store.passTime(31_000);
        expect(await ledger.configs.heartbeat(configOf('a'))).to.equal(true);
        expect(await beat()).to.deep.equal([true, false]);
        await other.configs.leave();
        expect(await ledger.configs.heartbeat(configOf('a'))).to.equal(true);
      });

      it('are forgotten a day after their last heartbeat', async () => {
        await beat();
        await store.passTime(25 * 60 * MINUTE_MS);
        await ledger.configs.heartbeat(configOf('a'));
        await ledger.configs.heartbeat(configOf('a'));
        await other.configs.heartbeat(configOf('b'));
        expect(await ledger.configs.heartbeat(configOf('a'))).to.equal(false);
      });
    });
  });
}
