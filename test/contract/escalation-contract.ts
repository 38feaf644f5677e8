/** What every ledger promises of the steps of a route: told in one transaction, each once, whoever else does the same. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import type { Escalation } from '../../src/incident/escalation.ts';
import type { AskedSteps } from '../../src/ledger/incidents/escalations.ts';
import type { DecidedTarget, DeliveryTarget, PlannedDelivery } from '../../src/ledger/ledger.ts';
import type { Timer } from '../../src/ledger/timers/timers.ts';
import { CONFIG_FAILURE } from '../support/alerts.ts';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { askingOf } from '../support/store-under-test.ts';
import { arrivalOf, LOG, OPS, target } from './arrivals.ts';
import { adopting, Bench, type CreateStore } from './ledger-bench.ts';
import { dead, delivered, failed, namesOf } from './updates.ts';

const MINUTE = 60_000;
const LATER = Date.UTC(2030, 0);
const DUTY = target('email:duty@example.com');
const ALL = target('slack:#all');

function step(minutes: number, to: DeliveryTarget, unlessDelivered = false): AskedSteps['steps'][number] {
  return { afterMs: minutes * MINUTE, unlessDelivered, destinations: [to.destination] };
}

const STEPS: AskedSteps = {
  steps: [step(10, DUTY)],
  heirs: () => [],
  own: [OPS.destination],
  mute: [],
  timezone: 'UTC',
};
/** Its route is gone; another one has steps today. */
const GONE: AskedSteps = { ...STEPS, steps: [], heirs: () => ['c'] };

function askedBy(name: string, to = OPS): PlannedDelivery {
  const firstStep = { afterMs: 10 * MINUTE, who: [DUTY.destination], unlessDelivered: false };
  return { ...to, asked: [{ name, on: ['error'], rules: NO_RULES, timer: undefined, firstStep }] };
}

const HELD = { ...askedBy('a'), reason: 'mute', heldUntil: LATER };
const OF_ANOTHER = { ...askedBy('a', LOG), tells: ['b'] };

export function describeEscalation(name: string, createStore: CreateStore): void {
  describe(`${name} as the ledger of a route's steps`, () => {
    const bench = anew(() => Bench.open(createStore));

    const comes = (status: 0 | 1, planned: readonly PlannedDelivery[], fields: Partial<Callback> = {}) => {
      const start_time = new Date(bench.store.clock.now()).toISOString();
      const message = status === 1 ? 'x' : null;
      const callback = callbackWith({ job_id: `job ${status}`, status, start_time, message, ...fields });
      const later = [askedBy('a', DUTY)];
      return bench.ledger.admit({
        ...arrivalOf(callback, planned),
        asking: askingOf(planned, { later, isPlain: true }),
      });
    };
    /** Fires the steps that are due so many minutes later. @returns how many */
    const fireIn = async (minutes: number, asked: Partial<AskedSteps> = {}) => {
      await bench.store.passTime(minutes * MINUTE);
      const timers = (await bench.timers()) as Timer<Escalation>[];
      await Promise.all(timers.map((timer) => bench.ledger.fireEscalation(timer, { ...STEPS, ...asked })));
      return timers.length;
    };
    const atDuty = async () =>
      (await bench.deliveries()).filter(({ destination }) => destination === DUTY.destination);

    it('a step of two routes is told once, though two processes tell it at the same moment', async () => {
      await comes(1, [askedBy('a'), askedBy('b', LOG)]);
      await bench.store.passTime(10 * MINUTE);
      const other = await bench.openAs('other');
      const timers = (await bench.timers()) as Timer<Escalation>[];
      expect(timers.map(({ data }) => data.route)).to.deep.equal(['a', 'b']);
      const [first] = timers;
      // It is not this one's timer, as after its process was taken for dead.
      for (const asked of [STEPS, GONE]) if (first !== undefined) await other.fireEscalation(first, asked);
      expect(await atDuty()).to.deep.equal([]);
      const fired = timers.map((timer) => bench.ledger.fireEscalation(timer, STEPS));
      if (first !== undefined) fired.push(other.fireEscalation(first, STEPS));
      await bench.store.clock.runAlong(Promise.all(fired));
      expect(await atDuty()).to.have.length(1);
      expect(await fireIn(24 * 60, GONE), 'nothing waits that another route could tell').to.equal(2);
      expect(await bench.timers()).to.deep.equal([]);
    });

    it('a step is told nobody whom `mute` holds for its status, nor where the route has told somebody of it', async () => {
      await bench.settled(comes(1, [askedBy('a')]), delivered);
      for (const [asked, told] of [
        [{ mute: [{}] }, 0],
        [{ steps: [step(10, DUTY, true)], own: [LOG.destination, OPS.destination] }, 0],
        [{ mute: [{ except: ['error'] }] }, 1],
      ] as const) {
        await fireIn(24 * 60, asked);
        expect(await bench.timers()).to.deep.equal([]);
        expect(await atDuty()).to.have.length(told);
      }
    });

    it('it tells the last error, also where a rule of another route had let it go there', async () => {
      await comes(0, [], { job_id: 'newer' });
      const start_time = new Date(bench.store.clock.now() - MINUTE).toISOString();
      await comes(1, [askedBy('a')], { job_id: 'first' });
      const [, held] = namesOf(await comes(1, [askedBy('a'), { ...DUTY, asked: [] }], { job_id: 'last' }));
      await bench.store.run(
        `UPDATE deliveries SET state = 'held', reason = 'repeat', owner = NULL WHERE id = ${held.id}`,
      );
      await comes(1, [askedBy('a')], { job_id: 'of an older run', start_time });
      await fireIn(10);
      const [told, ...others] = await atDuty();
      expect(others).to.deep.equal([]);
      expect(told).to.include({ state: 'pending', id: held.id });
      const due = (await bench.claim()).find(({ record }) => record.id === held.id);
      expect(due?.record.ageMs, 'its age begins anew').to.equal(0);
      const rows = await bench.store.rows('deliveries');
      expect(rows.find(({ id }) => Number(id) === held.id)?.['telling']).to.include('escalated');
    });

    it('it tells nothing anew that was told or dismissed there, and nothing of what a rule holds, or another route tells', async () => {
      await comes(0, [], { job_id: 'newer' });
      const start_time = new Date(bench.store.clock.now() - MINUTE).toISOString();
      await comes(1, [askedBy('a')], { job_id: 'of an older run', start_time });
      await comes(1, [HELD, OF_ANOTHER], { job_id: 'held' });
      expect(await bench.store.rows('timers', 'key')).to.deep.equal([]);
      for (const isTold of [true, false]) {
        const planned = [askedBy('a'), { ...DUTY, asked: [] }];
        const [, duty] = namesOf(await comes(1, planned, { job_id: `told: ${isTold}` }));
        await bench.settle([isTold ? delivered(duty) : dead(duty)]);
        await bench.ledger.actions.dismiss(duty.id, { via: 'api', user: undefined, from: 'test' });
        await fireIn(10);
      }
      expect((await atDuty()).map(({ state }) => state)).to.deep.equal(['delivered', 'held']);
      const steps = (await bench.store.rows('history')).filter(({ what }) => what === 'escalated');
      expect(steps, 'nothing is said of it').to.deep.equal([]);
      await bench.store.passTime(1);
      expect((await comes(0, [], { job_id: 'works again' })).deliveries, 'nor of its end').to.deep.equal([]);
    });

    it('a success that ends the incident is told there as its recovery, and no other', async () => {
      const only = 'email:duty@example.com pending 2 21 only';
      const cases: readonly (readonly [readonly DecidedTarget[], readonly string[]])[] = [
        [[], [only]],
        [[{ ...ALL, reason: 'repeat' }], ['slack:#all held', only]],
        [[OPS], ['slack:#ops pending', only]],
        [[DUTY], ['email:duty@example.com pending 2 21']],
        [[{ ...DUTY, reason: 'repeat' }], [only]],
        [[{ ...DUTY, reason: 'mute', heldUntil: LATER }], ['email:duty@example.com held 2 21']],
      ];
      const steps = [step(10, DUTY), step(20, LOG)];
      for (const [planned, told] of cases) {
        await comes(1, [], { job_id: `for nobody ${bench.store.clock.now()}` });
        await bench.settled(
          comes(1, [askedBy('a')], { job_id: `error ${bench.store.clock.now()}` }),
          delivered,
        );
        for (const _ of steps) {
          await fireIn(10, { steps });
          await bench.tellAll();
        }
        await bench.store.passTime(MINUTE);
        const ended = await comes(0, planned, { job_id: `success ${bench.store.clock.now()}` });
        const shown = ended.deliveries.map(
          ({ destination, state, telling: { occasion, ...telling } = {} }) => {
            const { failures, failingForMs } = occasion?.template === 'recovered' ? occasion : {};
            const how = failures === undefined ? [] : [failures, (failingForMs ?? 0) / MINUTE];
            return [destination, state, ...how, ...(telling.isOnlyRecovery ? ['only'] : [])].join(' ');
          },
        );
        expect(shown).to.deep.equal(told);
        await bench.tellAll();
      }
      expect((await comes(0, [], { job_id: 'again' })).deliveries).to.deep.equal([]);
    });

    it('its message says who is on the incident when it is sent, however long it has waited, also where the service posts it again', async () => {
      const start_time = new Date(bench.store.clock.now()).toISOString();
      await comes(1, [askedBy('a')], { start_time });
      const ids = await bench.incidents();
      await fireIn(10);
      const said = [];
      for (const by of ['kenji', 'aya', undefined]) {
        await (by === undefined ? bench.ledger.actions.releaseIncidents(ids) : bench.takeUp(ids, by));
        const ofStep = (await bench.claim()).filter(({ record }) => record.destination === DUTY.destination);
        said.push(...ofStep.map(({ record }) => record.telling?.escalated?.takenBy));
        await bench.settle(ofStep.map(({ record }) => failed(record, { isTakenOver: true })));
        await bench.store.passTime(20 * MINUTE);
      }
      expect(said).to.deep.equal(['kenji', 'aya', '']);
      await bench.takeUp(ids, 'ken');
      const { deliveries } = await comes(1, [askedBy('a')], { start_time });
      const ofStep = deliveries.find(({ destination }) => destination === DUTY.destination);
      expect([ofStep?.claim, ofStep?.telling?.escalated?.takenBy]).to.deep.equal(['own', 'ken']);
    });

    it('its message does not count as late at the end of a trouble of its destination', async () => {
      const alert = { cause: 'c', subject: CONFIG_FAILURE, targets: [target('slack:#alerts')] };
      const failing = (of: Parameters<typeof failed>[0]) => failed(of, { isTakenOver: true, alert });
      await bench.settled(bench.arrive({ job_id: 'failing' }, [DUTY]), failing);
      await comes(1, [askedBy('a')]);
      await fireIn(10);
      await bench.tellAll();
      await bench.store.passTime(MINUTE);
      await bench.care();
      const [over] = await bench.claim();
      expect(over?.notice).to.have.nested.property('alert.subject.troubles[0]').that.includes({ late: 1 });
    });

    it('somebody closes it: only whom a step has told hears that it is over, and what a step has not told yet is told nobody', async () => {
      const over = async (isTold: boolean) => {
        await comes(1, [askedBy('a')], { job_id: `told: ${isTold}` });
        await fireIn(10);
        if (isTold) await bench.tellAll();
        await bench.closeAll();
        await fireIn(24 * 60);
        expect(await bench.store.rows('timers', 'key')).to.deep.equal([]);
        return (await bench.store.rows('callbacks')).filter(({ kind }) => kind === 'over').length;
      };
      expect([await over(false), await over(true)]).to.deep.equal([0, 1]);
      const states = (await atDuty()).map(({ state, reason }) => reason ?? state);
      expect(states, 'the last one is that it is over').to.deep.equal(['superseded', 'delivered', 'pending']);
    });

    it('what is taken up is told no further, and begins anew once it is given back', async () => {
      await comes(1, [askedBy('a')]);
      const ids = await bench.incidents();
      await bench.takeUp(ids);
      await fireIn(10);
      expect(await atDuty()).to.deep.equal([]);
      await bench.ledger.actions.releaseIncidents(ids);
      await fireIn(0);
      expect(await bench.timers()).to.deep.equal([]);
      await adopting(bench.ledger, {});
      expect(await fireIn(0), 'by the steps of the config that is loaded').to.equal(1);
      await bench.store.passTime(10 * MINUTE - 1);
      expect([await bench.timers(), await atDuty()]).to.deep.equal([[], []]);
      await fireIn(1 / MINUTE);
      expect(await atDuty()).to.have.length(1);
      await bench.store.passTime(MINUTE);
      await bench.tellAll();
      await comes(1, [askedBy('b', LOG)], { job_id: 'beside', bot_id: 'another' });
      await bench.takeUp(ids);
      await bench.ledger.actions.releaseIncidents(ids);
      expect(await fireIn(0), 'no other’s').to.equal(1);
      await fireIn(10);
      const [told] = await atDuty();
      const due = (await bench.claim()).map(({ record: { id, ageMs } }) => [id, ageMs]);
      expect(due, 'whom it told is told anew').to.deep.include([told?.id, 0]);
    });
  });
}
