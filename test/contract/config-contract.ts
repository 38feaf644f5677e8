/** What every ledger promises where the config changes: who may route anew, what that adds, and what a route brings back. */
import { expect } from 'chai';
import { BEFORE_ALL } from '../../src/ledger/deliveries/rerouting.ts';
import type { DeliveryRow } from '../../src/ledger/deliveries/rows.ts';
import { isDecider, type RunningConfig } from '../../src/ledger/shared/processes.ts';
import {
  type Alert,
  type DeliveryTarget,
  type DeliveryUpdate,
  type DueDelivery,
  NO_LONGER_ROUTED,
  type PlannedDelivery,
} from '../../src/ledger/ledger.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import { anew } from '../support/anew.ts';
import { CONFIG_FAILURE, DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { LOG, target } from './arrivals.ts';
import { adopting, Bench, type CreateStore, HANDS } from './ledger-bench.ts';
import { dead, delivered, failed, namesOf, putOff } from './updates.ts';

const MINUTE_MS = 60_000;
const OLD = target('slack:#old');
const NEW = target('slack:#new');
const CHAT = target('chat:#old');
const ALERT: Alert = { cause: 'unrouted', subject: DEAD_LETTER, targets: [target('email:ops@example.com')] };

function configOf(hash: string, channels: Record<string, string> = { slack: 'slack', email: 'email' }) {
  return { hash, channels: new Map(Object.entries(channels)) };
}

const RENAMED = configOf('b', { chat: 'slack', email: 'email' });

export function describeConfigChanges(name: string, createStore: CreateStore): void {
  describe(`${name} when the config changes`, () => {
    const bench = anew(() => Bench.open(createStore));
    let channels: RunningConfig['channels'];

    const load = (config: RunningConfig) => {
      ({ channels } = config);
      return bench.ledger.upkeep.heartbeat(config);
    };

    beforeEach(async () => {
      await load(configOf('a'));
    });

    const at = (destination: string, due: readonly DueDelivery[]) =>
      due.find(({ record }) => record.destination === destination) as DueDelivery;
    const claimOne = async () => (await bench.claim())[0] as DueDelivery;

    function endOf({ record }: DueDelivery, state: 'held' | 'dead', alert?: Alert): DeliveryUpdate {
      const { attempts, lastError } = record;
      const reason = NO_LONGER_ROUTED;
      return failed(record, { state, attempts, lastError, reason, isTakenOver: true, alert });
    }
    const wantedBy = (planned: readonly PlannedDelivery[]) =>
      ({ botId: 'get_items', status: undefined, planned, timezone: 'UTC' }) as const;
    const routeAnew = (due: DueDelivery, targets: readonly DeliveryTarget[], alert?: Alert) =>
      bench.ledger.reroute({
        update: endOf(due, targets.length > 0 ? 'held' : 'dead', alert),
        wanted: wantedBy(targets),
        perhaps: [],
        routing: targets.map(({ destination }) => destination),
        channels,
      });

    describe('a delivery that is no longer routed', () => {
      it('is held, and its callback gains today’s destinations that it lacks, due at once, with all the time that is given', async () => {
        await bench.accept({}, [OLD]);
        await bench.store.passTime(60 * MINUTE_MS);
        expect(await routeAnew(await claimOne(), [NEW, LOG])).to.deep.equal(['slack:#new', 'slack:#log']);
        const states = ['slack:#old held', 'slack:#new pending', 'slack:#log pending'];
        expect(await bench.states()).to.deep.equal(states);
        const told = (await bench.claim()).map(({ record }) => `${record.isTakenOver} ${record.ageMs}`);
        expect(told).to.deep.equal(['true 0', 'true 0']);
        expect((await bench.deliveries())[0]).to.include({ reason: NO_LONGER_ROUTED, owner: null });
        expect((await bench.history()).slice(1)).to.deep.equal(['routed', 'held no longer routed']);
        const [routed] = await bench.store.rows('history');
        expect(JSON.parse(String(routed?.['entry']))).to.deep.equal({
          by: 'config',
          explanations: ['slack:#new', 'slack:#log'],
        });
      });

      it('adds nobody who has it, whether told, given up or still to be told', async () => {
        const [, log] = namesOf(await bench.accept({}, [OLD, LOG, NEW]));
        const due = await bench.claim();
        await bench.settle([delivered(log), dead(at('slack:#new', due).record)]);
        expect(await routeAnew(at('slack:#old', due), [LOG, NEW])).to.deep.equal([]);
        const states = ['slack:#old held', 'slack:#log delivered', 'slack:#new dead'];
        expect(await bench.states()).to.deep.equal(states);
      });

      it('is a dead letter where nobody is named, with its alert, which goes to whom alerts go today', async () => {
        await bench.accept({}, [OLD]);
        await routeAnew(await claimOne(), [], ALERT);
        const states = ['slack:#old dead', 'email:ops@example.com pending'];
        expect(await bench.states()).to.deep.equal(states);
        const alert = await claimOne();
        expect(await routeAnew(alert, [LOG])).to.deep.equal(['slack:#log']);
        expect((await claimOne()).notice).to.deep.equal(alert.notice);
      });

      it('keeps the order of its job where it goes', async () => {
        await bench.accept({ message: 'one' }, [OLD]);
        await bench.accept({ message: 'two' }, [OLD]);
        await routeAnew(await claimOne(), [NEW]);
        const due = await bench.claim();
        const [atNew, second] = [at('slack:#new', due), at('slack:#old', due)];
        await routeAnew(second, [NEW]);
        expect(await bench.claim(), 'waits for the first').to.deep.equal([]);
        await bench.settle([delivered(atNew.record)]);
        expect((await claimOne()).record.callbackId).to.equal(second.record.callbackId);
      });

      it('is left alone where its claim has ended', async () => {
        await bench.accept({}, [OLD]);
        const due = await claimOne();
        await bench.settle([delivered(due.record)]);
        expect(await routeAnew(due, [NEW])).to.deep.equal([]);
        expect(await bench.states()).to.deep.equal(['slack:#old delivered']);
        await bench.accept({ job_id: 'lost' }, [OLD]);
        const lost = await claimOne();
        await bench.settle([putOff(lost.record, 0)]);
        expect(await bench.claim(await bench.openAs('other'))).to.have.length(1);
        expect(await routeAnew(lost, [NEW]), 'it is another’s').to.deep.equal([]);
      });

      it('adds an address once, whoever routes two deliveries of its callback at the same moment', async () => {
        await bench.accept({}, [OLD, LOG]);
        const due = await bench.claim();
        await bench.store.clock.runAlong(Promise.all(due.map((each) => routeAnew(each, [NEW]))));
        const states = ['slack:#log held', 'slack:#new pending', 'slack:#old held'];
        expect((await bench.states()).toSorted()).to.deep.equal(states);
      });
    });

    describe('a channel under another name', () => {
      it('has nobody told again who was told, or is being told at that moment, under the old one', async () => {
        const [told] = namesOf(await bench.accept({ job_id: 'told' }, [OLD, LOG]));
        const [old] = namesOf(await bench.accept({}, [OLD, LOG]));
        const due = await bench.claim();
        await bench.settle([delivered(told)]);
        await load(RENAMED);
        for (const log of due.filter(({ record }) => record.destination === LOG.destination))
          expect(await routeAnew(log, [CHAT, target('chat:#log')])).to.deep.equal(['chat:#log']);
        await bench.settle([putOff(old, 0)]);
        const failing = at('slack:#old', await bench.claim());
        expect(await routeAnew(failing, [CHAT]), 'once that has failed').to.deep.equal(['chat:#old']);
      });

      it('has whom an address of another type, or of a channel that is still there, was told', async () => {
        const [old] = namesOf(await bench.accept({}, [OLD, LOG, NEW]));
        const due = await bench.claim();
        await bench.settle([delivered(old)]);
        await load(configOf('b', { slack: 'slack', chat: 'slack' }));
        expect(await routeAnew(at('slack:#log', due), [CHAT])).to.deep.equal(['chat:#old']);
        await load(configOf('c', { room: 'chatwork' }));
        const rerouted = await routeAnew(at('slack:#new', due), [target('room:#old')]);
        expect(rerouted, 'of another type').to.deep.equal(['room:#old']);
      });
    });

    describe('a route that comes back', () => {
      /** Looks at what ended since no route named it, which one names again. @returns what was looked at, after that id */
      const revive = async (after = 0, planned: readonly PlannedDelivery[] = []) => {
        const looked: DeliveryRow[] = [];
        const again = { explanations: [], wanted: wantedBy(planned) };
        const { isAny } = await bench.ledger.revive(after, channels, (row) => (looked.push(row), again));
        expect(isAny).to.equal(looked.length > 0);
        return looked;
      };

      it('finds what ended because no route named it, and nothing else', async () => {
        await bench.accept({ job_id: 'lost' }, [OLD]);
        const lost = await claimOne();
        await routeAnew(lost, []);
        await bench.accept({ job_id: 'moved' }, [OLD]);
        const moved = await claimOne();
        await bench.settle([endOf(moved, 'held')]);
        await bench.accept({ job_id: 'given up' }, [OLD]);
        await bench.settle([dead((await claimOne()).record)]);
        const { id: next } = moved.record;
        const left: number[] = [];
        const ended = await bench.ledger.revive(lost.record.id, channels, ({ id }) => void left.push(id));
        expect([ended, left]).to.deep.equal([{ next, isAny: false }, [next]]);
        expect(await bench.ledger.revive(0, channels, () => undefined)).to.include({ next });
        const unrouted = await revive();
        expect(unrouted.map(({ destination }) => destination)).to.deep.equal(['slack:#old', 'slack:#old']);
        const { bot_id: botId, status } = callbackWith();
        expect(unrouted[0]).to.include({ kind: 'callback', botId, status });
        expect(await revive(moved.record.id)).to.deep.equal([]);
      });

      it('has it told after all, once, its age beginning anew, and says so', async () => {
        const [log, { id: old }] = namesOf(await bench.accept({}, [LOG, OLD]));
        const due = at('slack:#old', await bench.claim());
        await bench.settle([delivered(log)]);
        await bench.store.passTime(10 * MINUTE_MS);
        await routeAnew(due, []);
        await bench.store.passTime(60 * MINUTE_MS);
        expect((await revive())[0]?.ageMs).to.equal(70 * MINUTE_MS);
        await bench.care({ isConfigRefused: false, unrouted: [], configHash: 'a' });
        expect(await bench.ledger.archive.openIncidents(), 'not told yet').to.have.length(1);
        const { record } = await claimOne();
        expect(record).to.include({ id: old, state: 'pending', reason: undefined, ageMs: 0 });
        expect(await revive(), 'once').to.deep.equal([]);
        expect((await bench.history()).slice(-2)).to.deep.equal(['routed', 'revived']);
        const routed = (await bench.store.rows('history')).at(-2);
        expect(JSON.parse(String(routed?.['entry']))).to.deep.equal({ by: 'config', explanations: [] });
      });

      it('has what it mutes wait for the end of that', async () => {
        await bench.accept({}, [OLD, LOG]);
        for (const due of await bench.claim()) await routeAnew(due, []);
        const rules = { ...NO_RULES, mute: [{}] };
        await revive(0, [{ ...OLD, asked: [{ name: 'a', on: ['error'], rules, timer: undefined }] }, LOG]);
        expect(await bench.states()).to.deep.equal(['slack:#old held', 'slack:#log pending']);
        const told = (await bench.history()).slice(-4);
        expect(told).to.deep.equal(['revived', 'held mute', 'routed', 'revived']);
      });

      it('revives nothing that was told meanwhile under another name of the channel, and what is still to be told there when that is routed anew', async () => {
        for (const job_id of ['told', 'under way']) await bench.accept({ job_id }, [OLD]);
        const before = await bench.claim();
        await load(configOf('b', { chat: 'slack' }));
        for (const each of before) await routeAnew(each, [CHAT]);
        const [told, underWay] = await bench.claim();
        if (told === undefined || underWay === undefined) throw new Error('nothing is due');
        await bench.tell([told]);
        await load(configOf('a'));
        expect(await revive()).to.have.length(2);
        expect(await bench.claim(), 'the other may be told at this moment').to.deep.equal([]);
        expect(await routeAnew(underWay, [OLD])).to.deep.equal(['slack:#old']);
        const [, old, , chat] = await bench.states();
        expect([old, chat]).to.deep.equal(['slack:#old pending', 'chat:#old held']);
      });
    });

    describe('what a change may have mended', () => {
      it('is due at once where it was put off, but nothing that is being attempted or is the service’s', async () => {
        const [old] = namesOf(await bench.accept({ message: 'one' }, [OLD, LOG]));
        await bench.arrive({ job_id: 'service’s' }, [OLD]);
        await bench.claim();
        await bench.settle([putOff(old, MINUTE_MS)]);
        expect(await bench.claim()).to.deep.equal([]);
        const { id } = old;
        const failed: unknown[] = [];
        const look = (row: DeliveryRow) => Boolean(failed.push([row.id, row.lastError?.class]));
        expect(await bench.ledger.hasten(BEFORE_ALL, look)).to.include({ isAny: true });
        expect(failed).to.deep.equal([[id, 'transient']]);
        expect((await bench.claim()).map(({ record }) => record.id)).to.deep.equal([id]);
      });

      it('is due before the alert that tells of it, which is not told once that is', async () => {
        const [old] = namesOf(await bench.accept({}, [OLD]));
        await bench.claim();
        const subject = { ...CONFIG_FAILURE, callbackId: 1 };
        const lastError = { class: 'config', code: 'archived', message: 'archived' } as const;
        const alert = { cause: 'c', subject, targets: [LOG] };
        await bench.settle([putOff(old, MINUTE_MS, { lastError, alert })]);
        await bench.settle((await bench.claim()).map(({ record }) => putOff(record, MINUTE_MS)));
        const kinds: string[] = [];
        await bench.ledger.hasten(BEFORE_ALL, ({ kind }) => Boolean(kinds.push(kind)));
        expect(kinds).to.have.members(['callback', 'alert']);
        const due = await bench.claim();
        expect(due.map(({ record }) => record.id)).to.deep.equal([old.id]);
        await bench.tell(due);
        await bench.store.passTime(MINUTE_MS);
        expect(await bench.claim()).to.deep.equal([]);
      });

      it('is looked at a hundred at a time, each once', async () => {
        const planned = Array.from({ length: 150 }, (_, number) => target(`slack:#${number}`));
        await bench.accept({}, planned);
        await bench.store.run(`update deliveries set due_at = ${bench.store.clock.now() + MINUTE_MS}`);
        const ids: number[] = [];
        const look = (after = BEFORE_ALL) => bench.ledger.hasten(after, ({ id }) => ids.push(id) < 0);
        const first = await look();
        expect(ids).to.have.length(100);
        expect(await look((await look(first.next)).next)).to.deep.equal({ next: undefined, isAny: false });
        expect([ids.length, new Set(ids).size]).to.deep.equal([150, 150]);
      });
    });

    describe('processes with different configs', () => {
      let other: DatabaseLedger;

      beforeEach(async () => {
        other = await bench.openAs('other');
      });

      const beat = async () => {
        const first = await load(configOf('a'));
        return [first, await other.upkeep.heartbeat(configOf('b'))];
      };

      it('may not route anew: neither does anything then', async () => {
        await bench.accept({}, [OLD]);
        await bench.accept({ job_id: 'lost' }, [LOG]);
        const claimed = await bench.claim();
        const [due, lost] = [at('slack:#old', claimed), at('slack:#log', claimed)];
        await routeAnew(lost, []);
        await beat();
        expect(await beat()).to.deep.equal([false, false]);
        expect(await routeAnew(due, [NEW])).to.equal(undefined);
        const none = { next: undefined, isAny: false };
        expect(await bench.ledger.revive(0, channels, () => undefined)).to.deep.equal(none);
        expect(await bench.states()).to.deep.equal(['slack:#old pending', 'slack:#log dead']);
      });

      it('leave timers at once to those whose config was loaded last', async () => {
        await load(configOf('a'));
        await bench.store.passTime(1000);
        await beat();
        const begun = [2, 1].map((dueAt) => ({ key: `${dueAt}`, kind: 'expect', dueAt, data: {} }) as const);
        await adopting(bench.ledger, { timers: begun, reasked: 'all' });
        const tickOf = async (by: DatabaseLedger, configHash: string) =>
          (await by.claim({ tick: { timers: 1, configHash } })).tick;
        expect(await tickOf(bench.ledger, 'a')).to.deep.include({ isLatest: false, timers: [] });
        const { isLatest, timers = [] } = (await tickOf(other, 'b')) ?? {};
        expect([isLatest, timers.map(({ key }) => key)]).to.deep.equal([true, ['1']]);
        await bench.store.passTime(31_000);
        expect(await tickOf(bench.ledger, 'a'), 'once the other is gone').to.include({ isLatest: true });
      });

      it('leave it, after fifteen minutes, to those whose config was loaded last', async () => {
        await bench.store.passTime(MINUTE_MS);
        await beat();
        await bench.store.passTime(14 * MINUTE_MS);
        await beat();
        expect(await beat()).to.deep.equal([false, false]);
        await bench.store.passTime(MINUTE_MS);
        await beat();
        expect(await beat()).to.deep.equal([false, true]);
        await bench.store.passTime(30_000);
        await load(configOf('a'));
        expect(await bench.store.call(isDecider, [], 'other'), 'unheard').to.equal(false);
      });

      it('are told with what each runs, as long as their hearts beat', async () => {
        await beat();
        const seen = async () =>
          (await bench.ledger.processes()).map(({ configHash, isThis }) => `${configHash} ${isThis}`);
        for (const ms of [0, 29_999]) {
          await bench.store.passTime(ms);
          expect((await seen()).toSorted()).to.deep.equal(['a true', 'b false']);
        }
        await bench.store.passTime(1);
        await load(configOf('c'));
        expect(await seen()).to.deep.equal(['c true']);
        const [own] = await bench.ledger.processes();
        expect(own?.silentMs, 'its heartbeat').to.be.lessThan(30_000);
      });

      it('do not wait for one that is gone, or whose heartbeat has stopped, or that runs with the same', async () => {
        await other.upkeep.heartbeat(configOf('a'));
        expect(await load(configOf('a'))).to.equal(true);
        await beat();
        await bench.store.passTime(31_000);
        expect(await load(configOf('a'))).to.equal(true);
        expect(await beat()).to.deep.equal([true, false]);
        await other.signOff();
        expect(await load(configOf('a'))).to.equal(true);
      });

      it('are forgotten a day after their last heartbeat', async () => {
        await beat();
        for (const [ms, owners] of [
          [24 * 60 * MINUTE_MS, ['first', 'other']],
          [MINUTE_MS, ['first']],
        ] as const) {
          await bench.store.passTime(ms);
          await load(configOf('a'));
          await bench.ledger.upkeep.repair(HANDS);
          const rows = await bench.store.rows('processes', 'owner');
          expect(rows.map(({ owner }) => owner)).to.deep.equal(owners);
        }
      });

      it('write down each config once that was loaded', async () => {
        await beat();
        await beat();
        for (const hash of ['c', 'a']) await load(configOf(hash));
        const loaded = (await bench.store.rows('loaded_configs')).map(({ hash }) => hash);
        expect(loaded).to.deep.equal(['a', 'b', 'c', 'a']);
      });
    });
  });
}
