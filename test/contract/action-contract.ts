/** What every ledger promises to people who act: each action once, in one piece with its record, and whoever is told is told once. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { Actor } from '../../src/ledger/actions/action.ts';
import type { ActionRequest, BulkStep, PlanByHand } from '../../src/ledger/actions/actions.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import { roundsIn } from '../../src/ledger/configs/routing-rounds.ts';
import { NO_LONGER_ROUTED } from '../../src/ledger/hold.ts';
import type { DeliveryError, DeliveryTarget, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  answered,
  arrivalOf,
  claimAllDue,
  delivered,
  EXECUTING,
  failed,
  idsOf,
  LEASE_MS,
  settlementOf,
  type StoreUnderTest,
  TAKE_OVER_AFTER_MS,
  target,
} from './ledger-contract.ts';

const MINUTE_MS = 60_000;
const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const MAIL = target('email:a@example.com');
const ACTOR: Actor = { via: 'page', user: 'hanako', from: '192.0.2.7' };
const REQUEST: ActionRequest = { actor: ACTOR };
const CHANNELS = new Map([
  ['slack', 'slack'],
  ['email', 'email'],
]);
const ARCHIVED: DeliveryError = { class: 'config', code: 'is_archived', message: 'no' };

export function describeActions(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`what people do on ${name}`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: OpenLedger;

    const openAs = (owner: string) =>
      store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const accept = (fields: Partial<Callback>, planned: readonly DeliveryTarget[]) =>
      ledger.admit({ ...arrivalOf(callbackWith(fields), planned, clock.now()), isAccepted: true });
    const claimed = async () => (await claimAllDue(ledger, 500)).map(({ record }) => record);
    const dead = (id: number, lastError?: DeliveryError): DeliveryUpdate => ({
      ...failed(id),
      state: 'dead',
      ...(lastError === undefined ? {} : { lastError }),
    });
    const end = async (...updates: DeliveryUpdate[]) => {
      await claimAllDue(ledger, 500);
      await ledger.settle(settlementOf(updates));
    };
    const unrouted = (id: number, state: 'held' | 'dead' = 'held'): DeliveryUpdate => ({
      ...failed(id),
      state,
      hold: { code: NO_LONGER_ROUTED },
    });
    /** One callback for each job, with one dead letter each. */
    const deadLetters = async (jobs: readonly string[], fields: Partial<Callback> = {}, to = OPS) => {
      const ids: number[] = [];
      for (const job_id of jobs) ids.push(...idsOf(await accept({ job_id, ...fields }, [to])));
      await end(...ids.map((id) => dead(id)));
      return ids;
    };
    const { routeAnew, story } = {
      routeAnew: (id: number, targets: readonly DeliveryTarget[], request = REQUEST, channels = CHANNELS) =>
        ledger.actions.routeAnew(
          id,
          { targets, routing: [{ route: 'as of today' }], channels } satisfies PlanByHand,
          request,
        ),
      story: async (id: number) => (await ledger.archive.story(id))?.actions,
    };
    const callbackOf = async (id: number) => {
      const row = (await store.rows('deliveries')).find((each) => Number(each['id']) === id);
      return Number(row?.['callback_id']);
    };
    const stateOf = async (id: number) => {
      const row = (await store.rows('deliveries')).find((each) => Number(each['id']) === id);
      return String(row?.['state']);
    };
    const continueAll = async (by = ledger) => {
      const steps: BulkStep[] = [];
      do steps.push(await by.actions.continueBulk());
      while (steps.at(-1)?.isMore === true);
      return steps;
    };

    beforeEach(async () => {
      clock = new ManualClock();
      store = await createStore(clock);
      ledger = await openAs('first');
    });

    afterEach(() => store.close());

    describe('delivering again', () => {
      it('makes a dead letter Botbell’s own to attempt at once, with all the time that is given for it', async () => {
        const [id = 0] = await deadLetters(['a']);
        await store.passTime(60 * MINUTE_MS);
        expect(await ledger.actions.redeliver(id, REQUEST, false)).to.equal('accepted');
        const [record, ...others] = await claimed();
        expect(others).to.deep.equal([]);
        expect(record).to.include({ id, state: 'pending', isTakenOver: true, lastError: undefined });
        expect(record?.ageMs).to.be.below(MINUTE_MS);
        expect(record?.givenBackAt).to.be.a('number');
      });

      it('tells what is held as no longer routed, whether its callback reached somebody else or nobody', async () => {
        const [held, lost] = idsOf(await accept({}, [OPS, LOG]));
        await end(unrouted(held), unrouted(lost, 'dead'));
        expect(await ledger.actions.redeliver(held, REQUEST, false)).to.equal('accepted');
        expect(await ledger.actions.redeliver(lost, REQUEST, false)).to.equal('accepted');
        expect((await claimed()).map(({ id }) => id).toSorted()).to.deep.equal([held, lost].toSorted());
      });

      it('sends what was delivered only when that is asked for, and keeps its receipt until there is another', async () => {
        const [id] = idsOf(await accept({}, [OPS]));
        await end(delivered(id));
        const [before] = await ledger.deliveriesOf(await callbackOf(id));
        expect(await ledger.actions.redeliver(id, REQUEST, false)).to.equal('delivered');
        expect(await claimed()).to.deep.equal([]);
        expect(await ledger.actions.redeliver(id, REQUEST, true)).to.equal('accepted');
        const [record] = await claimed();
        expect(record).to.include({ id, state: 'pending' });
        expect(record?.receipt).to.deep.equal(before?.receipt).and.to.be.an('object');
      });

      it('leaves what is pending to whom it is with', async () => {
        const [id] = idsOf(await accept({}, [OPS]));
        expect(await ledger.actions.redeliver(id, REQUEST, true)).to.equal('open');
      });

      it('never tells of a start once the end is known, however that was held back', async () => {
        const [start] = idsOf(await accept({ status: EXECUTING, message: 'start' }, [OPS]));
        const [other] = idsOf(await accept({ status: EXECUTING, job_id: 'b' }, [OPS]));
        await end(delivered(other), dead(start));
        await accept({ message: 'end' }, [OPS]);
        await accept({ job_id: 'b', message: 'end' }, [LOG]);
        expect(await ledger.actions.redeliver(start, REQUEST, true)).to.equal('superseded');
        expect(await ledger.actions.redeliver(other, REQUEST, true)).to.equal('superseded');
      });

      it('says of what there is not that there is none', async () => {
        expect(await ledger.actions.redeliver(77, REQUEST, false)).to.equal('unknown');
        expect(await ledger.actions.dismiss(77, REQUEST)).to.equal('unknown');
        expect(await routeAnew(77, [OPS])).to.equal(undefined);
        expect(await store.rows('actions')).to.deep.equal([]);
      });

      it('keeps the order of its job', async () => {
        const [first] = idsOf(await accept({ message: 'one' }, [OPS]));
        await end(dead(first));
        const [second] = idsOf(await accept({ message: 'two' }, [OPS]));
        await ledger.actions.redeliver(first, REQUEST, false);
        expect((await claimed()).map(({ id }) => id)).to.deep.equal([first]);
        await ledger.settle(settlementOf([delivered(first)]));
        expect((await claimed()).map(({ id }) => id)).to.deep.equal([second]);
      });

      it('waits for what is before it in its job', async () => {
        const [first] = idsOf(await accept({ message: 'one' }, [OPS, LOG]));
        await accept({ message: 'two' }, [OPS]);
        const two = (await store.rows('deliveries')).at(-1);
        await store.run(`update deliveries set state = 'dead' where id = ${Number(two?.['id'])}`);
        await ledger.actions.redeliver(Number(two?.['id']), REQUEST, false);
        expect((await claimed()).map(({ id, destination }) => [id === first, destination])).to.deep.include([
          true,
          OPS.destination,
        ]);
        await ledger.settle(settlementOf([delivered(first)]));
        expect((await claimed()).map(({ id }) => id)).to.deep.equal([Number(two?.['id'])]);
      });

      it('is done once, however often and at whatever moment the same form is sent', async () => {
        const [id = 0] = await deadLetters(['a']);
        const request = { ...REQUEST, nonce: 'n-1' };
        const both = await Promise.all([1, 2].map(() => ledger.actions.redeliver(id, request, true)));
        expect(both).to.deep.equal(['accepted', 'accepted']);
        await end(delivered(id));
        expect(await ledger.actions.redeliver(id, request, true)).to.equal('accepted');
        expect(await claimed()).to.deep.equal([]);
        expect(await store.rows('actions')).to.have.length(1);
      });

      it('takes the same nonce for another delivery', async () => {
        const [one = 0, other = 0] = await deadLetters(['a', 'b']);
        const request = { ...REQUEST, nonce: 'of the page' };
        await ledger.actions.redeliver(one, request, false);
        await ledger.actions.redeliver(other, request, false);
        expect(await claimed()).to.have.length(2);
      });

      it('stands in the story: what, when, from where, by whom and why', async () => {
        const [id = 0] = await deadLetters(['a']);
        await clock.advance(MINUTE_MS);
        await ledger.actions.redeliver(id, { ...REQUEST, note: 'the channel is back' }, false);
        await end(dead(id));
        await ledger.actions.dismiss(id, { actor: { ...ACTOR, user: undefined } });
        const actions = (await story(await callbackOf(id))) ?? [];
        expect(actions.map((action) => ({ ...action, endedBefore: [] }))).to.deep.equal([
          {
            at: clock.now(),
            what: 'redelivered',
            deliveryIds: [id],
            actor: ACTOR,
            note: 'the channel is back',
            bulkId: undefined,
            endedBefore: [],
          },
          {
            at: clock.now(),
            what: 'dismissed',
            deliveryIds: [id],
            actor: { ...ACTOR, user: undefined },
            note: undefined,
            bulkId: undefined,
            endedBefore: [],
          },
        ]);
      });

      it('stands there with how it had ended, which is forgotten when it is attempted again', async () => {
        const [id = 0] = await deadLetters(['a']);
        await ledger.actions.redeliver(id, REQUEST, false);
        await end(unrouted(id));
        await ledger.actions.dismiss(id, REQUEST);
        const ends = (await story(await callbackOf(id)))?.flatMap(({ endedBefore }) => endedBefore);
        expect(ends?.map(({ deliveryId, state, hold }) => [deliveryId, state, hold?.code])).to.deep.equal([
          [id, 'dead', undefined],
          [id, 'held', NO_LONGER_ROUTED],
        ]);
        expect(ends?.[0]?.lastError).to.deep.equal(dead(id).lastError);
        expect(ends?.[0]?.updatedAt).to.be.a('number');
      });

      it('keeps hostile names short and without what cannot be seen', async () => {
        const [id = 0] = await deadLetters(['a']);
        const user = `\u202Eevil\n${'x'.repeat(10_000)}`;
        await ledger.actions.redeliver(id, { actor: { ...ACTOR, user }, note: user }, false);
        const [action] = (await story(await callbackOf(id))) ?? [];
        expect(action?.actor.user).to.match(/^evil/).and.to.have.length.below(250);
        expect(action?.note).to.have.length.below(1100);
      });

      it('goes with its callback when that is forgotten', async () => {
        const admission = await answered(ledger, await accept({}, [OPS]));
        await end(dead(idsOf(admission)[0]));
        await clock.advance(MINUTE_MS);
        await ledger.prune({ sweep: 'done', before: clock.now(), after: 0 });
        expect(await store.rows('callbacks'), 'undelivered').to.have.length(1);
        await ledger.actions.dismiss(idsOf(admission)[0], REQUEST);
        await ledger.prune({ sweep: 'done', before: clock.now(), after: 0 });
        expect(await store.rows('callbacks')).to.deep.equal([]);
        expect(await store.rows('actions')).to.deep.equal([]);
      });
    });

    describe('being done with a dead letter', () => {
      it('counts it neither as dead nor as held, and tells nobody', async () => {
        const [id = 0] = await deadLetters(['a']);
        const [held] = idsOf(await accept({ job_id: 'b' }, [LOG]));
        await end(unrouted(held));
        expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 1, held: 1 });
        expect(await ledger.actions.dismiss(id, REQUEST)).to.equal('dismissed');
        expect(await ledger.actions.dismiss(held, REQUEST)).to.equal('dismissed');
        expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
        expect(await claimed()).to.deep.equal([]);
      });

      it('is for no route to undo, but for a person', async () => {
        const [held] = idsOf(await accept({}, [OPS]));
        await end(unrouted(held));
        await ledger.actions.dismiss(held, REQUEST);
        await ledger.configs.heartbeat({ hash: 'a', channels: CHANNELS });
        expect(await ledger.configs.unroutedAfter(0, 9)).to.deep.equal([]);
        expect(await ledger.configs.revive([{ id: held, routing: [] }])).to.deep.equal([]);
        expect(await routeAnew(await callbackOf(held), [OPS])).to.deep.equal({
          told: [],
          untouched: [OPS.destination],
        });
        expect(await ledger.actions.redeliver(held, REQUEST, false)).to.equal('accepted');
        expect(await claimed()).to.have.length(1);
      });

      it('is refused for what is neither dead nor without a route', async () => {
        const [told, pending] = idsOf(await accept({}, [OPS, LOG]));
        await ledger.settle(settlementOf([delivered(told)]));
        expect(await ledger.actions.dismiss(told, REQUEST)).to.equal('not dead');
        expect(await ledger.actions.dismiss(pending, REQUEST)).to.equal('not dead');
      });

      it('is written once', async () => {
        const [id = 0] = await deadLetters(['a']);
        await ledger.actions.dismiss(id, REQUEST);
        expect(await ledger.actions.dismiss(id, REQUEST)).to.equal('dismissed');
        expect(await store.rows('actions')).to.have.length(1);
      });
    });

    describe('routing anew', () => {
      it('tells of a callback that nobody was told of whom today’s config names', async () => {
        const { callbackId } = await accept({}, []);
        expect(await routeAnew(callbackId, [OPS, LOG])).to.deep.equal({
          told: [OPS.destination, LOG.destination],
          untouched: [],
        });
        const due = await claimed();
        expect(due.map(({ destination }) => destination).toSorted()).to.deep.equal([
          LOG.destination,
          OPS.destination,
        ]);
        expect(due.every(({ givenBackAt }) => givenBackAt !== undefined)).to.equal(true);
        expect((await ledger.archive.story(callbackId))?.routing)
          .to.be.an('array')
          .with.nested.property('[1]')
          .that.includes({ route: 'as of today', by: 'hand' });
        const [action] = (await story(callbackId)) ?? [];
        expect(action).to.include({ what: 'routed anew' });
        expect(action?.deliveryIds.toSorted()).to.deep.equal(due.map(({ id }) => id).toSorted());
      });

      it('attempts again what is dead or was no longer routed, and nobody who has been told or will be', async () => {
        const admission = await accept({}, [OPS, LOG, MAIL, target('slack:#pending')]);
        const [ops = 0, log = 0, mail = 0] = admission.deliveries.map(({ id }) => id);
        await end(delivered(ops), dead(log), unrouted(mail));
        const targets = [OPS, LOG, MAIL, target('slack:#pending'), target('slack:#new')];
        expect(await routeAnew(admission.callbackId, targets)).to.deep.equal({
          told: [LOG.destination, MAIL.destination, 'slack:#new'],
          untouched: [OPS.destination, 'slack:#pending'],
        });
        expect(await stateOf(ops)).to.equal('delivered');
      });

      it('by a person keeps what the config had decided before, and adds no routing that changes nothing', async () => {
        await ledger.configs.heartbeat({ hash: 'a', channels: CHANNELS });
        const { callbackId, deliveries } = await accept({}, [OPS]);
        await claimAllDue(ledger, 64);
        const update = unrouted(deliveries[0]?.id ?? 0);
        const routing = [{ route: 'by the config', matched: true, reaches: ['slack:#log'] }];
        await ledger.configs.routeAnew({ callbackId, update, targets: [LOG], routing });
        await routeAnew(callbackId, [OPS]);
        await routeAnew(callbackId, [OPS]);
        const rounds = roundsIn((await ledger.archive.story(callbackId))?.routing);
        expect(rounds.map(({ by, explanations }) => [by, explanations[0]?.route])).to.deep.equal([
          [undefined, 'routes[0]'],
          ['config', 'by the config'],
          ['hand', 'as of today'],
        ]);
      });

      it('tells nobody again who was told under the name of a channel that is gone', async () => {
        await ledger.configs.heartbeat({ hash: 'a', channels: CHANNELS });
        const { callbackId, deliveries } = await accept({}, [OPS]);
        await end(delivered(deliveries[0]?.id ?? 0));
        const renamed = new Map([['chat', 'slack']]);
        const chat = [target('chat:#ops'), target('chat:#log')];
        expect(await routeAnew(callbackId, chat, REQUEST, renamed)).to.deep.equal({
          told: ['chat:#log'],
          untouched: ['chat:#ops'],
        });
      });

      it('is refused for a start whose end is known', async () => {
        const { callbackId } = await accept({ status: EXECUTING }, []);
        await accept({ message: 'end' }, []);
        expect(await routeAnew(callbackId, [OPS])).to.equal('superseded');
        expect(await claimed()).to.deep.equal([]);
        expect(await store.rows('actions')).to.deep.equal([]);
      });

      it('is done once by the same nonce, with the same answer', async () => {
        const { callbackId } = await accept({}, []);
        const request = { ...REQUEST, nonce: 'n' };
        const both = await Promise.all([1, 2].map(() => routeAnew(callbackId, [OPS], request)));
        expect(both).to.deep.equal([1, 2].map(() => ({ told: [OPS.destination], untouched: [] })));
        await end(dead((await claimed())[0]?.id ?? 0));
        expect(await routeAnew(callbackId, [OPS], request)).to.include.keys('told');
        expect(await store.rows('actions')).to.have.length(1);
      });

      it('keeps the order of the job', async () => {
        const [first] = [await accept({ message: 'one' }, [])];
        const [second] = idsOf(await accept({ message: 'two' }, [OPS]));
        await routeAnew(first.callbackId, [OPS]);
        const [record] = await claimed();
        expect(record?.id).to.not.equal(second);
        await ledger.settle(settlementOf([delivered(record?.id ?? 0)]));
        expect((await claimed()).map(({ id }) => id)).to.deep.equal([second]);
      });
    });

    describe('in bulk', () => {
      const JOBS = Array.from({ length: 230 }, (_, number) => `job-${number}`);

      const readBulk = async (id: number) => {
        const bulk = await ledger.actions.bulk(id);
        return (
          bulk && {
            state: bulk.state,
            given: bulk.given,
            pending: bulk.pending,
            dead: bulk.dead,
            delivered: bulk.delivered,
          }
        );
      };

      it('gives back what a filter matches, a hundred at a time, and shows how far that is', async () => {
        const ids = await deadLetters(JOBS);
        const { id } = await ledger.actions.startBulk({}, REQUEST);
        expect(await readBulk(id)).to.deep.equal({
          state: 'running',
          given: 0,
          pending: 0,
          dead: 0,
          delivered: 0,
        });
        expect(await ledger.actions.continueBulk()).to.deep.equal({
          isMore: true,
          given: 100,
          withdrawn: 0,
          ended: undefined,
        });
        expect(await readBulk(id)).to.deep.equal({
          state: 'running',
          given: 100,
          pending: 100,
          dead: 0,
          delivered: 0,
        });
        const steps = await continueAll();
        expect(steps.map(({ given }) => given)).to.deep.equal([100, 30, 0]);
        expect(steps.flatMap(({ ended }) => ended ?? [])).to.deep.equal([
          { id, what: 'redelivered', given: 230 },
        ]);
        const [first = 0, second = 0] = ids;
        await ledger.claimDue([{ destination: OPS.destination, limit: 9 }]);
        await ledger.settle(settlementOf([delivered(first), dead(second)]));
        expect(await readBulk(id)).to.deep.equal({
          state: 'done',
          given: 230,
          pending: 228,
          dead: 1,
          delivered: 1,
        });
      });

      it('takes what names a BOT, job, status, destination, cause or time, and nothing else', async () => {
        await deadLetters(['a'], { bot_id: 'invoice' });
        await deadLetters(['b'], { bot_id: 'report', status: 1 }, LOG);
        await clock.advance(MINUTE_MS);
        const [id] = idsOf(await accept({ job_id: 'c', bot_id: 'report' }, [MAIL]));
        await end(dead(id, ARCHIVED));
        const [held] = idsOf(await accept({ job_id: 'd', bot_id: 'held' }, [MAIL]));
        await end(unrouted(held));
        const tally = async (filter: Parameters<typeof ledger.actions.tally>[0]) =>
          (await ledger.actions.tally(filter)).messages;
        for (const { filter, count } of [
          { filter: {}, count: 4 },
          { filter: { state: 'dead' }, count: 4 },
          { filter: { state: 'held' }, count: 1 },
          { filter: { state: 'delivered' }, count: 0 },
          { filter: { state: 'pending' }, count: 0 },
          { filter: { botId: 'report' }, count: 2 },
          { filter: { jobId: 'a' }, count: 1 },
          { filter: { status: 1 }, count: 1 },
          { filter: { destination: LOG.destination }, count: 1 },
          {
            filter: { destination: MAIL.destination, errorClass: 'config', errorCode: 'is_archived' },
            count: 1,
          },
          { filter: { errorClass: 'permanent', errorCode: '' }, count: 0 },
          { filter: { from: clock.now() }, count: 2 },
          { filter: { to: clock.now() - 1 }, count: 2 },
          { filter: { result: 'delivered' }, count: 0 },
        ] as const) {
          expect(await tally(filter), JSON.stringify(filter)).to.equal(count);
        }
        await ledger.actions.startBulk({ botId: 'report' }, REQUEST);
        await continueAll();
        expect((await claimed()).map(({ destination }) => destination).toSorted()).to.deep.equal([
          MAIL.destination,
          LOG.destination,
        ]);
      });

      it('says before how many there are, to whom, and how old', async () => {
        const oldestAt = clock.now();
        await deadLetters(['a', 'b']);
        await clock.advance(MINUTE_MS);
        await deadLetters(['c'], {}, LOG);
        expect(await ledger.actions.tally({})).to.deep.equal({
          messages: 3,
          isMore: false,
          destinations: [
            { destination: OPS.destination, messages: 2 },
            { destination: LOG.destination, messages: 1 },
          ],
          oldestAt,
          newestAt: clock.now(),
        });
        expect(await ledger.actions.tally({ botId: 'nobody' })).to.deep.equal({
          messages: 0,
          isMore: false,
          destinations: [],
          oldestAt: undefined,
          newestAt: undefined,
        });
        expect(await ledger.countOpen()).to.include({ dead: 3, pending: 0 });
      });

      it('ends with what was there when it began', async () => {
        const [id = 0] = await deadLetters(['a']);
        await ledger.actions.startBulk({}, REQUEST);
        const [later = 0] = await deadLetters(['b']);
        await continueAll();
        expect([await stateOf(id), await stateOf(later)]).to.deep.equal(['pending', 'dead']);
        expect(await ledger.actions.continueBulk()).to.deep.equal({
          isMore: false,
          given: 0,
          withdrawn: 0,
          ended: undefined,
        });
      });

      it('never tells again what was delivered, nor of a start whose end is known', async () => {
        const [told] = idsOf(await accept({ job_id: 'told' }, [OPS]));
        const [start] = idsOf(await accept({ job_id: 's', status: EXECUTING }, [OPS]));
        await end(delivered(told), dead(start));
        await accept({ job_id: 's', message: 'end' }, []);
        expect((await ledger.actions.tally({})).messages).to.equal(0);
        await ledger.actions.startBulk({}, REQUEST);
        await continueAll();
        expect([await stateOf(told), await stateOf(start)]).to.deep.equal(['delivered', 'dead']);
      });

      it('gives back dead alerts with everything, and not where a BOT is named', async () => {
        const [id] = idsOf(await accept({}, [OPS]));
        await claimAllDue(ledger);
        const alert = { cause: 'x', subject: DEAD_LETTER, targets: [LOG], language: 'en' } as const;
        await ledger.settle(settlementOf([{ ...dead(id), alert }]));
        const [raised] = await claimed();
        await ledger.settle(settlementOf([dead(raised?.id ?? 0)]));
        expect((await ledger.actions.tally({})).messages).to.equal(2);
        expect((await ledger.actions.tally({ botId: callbackWith().bot_id })).messages).to.equal(1);
      });

      it('is begun once by the same nonce', async () => {
        await deadLetters(['a']);
        const request = { ...REQUEST, nonce: 'n' };
        const [one, other] = await Promise.all([1, 2].map(() => ledger.actions.startBulk({}, request)));
        expect(one?.id).to.equal(other?.id);
        expect(await ledger.actions.bulks()).to.have.length(1);
      });

      const STOPPER: Actor = { via: 'api', user: undefined, from: '::1' };
      const STOP: ActionRequest = { actor: STOPPER, note: 'not now' };
      const rowOf = async (id: number) =>
        (await store.rows('deliveries')).find((each) => Number(each['id']) === id) ?? {};
      const started = async () => (await ledger.actions.startBulk({}, REQUEST)).id;

      it('can be stopped: what was given back is withdrawn, and what was not stays as it is', async () => {
        const ids = await deadLetters(JOBS);
        const id = await started();
        await ledger.actions.continueBulk();
        const stopped = await ledger.actions.stopBulk(id, STOP);
        expect(stopped).to.deep.include({
          state: 'stopped',
          given: 100,
          pending: 0,
          dead: 0,
          withdrawn: 100,
          stoppedBy: STOPPER,
          endedAt: clock.now(),
        });
        expect(await continueAll()).to.have.length(1);
        expect(await ledger.countOpen()).to.include({ pending: 0, dead: ids.length });
        expect(await claimed()).to.deep.equal([]);
        expect(await ledger.actions.stopBulk(99, REQUEST)).to.equal(undefined);
      });

      it('can be stopped while anything that it has given back is pending, and by one person', async () => {
        const [first = 0, second = 0] = await deadLetters(['a', 'b']);
        const id = await started();
        await continueAll();
        await clock.advance(MINUTE_MS);
        expect(await readBulk(id)).to.include({ state: 'done', pending: 2 });
        await ledger.claimDue([{ destination: OPS.destination, limit: 1 }]);
        await ledger.settle(settlementOf([delivered(first)]));
        const stopped = await ledger.actions.stopBulk(id, STOP);
        expect(stopped).to.deep.include({
          state: 'stopped',
          endedAt: clock.now(),
          stoppedBy: STOPPER,
          delivered: 1,
          withdrawn: 1,
        });
        expect([await stateOf(first), await stateOf(second)]).to.deep.equal(['delivered', 'dead']);
        expect(await ledger.actions.stopBulk(id, REQUEST)).to.deep.equal(stopped);
      });

      it('is done, and not stopped, once nothing that it has given back is pending', async () => {
        const [letter = 0] = await deadLetters(['a']);
        const id = await started();
        await continueAll();
        await end(dead(letter));
        const stopped = await ledger.actions.stopBulk(id, STOP);
        expect(stopped).to.include({ state: 'done', stoppedBy: undefined, dead: 1, withdrawn: 0 });
      });

      it('leaves what it withdraws as it had ended before, and says in the story who did', async () => {
        const admission = await answered(ledger, await accept({}, [OPS, LOG, MAIL]));
        const [ops = 0, log = 0, mail = 0] = admission.deliveries.map((each) => each.id);
        await end(dead(ops, ARCHIVED), unrouted(log), unrouted(mail, 'dead'));
        // As by SQLite's clock; PostgreSQL keeps whole milliseconds.
        await store.run('update deliveries set updated_at = updated_at + 0.25');
        const before = await Promise.all([ops, log, mail].map(rowOf));
        await clock.advance(MINUTE_MS);
        const id = await started();
        await continueAll();
        await claimAllDue(ledger, 500);
        await ledger.settle(
          settlementOf([ops, log, mail].map((each) => ({ ...failed(each), dueInMs: 9000 }))),
        );
        await ledger.actions.stopBulk(id, STOP);
        const after = await Promise.all([ops, log, mail].map(rowOf));
        const ended = ({
          state,
          held_because,
          error_class,
          error_code,
          error_message,
          updated_at,
        }: object & {
          readonly [name: string]: unknown;
        }) => [state, held_because, error_class, error_code, error_message, Number(updated_at)];
        expect(after.map(ended)).to.deep.equal(before.map(ended));
        expect(after.map(({ claimed_by, bulk_id, is_bulk }) => [claimed_by, bulk_id, is_bulk])).to.deep.equal(
          [1, 2, 3].map(() => [null, null, 0]),
        );
        const actions = (await story(admission.callbackId)) ?? [];
        expect(actions.map(({ what }) => what)).to.deep.equal(['redelivered', 'withdrawn']);
        expect(actions[1]).to.deep.include({ actor: STOPPER, note: 'not now', bulkId: id, endedBefore: [] });
        expect(actions[1]?.deliveryIds.toSorted()).to.deep.equal([ops, log, mail].toSorted());
        await ledger.actions.redeliver(ops, REQUEST, false);
        const ends = (await story(admission.callbackId))?.flatMap(({ endedBefore }) => endedBefore);
        const [first, again] = ends?.filter(({ deliveryId }) => deliveryId === ops) ?? [];
        expect(again, 'it has ended once').to.deep.equal(first).and.not.to.equal(undefined);
      });

      it('withdraws what is being attempted when that fails, and not where it is delivered', async () => {
        const [one = 0, other = 0, waiting = 0] = await deadLetters(['a', 'b', 'c']);
        const id = await started();
        await continueAll();
        await ledger.claimDue([{ destination: OPS.destination, limit: 2 }]);
        expect(await ledger.actions.stopBulk(id, STOP)).to.include({ pending: 2, withdrawn: 1 });
        expect(await stateOf(waiting)).to.equal('dead');
        expect(await ledger.actions.continueBulk()).to.deep.include({ isMore: false, withdrawn: 0 });
        await ledger.settle(settlementOf([delivered(one), { ...failed(other), dueInMs: 9000 }]));
        await continueAll();
        expect([await stateOf(one), await stateOf(other)]).to.deep.equal(['delivered', 'dead']);
        expect(await ledger.actions.bulk(id)).to.include({ pending: 0, delivered: 1, dead: 0, withdrawn: 2 });
        expect((await store.rows('bulks')).map(({ state }) => state)).to.deep.equal(['stopped']);
      });

      it('withdraws a hundred at a time, by whichever process there is, also after a restart', async () => {
        await deadLetters(JOBS);
        const id = await started();
        await continueAll();
        const [stopped, others] = [await ledger.actions.stopBulk(id, STOP), await openAs('other')];
        expect(stopped).to.include({ state: 'stopped', pending: 130, withdrawn: 100 });
        await ledger.close();
        expect(await others.actions.continueBulk()).to.deep.include({ isMore: true, withdrawn: 100 });
        expect(await others.actions.continueBulk()).to.deep.include({ isMore: true, withdrawn: 30 });
        expect(await others.actions.continueBulk()).to.deep.include({ isMore: false, withdrawn: 0 });
        expect(await others.actions.bulk(id)).to.include({ pending: 0, withdrawn: 230 });
        expect(await others.countOpen()).to.include({ pending: 0, dead: 230 });
        await others.close();
        ledger = await openAs('third');
      });

      it('goes on with the others while one that was stopped waits for an attempt', async () => {
        await deadLetters(['a']);
        const one = await started();
        await continueAll();
        await claimed();
        await ledger.actions.stopBulk(one, STOP);
        const [letter] = idsOf(await accept({ job_id: 'b' }, [LOG]));
        await ledger.claimDue([{ destination: LOG.destination, limit: 1 }]);
        await ledger.settle(settlementOf([dead(letter)]));
        const other = await started();
        await continueAll();
        expect(await readBulk(other)).to.include({ state: 'done', given: 1 });
        await ledger.actions.stopBulk(other, STOP);
        expect(await stateOf(letter)).to.equal('dead');
      });

      it('makes due what waited in its job for what is withdrawn', async () => {
        const [first] = idsOf(await accept({ message: 'one' }, [OPS]));
        await end(dead(first));
        const id = await started();
        await continueAll();
        const [second] = idsOf(await accept({ message: 'two' }, [OPS]));
        await ledger.actions.stopBulk(id, STOP);
        expect((await claimed()).map((record) => record.id)).to.deep.equal([second]);
        expect(await stateOf(first)).to.equal('dead');
      });

      it('does not withdraw what somebody has had delivered again by itself since', async () => {
        const [letter = 0] = await deadLetters(['a', 'b']);
        const id = await started();
        await continueAll();
        await ledger.claimDue([{ destination: OPS.destination, limit: 1 }]);
        await ledger.settle(settlementOf([dead(letter)]));
        await ledger.actions.redeliver(letter, REQUEST, false);
        expect(await ledger.actions.stopBulk(id, STOP)).to.include({ pending: 0, withdrawn: 1 });
        expect(await stateOf(letter)).to.equal('pending');
      });

      it('leaves as a dead letter what a version before had given back', async () => {
        const [letter = 0] = await deadLetters(['a']);
        const id = await started();
        await continueAll();
        await store.run('update actions set ended_before = null');
        expect(await ledger.actions.stopBulk(id, STOP)).to.include({ pending: 0, withdrawn: 1 });
        expect(await stateOf(letter)).to.equal('dead');
      });

      it('goes on after a restart, where it was', async () => {
        await deadLetters(JOBS);
        const { id } = await ledger.actions.startBulk({}, REQUEST);
        await ledger.actions.continueBulk();
        await ledger.close();
        ledger = await openAs('second');
        await continueAll();
        expect(await readBulk(id)).to.include({ state: 'done', given: 230, pending: 230 });
        expect(await store.rows('actions')).to.have.length(230);
      });

      it('gives back each once, whichever of two processes goes on with it', async () => {
        await deadLetters(JOBS);
        const other = await openAs('other');
        const { id } = await ledger.actions.startBulk({}, REQUEST);
        for (let round = 0; round < 3; round += 1) {
          await ledger.actions.continueBulk();
          await other.actions.continueBulk();
        }
        expect(await readBulk(id)).to.include({ state: 'done', given: 230 });
        expect(await store.rows('actions')).to.have.length(230);
      });

      it('leaves alone what somebody else has given back, or dismissed, meanwhile', async () => {
        const [one = 0, two = 0] = await deadLetters(['a', 'b', 'c']);
        const { id } = await ledger.actions.startBulk({}, REQUEST);
        await ledger.actions.dismiss(one, REQUEST);
        await ledger.actions.redeliver(two, REQUEST, false);
        await continueAll();
        expect(await readBulk(id)).to.include({ given: 1, pending: 1 });
        expect(await stateOf(one)).to.equal('held');
      });

      it('is forgotten when it was over more than a year ago', async () => {
        await ledger.actions.startBulk({}, REQUEST);
        await continueAll();
        await ledger.actions.startBulk({}, REQUEST);
        await clock.advance(401 * 86_400_000);
        await ledger.tidy();
        expect(
          (await ledger.actions.bulks()).map(({ state }) => state),
          'what runs stays',
        ).to.deep.equal(['running']);
      });

      it('stands in the story of each callback, with who began it', async () => {
        const [letter = 0] = await deadLetters(['a']);
        const { id } = await ledger.actions.startBulk({}, { ...REQUEST, note: 'Slack is back' });
        await continueAll();
        const [action] = (await story(await callbackOf(letter))) ?? [];
        expect(action).to.deep.include({
          what: 'redelivered',
          actor: ACTOR,
          note: 'Slack is back',
          bulkId: id,
        });
      });

      it('dismisses as much, where that is asked for', async () => {
        const [letter = 0] = await deadLetters(['a', 'b']);
        const { what } = await ledger.actions.startBulk({}, REQUEST, 'dismissed');
        expect(what).to.equal('dismissed');
        await continueAll();
        expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
        expect((await ledger.actions.bulks())[0]).to.include({ given: 2, pending: 0, state: 'done' });
        expect((await story(await callbackOf(letter)))?.[0]).to.include({ what: 'dismissed' });
      });

      it('comes after what is new, but gets its turns', async () => {
        const old = await deadLetters(['o1', 'o2', 'o3']);
        const fresh = ['n1', 'n2', 'n3'];
        const newIds: number[] = [];
        for (const job_id of fresh) newIds.push(...idsOf(await accept({ job_id }, [OPS])));
        await ledger.actions.startBulk({}, REQUEST);
        await continueAll();
        expect(await ledger.dueDestinations()).to.deep.equal([
          { destination: OPS.destination, hasBulk: true },
        ]);
        const turn = async (limit: number, bulkTurns: number) =>
          (await ledger.claimDue([{ destination: OPS.destination, limit, bulkTurns }])).map(
            ({ record }) => record.id,
          );
        expect(await turn(1, 0)).to.deep.equal(newIds.slice(0, 1));
        expect(await turn(1, 1)).to.deep.equal(old.slice(0, 1));
        expect(await turn(9, 1)).to.deep.equal([...newIds.slice(1), ...old.slice(1)]);
      });

      it('gives its turns to what is new where nothing else is due', async () => {
        const [id] = idsOf(await accept({}, [OPS]));
        const due = await ledger.claimDue([{ destination: OPS.destination, limit: 2, bulkTurns: 2 }]);
        expect(due.map(({ record }) => record.id)).to.deep.equal([id]);
      });
    });
  });
}
