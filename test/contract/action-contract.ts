/** What every ledger promises to people who act: each action once, in one piece with its record, and whoever is told is told once. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { type DeliveryTarget, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import type { Actor } from '../../src/ledger/callbacks/history.ts';
import type { BulkStep } from '../../src/ledger/deliveries/by-hand.ts';
import { anew } from '../support/anew.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { CreateStore } from './ledger-bench.ts';
import { deadUpdate, deliveredUpdate, Recorded, target, update } from '../support/recorded.ts';

const MINUTE_MS = 60_000;
const EXECUTING = 2;
const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const HELD = target('slack:#held');
const MAIL = target('email:a@example.com');
const UNSURE = { class: 'config', code: '302', message: 'a redirect', mayHaveArrived: true } as const;
const ACTOR: Actor = { via: 'page', user: 'hanako', from: '192.0.2.7' };
const CHANNELS = new Map(['slack', 'email'].map((each) => [each, each]));

export function describeActions(name: string, createStore: CreateStore): void {
  describe(`what people do on ${name}`, () => {
    const store = anew(() => createStore(new ManualClock()));
    const recorded = new Recorded(store);
    const { actions, archive } = recorded;

    /** Botbell's own, each with its ids. */
    const accept = async (fields: Partial<Callback>, planned: readonly DeliveryTarget[]) => {
      const admission = await recorded.arrive(fields, planned);
      const ids = admission.deliveries.map(({ id }) => id) as [number, ...number[]];
      return { ...admission, ids };
    };
    const deadLetters = (jobs: readonly string[], fields?: Partial<Callback>, to?: DeliveryTarget) =>
      recorded.deadLetters(jobs, fields, to) as Promise<[number, ...number[]]>;
    /** An hour after it was first attempted. */
    const deadLate = async (job_id: string) => {
      const { ids, ...admission } = await accept({ job_id }, [OPS]);
      await recorded.claim();
      await store.passTime(60 * MINUTE_MS);
      await recorded.settle(admission, [deadUpdate(ids[0])]);
      return ids[0];
    };
    const unrouted = (id: number) => update(id, { state: 'held', reason: NO_LONGER_ROUTED });
    const dueIds = async () => (await recorded.claim()).map(({ id }) => id);
    const rowOf = async (id: number) =>
      (await store.rows('deliveries')).find((row) => Number(row['id']) === id) ?? {};
    const callbackOf = async (id: number) => Number((await rowOf(id))['callback_id']);
    const historyOf = async (id: number) =>
      (await recorded.archive.story(await callbackOf(id)))?.history ?? [];
    const routeAnew = (id: number, targets: readonly DeliveryTarget[]) =>
      actions.routeAnew(id, { targets, routing: [{ route: 'as of today' }], channels: CHANNELS }, ACTOR);
    const continueAll = async (by = actions) => {
      const steps: BulkStep[] = [];
      do steps.push(await by.continueBulk());
      while (steps.at(-1)?.isMore === true);
      return steps;
    };

    describe('delivering again', () => {
      it('makes a dead letter Botbell’s own to attempt at once, with all the time that is given for it', async () => {
        const id = await deadLate('a');
        expect(await actions.redeliver(id, ACTOR, false)).to.equal('accepted');
        const [record] = await recorded.claim();
        expect(record).to.deep.include({ id, isTakenOver: true, lastError: undefined });
        expect(record?.ageMs).to.be.below(60_000);
        expect(record?.givenBackAt).to.be.a('number');
        expect(Number((await rowOf(id))['is_bulk']), 'in its turn').to.equal(0);
        await recorded.settle({ callbackId: await callbackOf(id) }, [deadUpdate(id)]);
        await actions.redeliver(id, ACTOR, false);
        expect(await dueIds(), 'when it has died at once').to.deep.equal([id]);
      });

      it('takes what is held as no longer routed, and what was delivered only where that is asked for', async () => {
        const { ids, ...admission } = await accept({}, [OPS, LOG]);
        const [held, told = 0] = ids;
        await recorded.claim();
        await recorded.settle(admission, [unrouted(held), deliveredUpdate(told)]);
        expect(await actions.redeliver(held, ACTOR, false)).to.equal('accepted');
        expect(await actions.redeliver(told, ACTOR, false)).to.equal('delivered');
        expect(await dueIds()).to.deep.equal([held]);
        expect(await actions.redeliver(told, ACTOR, true)).to.equal('accepted');
        const [record] = await recorded.claim();
        expect(record).to.deep.include({ id: told, receipt: { ts: String(told) } });
      });

      it('makes due at once what was put off, and takes it out of nobody’s hands', async () => {
        const { ids, ...admission } = await accept({ job_id: 'a' }, [OPS]);
        await recorded.claim();
        expect(await actions.redeliver(ids[0], ACTOR, false)).to.equal('accepted');
        expect(await dueIds(), 'it is being attempted').to.deep.equal([]);
        await recorded.settle(admission, [update(ids[0], { dueInMs: MINUTE_MS })]);
        await store.passTime(MINUTE_MS / 2);
        expect(await dueIds()).to.deep.equal([]);
        await actions.redeliver(ids[0], ACTOR, false);
        expect(await dueIds()).to.deep.equal(ids);
      });

      it('counts where a process has only looked at it meanwhile, and would have put it off or given it up', async () => {
        const { ids, ...admission } = await accept({ job_id: 'a' }, [OPS]);
        const failed = update(ids[0], { attempts: 1, lastError: UNSURE });
        await recorded.claim();
        await recorded.settle(admission, [failed]);
        for (const asBefore of [{ ...failed, dueInMs: MINUTE_MS }, { ...failed, state: 'dead' } as const]) {
          expect(await dueIds()).to.deep.equal(ids);
          await actions.redeliver(ids[0], ACTOR, false);
          await recorded.settle(admission, [asBefore]);
        }
        expect(await dueIds()).to.deep.equal(ids);
      });

      it('is done each time that somebody asks by command, and once for a form, whenever it is sent again', async () => {
        const [id, other = 0] = await deadLetters(['a', 'b']);
        const callbackId = await callbackOf(id);
        const again = async (actor: Actor) => {
          await recorded.claim();
          await recorded.settle({ callbackId }, [deliveredUpdate(id)]);
          await actions.redeliver(id, actor, true);
          return dueIds();
        };
        const both = await Promise.all([1, 2].map(() => actions.redeliver(id, ACTOR, true)));
        expect(both).to.deep.equal(['accepted', 'accepted']);
        expect(await again(ACTOR), 'the form once more').to.deep.equal([]);
        expect((await historyOf(id)).filter(({ what }) => what === 'redelivered')).to.have.length(1);
        await actions.redeliver(other, ACTOR, false);
        expect(await dueIds(), 'one page, another message').to.deep.equal([other]);
        const byCommand = { ...ACTOR, via: 'command line' } as const;
        expect(await again(byCommand)).to.deep.equal([id]);
        expect(await again(byCommand)).to.deep.equal([id]);
        await store.passTime(1000);
        expect(await again(ACTOR), 'a second later').to.deep.equal([id]);
      });

      it('leaves alone what there is not, and a start whose end is known', async () => {
        expect(await actions.redeliver(4711, ACTOR, false)).to.equal('unknown');
        const [start] = await deadLetters(['b'], { status: EXECUTING });
        await accept({ job_id: 'b' }, [LOG]);
        expect(await actions.redeliver(start, ACTOR, true)).to.equal('superseded');
        const waiting = await accept({ job_id: 'c', status: EXECUTING }, [OPS]);
        await accept({ job_id: 'c' }, [LOG]);
        expect((await rowOf(waiting.ids[0]))['reason']).to.equal(SUPERSEDED);
        expect(await actions.redeliver(waiting.ids[0], ACTOR, true)).to.equal('superseded');
        expect(await routeAnew(waiting.callbackId, [LOG]), 'nor is it routed').to.equal('superseded');
      });

      it('keeps the order of its job', async () => {
        const [first] = await deadLetters(['a'], { message: 'one' });
        const second = await accept({ job_id: 'a', message: 'two' }, [OPS]);
        await actions.redeliver(first, ACTOR, false);
        expect(await dueIds()).to.deep.equal([first]);
        await recorded.settle({ callbackId: await callbackOf(first) }, [deliveredUpdate(first)]);
        expect(await dueIds()).to.deep.equal(second.ids);
      });

      it('stands in the story: what, when, from where and by whom', async () => {
        const [id] = await deadLetters(['a']);
        await store.passTime(MINUTE_MS);
        const user = `\u202Eevil\n${'x'.repeat(10_000)}`;
        await actions.redeliver(id, { ...ACTOR, user }, false);
        await recorded.claim();
        await recorded.settle({ callbackId: await callbackOf(id) }, [deadUpdate(id)]);
        await actions.dismiss(id, { ...ACTOR, user: undefined });
        const [again, , , dismissed] = (await historyOf(id)).slice(-4);
        expect(again).to.include({ what: 'redelivered', deliveryId: id });
        const { actor } = (again?.what === 'redelivered' && again.entry) || { actor: ACTOR };
        expect(actor.user).to.match(/^evil/).and.to.have.length.below(250);
        expect(dismissed).to.deep.include({
          what: 'dismissed',
          deliveryId: id,
          entry: { actor: { via: 'page', from: ACTOR.from } },
        });
        expect(Number((await rowOf(id))['updated_at'])).to.be.closeTo(dismissed?.at ?? 0, 60_000);
      });
    });

    describe('dismissing', () => {
      it('counts it neither as dead nor as held, is written once, and is for a person to undo', async () => {
        const [id] = await deadLetters(['a']);
        expect(await actions.dismiss(id, ACTOR)).to.equal('dismissed');
        expect(await actions.dismiss(id, ACTOR)).to.equal('dismissed');
        expect((await historyOf(id)).filter(({ what }) => what === 'dismissed')).to.have.length(1);
        expect(await recorded.archive.countOpen()).to.include({ dead: 0 });
        expect((await rowOf(id))['error_code'], 'why it failed stays to be read').to.equal('550');
        expect(await actions.redeliver(id, ACTOR, false)).to.equal('accepted');
      });

      it('is refused for what is neither dead nor without a route', async () => {
        const { ids, ...admission } = await accept({}, [OPS, LOG, MAIL]);
        const [pending, log = 0, muted = 0] = ids;
        await recorded.claim();
        const until = { heldUntil: store.clock.now() + 1000 };
        const held = (id: number, fields = {}) => update(id, { state: 'held', reason: 'mute', ...fields });
        await recorded.settle(admission, [unrouted(log), held(muted, until)]);
        expect(await actions.dismiss(log, ACTOR)).to.equal('dismissed');
        for (const id of [pending, muted]) expect(await actions.dismiss(id, ACTOR)).to.equal('not dead');
        expect(await actions.redeliver(muted, ACTOR, true), 'until its rule ends').to.equal('open');
        const other = await accept({ job_id: 'let-go' }, [OPS]);
        await recorded.claim();
        await recorded.settle(other, [held(other.ids[0])]);
        expect(await actions.redeliver(other.ids[0], ACTOR, true), 'for good').to.equal('let go');
        expect(await actions.dismiss(4711, ACTOR)).to.equal('unknown');
      });
    });

    describe('routing anew', () => {
      it('tells whom today’s config names: who was lacking, dead or no longer routed, and nobody again', async () => {
        const { ids, ...admission } = await accept({}, [OPS, LOG, HELD]);
        const [dead, told = 0, held = 0] = ids;
        await recorded.claim();
        await store.passTime(MINUTE_MS);
        await recorded.settle(admission, [deadUpdate(dead), deliveredUpdate(told), unrouted(held)]);
        expect(await routeAnew(admission.callbackId, [OPS, LOG, HELD, MAIL])).to.deep.equal({
          told: [OPS, HELD, MAIL].map(({ destination }) => destination),
          untouched: [LOG.destination],
        });
        const due = await recorded.claim();
        const hear = due.map(({ destination, ageMs }) => `${destination} ${ageMs}`).toSorted();
        expect(hear).to.deep.equal([MAIL, HELD, OPS].map(({ destination }) => `${destination} 0`));
        const [asked, routed] = (await historyOf(dead)).slice(-2);
        expect(asked).to.deep.include({ what: 'routed_anew' });
        expect(routed).to.deep.include({
          what: 'routed',
          entry: { by: 'hand', explanations: [{ route: 'as of today' }] },
        });
        expect(await routeAnew(4711, [OPS])).to.equal(undefined);
      });
    });

    describe('in bulk', () => {
      it('gives back what a filter matches, a hundred at a time, and shows how far that is', async () => {
        const ids = await deadLetters(Array.from({ length: 120 }, (_, job) => `job ${job}`));
        await deadLetters(['other'], {}, LOG);
        const { id } = await actions.startBulk({ destination: OPS.destination }, ACTOR);
        const { destinations } = await archive.tally({}, 'redelivered');
        expect(destinations.map(({ messages }) => messages)).to.deep.equal([120, 1]);
        const [first, ...rest] = await continueAll();
        expect(first).to.deep.equal({ isMore: true, given: 100, ended: undefined });
        expect(rest.map(({ given }) => given)).to.deep.equal([20, 0, 0]);
        expect(rest.at(-2)?.ended).to.deep.equal({ id, what: 'redelivered', given: 120 });
        expect(await recorded.claim()).to.have.length(120);
        const [told, dead] = ids;
        await recorded.settle({ callbackId: await callbackOf(told) }, [deliveredUpdate(told)]);
        await recorded.settle({ callbackId: await callbackOf(dead ?? 0) }, [deadUpdate(dead ?? 0)]);
        const counts = { given: 120, delivered: 1, dead: 1, pending: 118 };
        expect(await archive.bulk(id)).to.deep.include({ ...counts, state: 'delivering', actor: ACTOR });
        const other = await actions.startBulk({ destination: HELD.destination }, ACTOR);
        expect((await archive.bulks()).map((bulk) => bulk.id)).to.deep.equal([other.id, id]);
        const told2 = (await historyOf(told)).find(({ what }) => what === 'redelivered');
        expect(told2?.entry).to.deep.include({ bulkId: id });
      });

      it('takes what names a BOT, job, status, destination, cause or time, and nothing else', async () => {
        const lastError = { class: 'config', code: 'is_archived', message: 'no' } as const;
        const [one] = await deadLetters(['a'], { bot_id: 'invoice' });
        await store.passTime(MINUTE_MS);
        const other = await accept({ job_id: 'b', bot_id: 'report', status: 1 }, [LOG, MAIL, HELD]);
        await recorded.claim();
        const [log, mail = 0, letGo = 0] = other.ids;
        const byRule = update(letGo, { state: 'held', reason: 'mute' });
        await recorded.settle(other, [deadUpdate(log, lastError), unrouted(mail), byRule], 'gave_up');
        for (const [filter, count] of [
          [{}, 3],
          [{ botId: 'invoice' }, 1],
          [{ jobId: 'b' }, 2],
          [{ status: 1 }, 2],
          [{ state: 'held' }, 1],
          [{ state: 'dead' }, 2],
          [{ destination: OPS.destination }, 1],
          [{ result: 'gave_up' }, 2],
          [{ jobId: 'b', state: 'dead' }, 1],
          [{ destination: MAIL.destination, state: 'dead' }, 0],
          [{ errorClass: 'config' }, 1],
          [{ errorClass: '' }, 1],
          [{ errorCode: '550' }, 1],
          [{ to: store.clock.now() - 1 }, 1],
          [{ from: store.clock.now() }, 2],
        ] as const) {
          expect((await archive.tally(filter, 'redelivered')).messages, JSON.stringify(filter)).to.equal(
            count,
          );
        }
        expect(await archive.tally({}, 'redelivered')).to.deep.equal({
          messages: 3,
          destinations: [MAIL, LOG, OPS].map(({ destination }) => ({ destination, messages: 1 })),
          oldestAt: store.clock.now() - MINUTE_MS,
          newestAt: store.clock.now(),
          asOf: store.clock.now(),
        });
        await actions.startBulk({ errorClass: 'permanent' }, ACTOR);
        await continueAll();
        expect(await dueIds()).to.deep.equal([one]);
      });

      it('ends with what was there when it began, tells nobody of a start whose end is known, and is done when nothing of it waits', async () => {
        const [late] = await deadLetters(['late'], { status: EXECUTING });
        await accept({ job_id: 'late' }, []);
        const first = await deadLate('a');
        const { id } = await actions.startBulk({ state: 'dead' }, ACTOR);
        await deadLetters(['b']);
        await actions.continueBulk();
        const due = await recorded.claim();
        expect(due.map((each) => [each.id, each.ageMs < MINUTE_MS])).to.deep.equal([[first, true]]);
        expect((await rowOf(late))['state']).to.equal('dead');
        await recorded.settle({ callbackId: await callbackOf(first) }, [deadUpdate(first)]);
        await continueAll();
        const once = { given: 1, dead: 1, pending: 0 };
        expect(await archive.bulk(id), 'each once').to.include({ state: 'done', ...once });
      });

      it('leaves out what has died since it was shown', async () => {
        await deadLetters(['shown']);
        const { asOf } = await archive.tally({}, 'dismissed');
        await store.clock.advance(1);
        await deadLetters(['since']);
        const { id } = await actions.startBulk({ state: 'dead', asOf }, ACTOR, 'dismissed');
        await continueAll();
        expect(await archive.bulk(id)).to.include({ state: 'done', given: 1 });
      });

      it('can be stopped: what was given back stays given back, and what was not stays as it is', async () => {
        await deadLetters(Array.from({ length: 120 }, (_, job) => `job ${job}`));
        const { id } = await actions.startBulk({ state: 'dead' }, ACTOR);
        await actions.continueBulk();
        const stopped = await actions.stopBulk(id, { ...ACTOR, user: 'taro' });
        expect(stopped).to.deep.include({ state: 'stopped', given: 100, pending: 100 });
        expect(stopped?.stoppedBy?.user).to.equal('taro');
        expect(await continueAll()).to.deep.equal([{ isMore: false, given: 0, ended: undefined }]);
        expect(await recorded.claim()).to.have.length(100);
        expect(await recorded.archive.countOpen()).to.include({ dead: 20 });
        expect(await actions.stopBulk(4711, ACTOR)).to.equal(undefined);
      });

      it('gives back each once, whichever of two processes goes on with it', async () => {
        await deadLetters(Array.from({ length: 150 }, (_, job) => `job ${job}`));
        const { id } = await actions.startBulk({ state: 'dead' }, ACTOR);
        const other = new Recorded(store, 'second').actions;
        const steps = (await Promise.all([continueAll(), continueAll(other)])).flat();
        expect(steps.reduce((sum, { given }) => sum + given, 0)).to.be.at.most(150);
        await continueAll();
        expect(await archive.bulk(id)).to.include({ state: 'delivering', given: 150 });
      });

      it('dismisses as much as it says before, where that is asked for, also a start whose end is known', async () => {
        await deadLetters(['late'], { status: EXECUTING });
        await accept({ job_id: 'late' }, []);
        await deadLetters(['b']);
        expect(await archive.tally({ state: 'dead' }, 'redelivered')).to.include({ messages: 1 });
        expect(await archive.tally({ state: 'dead' }, 'dismissed')).to.include({ messages: 2 });
        const { id: none } = await actions.startBulk({ state: 'held' }, ACTOR);
        const { id } = await actions.startBulk({ state: 'dead' }, ACTOR, 'dismissed');
        await continueAll();
        expect(
          (await archive.bulks()).map((bulk) => bulk.id),
          'the newest first',
        ).to.deep.equal([id, none]);
        const done = { what: 'dismissed', state: 'done', given: 2, stoppedBy: undefined };
        expect(await actions.stopBulk(id, ACTOR), 'it is over').to.include(done);
        expect(await recorded.archive.countOpen()).to.include({ dead: 0, pending: 0 });
      });
    });
  });
}
