/** What people may ask of every ledger, whatever database holds it. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { CallbackFilter } from '../../src/ledger/archive/archive.ts';
import { DELIVERY_STATES, type DeliveryTarget } from '../../src/ledger/ledger.ts';
import { writeOwnNotice } from '../../src/ledger/callbacks/own-notices.ts';
import { anew } from '../support/anew.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { noticeIn } from '../../src/ledger/deliveries/rows.ts';
import { takeOver } from '../../src/ledger/deliveries/deliveries.ts';
import {
  markedKey,
  pausePace,
  recordDestinations,
  widenFailing,
} from '../../src/ledger/deliveries/failing.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { CreateStore } from './ledger-bench.ts';
import { deadUpdate, deliveredUpdate, Recorded, target, update } from '../support/recorded.ts';
import { ROUTING } from '../support/store-under-test.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FAILED = 1;
const EXECUTING = 2;
const OPS = target('slack:#ops');
const LOG = target('slack:#log');

export function describeArchive(name: string, createStore: CreateStore): void {
  describe(`the archive of ${name}`, () => {
    const store = anew(() => createStore(new ManualClock(Date.parse('2026-03-01T20:00:00Z'))));
    const recorded = new Recorded(store);
    const { archive } = recorded;

    const arrive = (fields: Partial<Callback>, planned: readonly DeliveryTarget[] = []) =>
      recorded.arrive(fields, planned, { isAccepted: false });
    const idsIn = ({ deliveries }: { readonly deliveries: readonly { readonly id: number }[] }) =>
      deliveries.map(({ id }) => id) as [number, ...number[]];
    const found = async (filter: CallbackFilter) =>
      (await archive.callbacks(filter)).items.map(({ id }) => id);

    describe('of what Botbell says by itself', () => {
      const say = async (kind: string, botId?: string) =>
        (await store.call(writeOwnNotice, [{ kind, botId, botName: botId, subject: '{}' }])).callbackId;

      it('finds it among the callbacks, by its BOT and its kind, and none where a status is asked for, and what it is about', async () => {
        const { callbackId } = await arrive({ bot_id: 'invoice', status: FAILED });
        const missed = await say('missed', 'invoice');
        const digest = await say('digest');
        const alert = await say('alert', 'invoice');
        const ofBot = [alert, missed, callbackId];
        for (const [filter, ids] of [
          [{}, [alert, digest, missed, callbackId]],
          [{ botId: 'invoice' }, ofBot],
          [{ search: 'invoice' }, ofBot],
          [{ status: FAILED }, [callbackId]],
          [{ kind: 'alert' }, [alert]],
          [{ kind: 'callback', botId: 'invoice' }, [callbackId]],
        ] as const)
          expect(await found(filter), JSON.stringify(filter)).to.deep.equal(ids);
        const overdue = { kind: 'overdue', subject: '{}', about: callbackId };
        const { callbackId: about } = await store.call(writeOwnNotice, [overdue]);
        expect(await archive.story(about)).to.include({ kind: 'overdue', about: callbackId });
      });

      it('finds nothing by a filter that it does not find without one', async () => {
        const alert = { cause: 'dead_letter slack:#ops', subject: DEAD_LETTER, targets: [LOG] };
        const admission = await arrive({ bot_id: 'invoice' }, [OPS]);
        await recorded.settle(admission, [{ ...deadUpdate(idsIn(admission)[0]), alert }], 'gave_up');
        const all = await found({});
        expect(all).to.have.length(2);
        for (const state of DELIVERY_STATES)
          for (const more of [{}, { botId: 'invoice' }, { destination: LOG.destination }])
            expect(all, JSON.stringify([state, more])).to.include.members(await found({ state, ...more }));
      });
    });

    describe('of each BOT', () => {
      const run = async (job: string, fields: Partial<Callback>) => {
        await store.passTime(MINUTE_MS);
        return (await arrive({ job_id: job, bot_id: 'invoice', ...fields })).callbackId;
      };
      const invoice = { botId: 'invoice' };

      it('says when it last came to an end', async () => {
        await arrive({ job_id: 'other', bot_id: 'report', status: FAILED });
        await run('a', { status: FAILED });
        await run('b', {});
        const last = await run('c', { status: EXECUTING });
        const now = store.clock.now();
        const [first, second] = await archive.bots(undefined, 10);
        expect(first).to.deep.equal({
          botId: 'invoice',
          botName: callbackWith().bot_name,
          lastCallbackId: last,
          lastReceivedAt: now,
          lastSucceededAt: now - MINUTE_MS,
          lastFailedAt: now - 2 * MINUTE_MS,
          lastResultAt: now - MINUTE_MS,
        });
        expect(second).to.include({ botId: 'report', lastSucceededAt: undefined });
        await store.passTime(DAY_MS);
        await run('d', { status: EXECUTING });
        const [later] = await archive.bots(undefined, 10);
        expect(later, 'a day later').to.include({ lastResultAt: now - MINUTE_MS });
      });

      it('gives its last runs, each by its result', async () => {
        await run('a', {});
        await run('b', { status: EXECUTING });
        const failure = await run('b', { status: FAILED, elapsed_time: 7 });
        const running = await run('c', { status: EXECUTING, elapsed_time: null });
        await arrive({ job_id: 'd', bot_id: 'report' });
        const runs = (await archive.lastRuns([invoice, { botId: 'nobody' }], 2)).get('invoice');
        const shown = runs?.map(({ jobId, callbackId, status }) => `${jobId} ${callbackId} ${status}`);
        expect(shown).to.deep.equal([`c ${running} ${EXECUTING}`, `b ${failure} ${FAILED}`]);
        expect(runs?.map(({ elapsedSeconds }) => elapsedSeconds)).to.deep.equal([undefined, 7]);
      });

      it('gives as its last run the one that started last, whatever comes later', async () => {
        const ran = async (job_id: string, minutesAgo: number) => {
          await store.passTime(MINUTE_MS);
          const startedAt = store.clock.now() - minutesAgo * MINUTE_MS;
          await recorded.arrive({ job_id, bot_id: 'invoice' }, [], { startedAt });
        };
        await ran('success', 5);
        await ran('late error', 20);
        await ran('ahead', -60);
        await ran('now', 0);
        const runs = (await archive.lastRuns([invoice], 5)).get('invoice');
        expect(runs?.map(({ jobId }) => jobId)).to.deep.equal(['now', 'ahead', 'success', 'late error']);
      });

      it('is known by its id, however long that is, and by its last name', async () => {
        const long = '請求書'.repeat(3000);
        await arrive({ job_id: '1', bot_id: long, bot_name: 'old' });
        await store.passTime(MINUTE_MS);
        const last = await arrive({ job_id: '3', bot_id: long, bot_name: 'new', status: EXECUTING });
        await arrive({ job_id: '4', bot_id: 'a' });
        const [a, bot] = await archive.bots(undefined, 10);
        expect(a).to.include({ botId: 'a', lastFailedAt: undefined });
        const { botId = '' } = bot ?? {};
        expect(botId).to.have.length.below(300);
        expect(bot).to.include({ botName: 'new', lastCallbackId: last.callbackId });
        expect(await archive.bots(undefined, 1)).to.deep.equal([a]);
        expect(await archive.bots('a', 10)).to.deep.equal([bot]);
        expect(await archive.bots(undefined, 10, 'NEW')).to.deep.equal([bot]);
        expect(await archive.bots(botId, 10, 'new')).to.deep.equal([]);
        await arrive({ job_id: '5', bot_id: '' });
        expect((await archive.bots(undefined, 10)).map((each) => each.botId)).to.deep.equal(['', 'a', botId]);
        expect(await archive.bot(botId)).to.deep.equal(bot);
        expect(await archive.bot(long)).to.deep.equal(bot);
        expect(await archive.bot('c')).to.equal(undefined);
        expect((await archive.lastRuns([{ botId }], 5)).get(botId)).to.have.length(2);
        expect((await archive.callbacks({ botId: long })).items).to.have.length(2);
      });

      it('says how many of each status came since a moment', async () => {
        await run('a', {});
        await run('b', { status: FAILED });
        await run('b', { status: FAILED, code: 501 });
        const came = [{ botId: 'invoice', status: FAILED, callbacks: 2 }];
        const since = await archive.cameSince(store.clock.now() - MINUTE_MS);
        expect(since).to.deep.equal({ came, isComplete: true });
      });
    });

    it('lists callbacks by BOT, job, status, state, destination, answer and time, newest first', async () => {
      const told = await arrive({ job_id: 'a', bot_id: 'invoice' }, [OPS]);
      await recorded.settle(told, idsIn(told).map(deliveredUpdate), 'delivered');
      const started = await arrive({ job_id: 'b', bot_id: 'invoice', status: EXECUTING }, [LOG]);
      await store.passTime(MINUTE_MS);
      const dead = await arrive({ job_id: 'c', bot_id: 'report', status: FAILED }, [OPS, LOG]);
      const [first, second = 0] = idsIn(dead);
      await recorded.settle(dead, [deadUpdate(first), deliveredUpdate(second)], 'gave_up');
      const [a, b, c] = [told, started, dead].map(({ callbackId }) => callbackId);
      for (const { filter, ids } of [
        { filter: {}, ids: [c, b, a] },
        { filter: { botId: 'invoice' }, ids: [b, a] },
        { filter: { jobId: 'c' }, ids: [c] },
        { filter: { status: EXECUTING }, ids: [b] },
        { filter: { state: 'pending' }, ids: [b] },
        { filter: { state: 'pending', destination: LOG.destination }, ids: [b] },
        { filter: { state: 'dead' }, ids: [c] },
        { filter: { state: 'held' }, ids: [] },
        { filter: { state: 'delivered', destination: OPS.destination }, ids: [a] },
        { filter: { destination: LOG.destination }, ids: [c, b] },
        { filter: { botId: 'report', state: 'dead', destination: LOG.destination }, ids: [] },
        { filter: { errorClass: 'permanent' }, ids: [c] },
        { filter: { errorClass: 'permanent', destination: LOG.destination }, ids: [] },
        { filter: { errorCode: 'nothing so' }, ids: [] },
        { filter: { errorClass: '' }, ids: [c, b, a] },
        { filter: { result: 'delivered' }, ids: [a] },
        { filter: { result: 'gave_up' }, ids: [c] },
        { filter: { from: store.clock.now() }, ids: [c] },
        { filter: { to: store.clock.now() - 1 }, ids: [b, a] },
        { filter: { botId: 'nobody' }, ids: [] },
      ] as const) {
        expect(await found(filter), JSON.stringify(filter)).to.deep.equal(ids);
      }
      const [item] = (await archive.callbacks({ jobId: 'c' })).items;
      const came = { id: c, jobId: 'c', botId: 'report', botName: callbackWith().bot_name, status: 1 };
      const now = { receivedAt: store.clock.now(), timesReceived: 1, result: 'gave_up', elapsedSeconds: 12 };
      expect(item).to.deep.include({ ...came, ...now });
      const states = item?.deliveries.map(({ destination, state }) => `${destination} ${state}`);
      expect(states).to.deep.equal([`${OPS.destination} dead`, `${LOG.destination} delivered`]);
    });

    it('lists what came between two moments, also where the clock was set by half an hour meanwhile', async () => {
      const came: { id: number; at: number }[] = [];
      for (let number = 0; number < 9; number += 1) {
        const { callbackId: id } = await arrive({ job_id: `job ${number}` });
        came.push({ id, at: store.clock.now() });
        await store.passTime(number % 3 === 0 ? MINUTE_MS : DAY_MS);
        if (number % 3 === 0) store.clock.setBy(-30 * MINUTE_MS);
      }
      const moments = came.flatMap(({ at }) => [at, at + 1]);
      for (const from of moments)
        for (const to of moments) {
          const between = came.filter(({ at }) => at >= from && at <= to);
          const ids = between.map(({ id }) => id).toReversed();
          expect(await found({ from, to }), `${from} to ${to}`).to.deep.equal(ids);
        }
    });

    it('finds callbacks by one text: a job’s id, a BOT’s name, id or glob, or how a job’s id begins', async () => {
      const arrived = async (job_id: string, bot_id: string, bot_name: string) =>
        (await arrive({ job_id, bot_id, bot_name })).callbackId;
      const invoice = await arrived('job-17', 'invoice-import', '請求書取込ＢＯＴ');
      const outgoing = await arrived('job-18', 'invoice_export', 'Export 100%');
      const other = await arrived('Job 9', 'report', 'Report');
      for (const [search, ids] of [
        ['job-17', [invoice]],
        [' job-17 ', [invoice]],
        ['job-1', [outgoing, invoice]],
        ['invoice', [outgoing, invoice]],
        ['invoice-*', [invoice]],
        ['*PORT', [other, outgoing, invoice]],
        ['invoice_', [outgoing]],
        ['100%', [outgoing]],
        ['１００％', [outgoing]],
        ['００％', [outgoing]],
        ['取込bot', [invoice]],
        ['取込ｂｏｔ', [invoice]],
        ['nothing', []],
      ] as const)
        expect(await found({ search }), search).to.deep.equal(ids);
      expect(await found({ search: 'invoice', botId: 'report' })).to.deep.equal([]);
    });

    it('finds callbacks by a text that is in more BOTs than a statement takes values', async () => {
      const { callbackId } = await arrive({ job_id: 'first', bot_id: 'robot', bot_name: 'Robot' });
      await store.run(`INSERT INTO callbacks (id, kind, job_id, bot_key, bot_id, bot_name, status, started_at, received_at, routing, bytes, body)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        SELECT id + i, kind, 'job', 'robot ' || i, 'robot', 'Robot', status, started_at, received_at, routing, bytes, body
        FROM callbacks, n WHERE id = ${callbackId}`);
      const { items, next } = await archive.callbacks({ search: 'robot' }, { limit: 2 });
      expect([...items.map(({ id }) => id - callbackId), next]).to.deep.equal([20_000, 19_999, items[1]?.id]);
    });

    it('lists page by page', async () => {
      const ids: number[] = [];
      for (let number = 0; number < 7; number += 1) {
        const bot_id = number % 2 === 0 ? 'even' : 'odd';
        ids.push((await arrive({ job_id: `job ${number}`, bot_id })).callbackId);
      }
      const first = await archive.callbacks({ botId: 'even' }, { limit: 3 });
      const rest = await archive.callbacks({ botId: 'even' }, { before: first.next, limit: 3 });
      const shown = [first, rest].map(({ items }) => items.map(({ id }) => id));
      expect(shown).to.deep.equal([[ids[6], ids[4], ids[2]], [ids[0]]]);
      expect(rest.next).to.equal(undefined);
      const nextOf = async (limit: number) => (await archive.callbacks({}, { limit })).next;
      expect([await nextOf(6), await nextOf(7)], 'of 7').to.deep.equal([ids[1], undefined]);
    });

    it('tells the story of a callback row by row, and of the alerts about it', async () => {
      const admission = await arrive({ bot_id: '請求' }, [OPS]);
      const [id] = idsIn(admission);
      const { lastError } = deadUpdate(id);
      await recorded.settle(admission, [update(id, { lastError, isTakenOver: false })], 'failed');
      await store.passTime(30_000);
      const again = await arrive({ bot_id: '請求' }, [OPS]);
      const alert = { cause: 'dead_letter slack:#ops', subject: DEAD_LETTER, targets: [LOG] };
      await recorded.settle(again, [{ ...deadUpdate(id), attempts: 2, alert }], 'gave_up');
      const story = await archive.story(admission.callbackId);
      expect(story).to.deep.include({ kind: 'callback', timesReceived: 2, result: 'gave_up' });
      expect(story?.routing).to.deep.equal(JSON.parse(ROUTING));
      const rows = story?.history.filter(({ what }) => what !== 'alerted') ?? [];
      expect(rows.map(({ what, result }) => `${what} ${result}`).join(', ')).to.equal(
        'attempt permanent, answered failed, received undefined, attempt permanent, dead permanent, answered gave_up',
      );
      const none = undefined;
      expect(rows.map(({ deliveryId }) => deliveryId)).to.deep.equal([id, none, none, id, id, none]);
      const alerted = story?.history.find(({ what }) => what === 'alerted');
      expect(alerted?.entry).to.have.property('who').that.deep.equals([LOG.destination]);
      expect(await found({ kind: 'callback' })).to.deep.equal([admission.callbackId]);
      expect(await archive.story(999_999)).to.equal(undefined);
    });

    it('says of what Botbell is to send that it waits for a pause, whoever was asked for it, and whatever is paused', async () => {
      const planned = [OPS, target('email:a@example.com')];
      const { callbackId, deliveries } = await arrive({ job_id: 'paused' }, planned);
      await store.call(takeOver, [deliveries]);
      await store.call(pausePace, [OPS.destination, 600_000]);
      for (const mark of ['aa', 'bb']) await store.call(pausePace, [markedKey('email', mark), 300_000]);
      const story = await archive.story(callbackId);
      const [listed] = (await archive.callbacks({})).items;
      for (const each of [story, listed])
        expect(each?.deliveries.map(({ dueInMs }) => dueInMs)).to.deep.equal([600_000, 300_000]);
      expect(await archive.countOpen()).to.include({ pending: 2, paused: 2 });
      const waits = await archive.destinations([OPS.destination, 'email:a@example.com', LOG.destination]);
      expect(waits.map(({ pausedMs }) => pausedMs)).to.deep.equal([600_000, 300_000, undefined]);
      expect(waits.map(({ waiting }) => waiting)).to.deep.equal([1, 1, 0]);
      await store.passTime(300_000);
      expect(await archive.countOpen()).to.include({ paused: 1 });
    });

    it('gives back what was told, as it came', async () => {
      const { callbackId, ...admission } = await arrive({ message: '請求'.repeat(40_000) }, [OPS]);
      const found = await archive.delivery(idsIn(admission)[0]);
      expect(found && callbackOf(noticeIn(found.told)).message).to.have.length(80_000);
      const body = await archive.body(callbackId);
      expect(JSON.parse(Buffer.from(body ?? []).toString())).to.include({ job_id: 'job-1' });
      expect(await archive.body(4711)).to.equal(undefined);
    });

    it('says when each delivery is due, and what it waits for', async () => {
      const told = await arrive({ job_id: 'a' }, [OPS, LOG]);
      const [first, second = 0] = idsIn(told);
      const later = update(second, { lastError: deadUpdate(0).lastError, dueInMs: 90_000 });
      await recorded.settle(told, [deliveredUpdate(first), later], 'taken_over');
      const waiting = await arrive({ job_id: 'a', status: FAILED }, [LOG]);
      await store.passTime(30_000);
      const shown = async (id: number) => (await archive.story(id))?.deliveries ?? [];
      const [ops, log] = await shown(told.callbackId);
      expect(ops?.destination).to.equal(OPS.destination);
      expect(log?.dueInMs).to.be.within(31_000, 60_000);
      const [blocked] = await shown(waiting.callbackId);
      expect(blocked).to.include({ state: 'pending', behind: second });
      const last = await arrive({ job_id: 'a', status: FAILED, message: 'again' }, [LOG]);
      expect(last.deliveries.map(({ behind }) => behind)).to.deep.equal(idsIn(waiting));
      const claims = [ops, log, blocked].map((each) => each?.claim);
      expect(claims, 'in whose hands').to.deep.equal([undefined, undefined, 'another']);
      const now = store.clock.monotonic();
      await store.call(widenFailing, [LOG.destination, { first: now - 3 * MINUTE_MS, last: now - 4000 }]);
      const [, down] = await shown(told.callbackId);
      expect(down?.probeInMs).to.be.within(10_000, 18_000);
    });

    it('groups dead letters by destination and cause', async () => {
      for (const [number, code] of ['is_archived', 'is_archived', 'too_long'].entries()) {
        const admission = await arrive({ job_id: String(number) }, [OPS]);
        const lastError = { class: 'permanent', code, message: `it said ${number}` } as const;
        await recorded.settle(admission, [deadUpdate(idsIn(admission)[0], lastError)], 'gave_up');
      }
      const groups = await archive.deadLetters();
      expect(groups.map((each) => [each.errorCode, each.count, each.lastError?.message])).to.deep.equal([
        ['is_archived', 2, 'it said 1'],
        ['too_long', 1, 'it said 2'],
      ]);
      expect(groups[0]).to.include({ destination: OPS.destination, errorClass: 'permanent' });
      const now = store.clock.now();
      expect(groups[0]).to.include({ oldestAt: now, newestAt: now });
    });

    it('shows what was refused, newest first, as many as are asked for', async () => {
      for (const body of [...Array<string>(60).fill('before'), 'first', 'second', 'third']) {
        const why = { detail: 'no callback', errors: [{ pointer: '/status', detail: 'missing' }] };
        await recorded.refuse({ ...why, status: 422, from: '::1', body });
      }
      const page = await archive.refusals({ limit: 2 });
      expect(page.items.map(({ body }) => body)).to.deep.equal(['third', 'second']);
      expect(page.items[0]).to.deep.include({ status: 422, from: '::1', detail: 'no callback' });
      const all = await archive.refusals({ limit: 63 });
      expect([all.items.length, all.next]).to.deep.equal([63, undefined]);
      const rest = await archive.refusals({ before: page.next });
      expect([rest.items[0]?.body, rest.items.length]).to.deep.equal(['first', 50]);
    });

    it('tells how each destination does', async () => {
      const lastError = { class: 'config', code: 'invalid_auth', message: 'No.' } as const;
      const { destination } = OPS;
      const now = store.clock.monotonic();
      await store.call(recordDestinations, [[{ destination, lastFailedAt: now - 3, lastError }]]);
      const seen = [{ destination, lastDeliveredAt: now - 1 }, { destination: 'other' }];
      await store.call(recordDestinations, [seen]);
      const [ops, log] = await archive.destinations([OPS.destination, LOG.destination]);
      expect(ops).to.deep.include({ destination: OPS.destination, lastError, downSince: undefined });
      expect(ops?.lastDeliveredAt).to.be.above(ops?.lastFailedAt ?? Infinity);
      expect(log).to.deep.include({ destination: LOG.destination, lastDeliveredAt: undefined });
      const fails = (at: number) => store.call(widenFailing, [LOG.destination, { first: at, last: at }]);
      await fails(now);
      const since = (await store.rows('destinations', 'destination'))
        .map((row) => row['failing_since'])
        .find(Boolean);
      await store.passTime(2 * MINUTE_MS);
      await fails(store.clock.monotonic());
      const [down] = await archive.destinations([LOG.destination]);
      expect(down?.downSince).to.equal(Number(since));
    });

    it('tells by which config a delivery was sent', async () => {
      await recorded.loadConfig('before');
      const first = await arrive({ job_id: 'a' }, [OPS]);
      await recorded.settle(first, idsIn(first).map(deliveredUpdate), 'delivered');
      await store.passTime(MINUTE_MS);
      await recorded.loadConfig('after');
      const second = await arrive({ job_id: 'b' }, [OPS]);
      await recorded.settle(second, idsIn(second).map(deliveredUpdate), 'delivered');
      const [old, now] = await Promise.all([first, second].map((each) => archive.delivery(idsIn(each)[0])));
      expect(old).to.include({ configHash: 'before' });
      expect(old?.delivery).to.include({ callbackId: first.callbackId, state: 'delivered' });
      expect(now).to.include({ configHash: 'after' });
      expect(await archive.delivery(4711)).to.equal(undefined);
    });
  });
}
