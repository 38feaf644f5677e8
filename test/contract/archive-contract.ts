/** What people may ask of every ledger, whatever database holds it. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { CallbackFilter } from '../../src/ledger/archive/archive.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import type { Admission, CallbackResult, DeliveryTarget, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  arrivalOf,
  delivered,
  EXECUTING,
  failed,
  LEASE_MS,
  type StoreUnderTest,
  TAKE_OVER_AFTER_MS,
  target,
} from './ledger-contract.ts';

const DAY_MS = 86_400_000;
const OPS = target('slack:#ops');
const LOG = target('slack:#log');

export function describeArchive(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`the archive of ${name}`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: OpenLedger;

    beforeEach(async () => {
      clock = new ManualClock(Date.parse('2026-03-01T20:00:00Z'));
      store = await createStore(clock);
      ledger = await open();
    });

    afterEach(() => store.close());

    const open = () =>
      store.open({
        clock,
        owner: 'first',
        leaseMs: LEASE_MS,
        takeOverAfterMs: TAKE_OVER_AFTER_MS,
        timezone: 'Asia/Tokyo',
      });

    const arrive = (fields: Partial<Callback>, planned: readonly DeliveryTarget[] = []) =>
      ledger.admit(arrivalOf(callbackWith(fields), planned, clock.now()));

    const settle = (
      { callbackId }: Admission,
      deliveries: readonly DeliveryUpdate[],
      result: CallbackResult = 'delivered',
    ) => {
      const now = clock.now();
      const answer = { receivedAt: now - 5, answeredAt: now, status: 200, result };
      const attempts = deliveries.map(({ id, state, lastError: error }) => ({
        deliveryId: id,
        startedAt: now - 4,
        durationMs: 3,
        outcome: state === 'delivered' ? ('delivered' as const) : ('transient' as const),
        error,
      }));
      const history = { callbackId, attempts, answer };
      return ledger.settle({ deliveries, history, isDurable: false });
    };

    const found = async (filter: CallbackFilter) =>
      (await ledger.archive.callbacks(filter)).items.map(({ id }) => id);

    describe('of each BOT', () => {
      const FAILED = 1;
      const MINUTE_MS = 60_000;

      const run = async (job: string, fields: Partial<Callback>) => {
        await clock.advance(MINUTE_MS);
        return (await arrive({ job_id: job, bot_id: 'invoice', ...fields })).callbackId;
      };

      const invoice = { botId: 'invoice', lastCallbackId: 0 };

      it('says when it last came to an end, and whether it fails', async () => {
        await arrive({ job_id: 'other', bot_id: 'report', status: FAILED });
        await run('a', { status: FAILED });
        await run('b', {});
        const last = await run('c', { status: EXECUTING });
        const [first, second] = (await ledger.archive.everyBot()).bots;
        expect(first).to.deep.equal({
          botId: 'invoice',
          botName: callbackWith().bot_name,
          lastCallbackId: last,
          lastReceivedAt: clock.now(),
          lastResultAt: clock.now() - MINUTE_MS,
          isFailing: false,
        });
        expect(second).to.include({ botId: 'report', isFailing: true });
        await run('c', { status: FAILED });
        expect((await ledger.archive.everyBot()).bots[0]).to.include({ isFailing: true });
      });

      it('knows how it fails although nothing came to an end today', async () => {
        await run('a', { status: FAILED });
        await clock.advance(DAY_MS);
        await run('b', { status: EXECUTING });
        const [bot] = (await ledger.archive.everyBot()).bots;
        expect(bot).to.include({ isFailing: true, lastResultAt: clock.now() - DAY_MS - MINUTE_MS });
      });

      it('lists more of them than are read at once', async () => {
        for (let bot = 0; bot < 201; bot += 1) await arrive({ job_id: `job ${bot}`, bot_id: `bot ${bot}` });
        const { bots, isComplete } = await ledger.archive.everyBot();
        expect([new Set(bots.map(({ botId }) => botId)).size, isComplete]).to.deep.equal([201, true]);
      });

      it('gives its last runs, each by its result', async () => {
        await run('a', {});
        await run('b', { status: EXECUTING });
        const failure = await run('b', { status: FAILED, elapsed_time: 7 });
        const running = await run('c', { status: EXECUTING, elapsed_time: null });
        await arrive({ job_id: 'd', bot_id: 'report' });
        const runs = (await ledger.archive.lastRuns([invoice], 2)).get('invoice');
        expect(runs?.map(({ jobId, callbackId, status }) => [jobId, callbackId, status])).to.deep.equal([
          ['c', running, EXECUTING],
          ['b', failure, FAILED],
        ]);
        expect(runs?.map(({ elapsedSeconds }) => elapsedSeconds)).to.deep.equal([undefined, 7]);
      });

      it('gives its runs since a moment, and what those said that failed', async () => {
        await run('a', { status: FAILED, message: 'too old' });
        await run('b', { status: FAILED, message: '在庫がありません' });
        await run('c', {});
        await run('d', { status: FAILED, message: 'x'.repeat(20_000) });
        const { runs, isComplete } = await ledger.archive.runsSince(invoice, clock.now() - 2 * MINUTE_MS);
        expect([runs.map(({ jobId }) => jobId), isComplete]).to.deep.equal([['d', 'c', 'b'], true]);
        const failures = await ledger.archive.failedRuns(runs);
        expect(failures.map(({ message }) => message)).to.deep.equal([undefined, '在庫がありません']);
      });

      it('finds its runs by however long a name', async () => {
        const long = '長'.repeat(500);
        await run('a', { bot_id: long });
        const [bot] = (await ledger.archive.everyBot()).bots;
        expect(bot?.botId).to.have.length.below(300);
        const runs = await ledger.archive.lastRuns(bot === undefined ? [] : [bot], 5);
        expect(runs.get(bot?.botId ?? '')).to.have.length(1);
        const since = '2026-03-01';
        expect((await ledger.archive.bot(bot?.botId ?? '', since))?.counts.succeeded).to.equal(1);
        expect((await ledger.archive.bot(long, since))?.counts.succeeded).to.equal(1);
      });

      it('counts what came of it since a day', async () => {
        await run('a', { status: FAILED });
        await clock.advance(DAY_MS);
        await run('b', { elapsed_time: 5 });
        const counts = await ledger.archive.countsOf(['invoice', 'nobody'], '2026-03-03');
        expect([...counts]).to.deep.equal([
          ['invoice', { succeeded: 1, failed: 0, started: 0, retries: 0, elapsedSeconds: 5 }],
        ]);
      });
    });

    it('counts what is undelivered and what was refused', async () => {
      const { claimed } = await arrive({ job_id: 'a' }, [OPS, LOG]);
      await ledger.settle({
        deliveries: [{ ...failed(claimed[0] ?? 0), state: 'dead' }],
        history: undefined,
        isDurable: false,
      });
      const few = (count: number) => ({ count, isMore: false });
      expect(await ledger.archive.openWork()).to.deep.equal({
        pending: few(1),
        dead: few(1),
        refused: few(0),
      });
    });

    it('lists callbacks by BOT, job, status, state, destination, answer and time, newest first', async () => {
      const told = await arrive({ job_id: 'a', bot_id: 'invoice' }, [OPS]);
      await settle(told, told.claimed.map(delivered));
      const started = await arrive({ job_id: 'b', bot_id: 'invoice', status: EXECUTING }, [LOG]);
      await clock.advance(60_000);
      const dead = await arrive({ job_id: 'c', bot_id: 'report', status: 1 }, [OPS, LOG]);
      const [first = 0, second = 0] = dead.claimed;
      await settle(dead, [{ ...failed(first), state: 'dead' }, delivered(second)], 'gave_up');
      const [a, b, c] = [told, started, dead].map(({ callbackId }) => callbackId);
      for (const { filter, ids } of [
        { filter: {}, ids: [c, b, a] },
        { filter: { botId: 'invoice' }, ids: [b, a] },
        { filter: { jobId: 'c' }, ids: [c] },
        { filter: { status: EXECUTING }, ids: [b] },
        { filter: { state: 'pending' }, ids: [b] },
        { filter: { state: 'dead' }, ids: [c] },
        { filter: { state: 'held' }, ids: [] },
        { filter: { state: 'delivered', destination: OPS.destination }, ids: [a] },
        { filter: { destination: LOG.destination }, ids: [c, b] },
        { filter: { botId: 'report', state: 'dead', destination: LOG.destination }, ids: [] },
        { filter: { result: 'delivered' }, ids: [a] },
        { filter: { from: clock.now() }, ids: [c] },
        { filter: { to: clock.now() - 1 }, ids: [b, a] },
        { filter: { botId: 'nobody' }, ids: [] },
      ] as const) {
        expect(await found(filter), JSON.stringify(filter)).to.deep.equal(ids);
      }
      const [item] = (await ledger.archive.callbacks({ jobId: 'c' })).items;
      expect(item).to.deep.include({
        id: c,
        jobId: 'c',
        botId: 'report',
        botName: callbackWith({}).bot_name,
        status: 1,
        receivedAt: clock.now(),
        lastReceivedAt: clock.now(),
        timesReceived: 1,
        result: 'gave_up',
        elapsedSeconds: callbackWith({}).elapsed_time ?? undefined,
      });
      expect(item?.deliveries.map(({ destination, state }) => [destination, state])).to.deep.equal([
        [OPS.destination, 'dead'],
        [LOG.destination, 'delivered'],
      ]);
    });

    it('lists page by page, however many callbacks it looks through', async () => {
      const ids: number[] = [];
      for (let number = 0; number < 7; number += 1) {
        const bot_id = number % 2 === 0 ? 'even' : 'odd';
        ids.push((await arrive({ job_id: `job ${number}`, bot_id })).callbackId);
      }
      const pages: (readonly number[])[] = [];
      let before: number | undefined;
      do {
        const page = await ledger.archive.callbacks({ botId: 'even' }, { before, limit: 3 });
        pages.push(page.items.map(({ id }) => id));
        before = page.next;
      } while (before !== undefined);
      expect(pages.flat()).to.deep.equal([ids[6], ids[4], ids[2], ids[0]]);
      expect(pages[0]).to.have.length(3);
    });

    it('tells the story of a callback: routes, deliveries, attempts, answers, and the alerts about it', async () => {
      const admission = await arrive({ bot_id: '請求' }, [OPS]);
      const [id = 0] = admission.claimed;
      await settle(admission, [failed(id)], 'failed');
      await clock.advance(30_000);
      const again = await arrive({ bot_id: '請求' }, [OPS]);
      const alert = {
        cause: 'dead_letter slack:#ops',
        subject: DEAD_LETTER,
        targets: [LOG],
        language: 'en',
      } as const;
      await settle(again, [{ ...failed(id), state: 'dead', alert }], 'gave_up');
      const story = await ledger.archive.story(admission.callbackId);
      expect(story).to.deep.include({ kind: 'callback', timesReceived: 2, result: 'gave_up' });
      expect(story?.routing).to.deep.equal([{ route: 'routes[0]', matched: true }]);
      expect(story?.history.map(({ answer }) => answer?.result)).to.deep.equal(['failed', 'gave_up']);
      expect(story?.history.map(({ attempts }) => attempts[0]?.error?.code)).to.deep.equal([
        failed(id).lastError?.code,
        failed(id).lastError?.code,
      ]);
      const alerts = await Promise.all((story?.alerts ?? []).map((each) => ledger.archive.story(each)));
      expect(alerts.map((each) => [each?.kind, each?.deliveries[0]?.destination])).to.deep.equal([
        ['alert', LOG.destination],
      ]);
      expect(await found({}), 'an alert is no callback').to.deep.equal([admission.callbackId]);
      const body = await ledger.archive.body(admission.callbackId);
      expect(JSON.parse(Buffer.from(body ?? []).toString())).to.include({ bot_id: '請求' });
      expect(await ledger.archive.story(999_999)).to.equal(undefined);
      expect(await ledger.archive.body(999_999)).to.equal(undefined);
    });

    it('reads of a long history the newest part, and holds nobody up with it', async () => {
      const { callbackId, claimed } = await arrive({}, [OPS]);
      const [id = 0] = claimed;
      const error = { class: 'transient', code: 'x', message: 'm'.repeat(1000) } as const;
      const write = (index: number, count: number) => {
        const attempt = {
          deliveryId: id,
          startedAt: index,
          durationMs: 1,
          outcome: 'transient',
          error,
        } as const;
        const history = {
          callbackId,
          attempts: Array.from({ length: count }, () => attempt),
          answer: undefined,
        };
        return ledger.settle({ deliveries: [], history, isDurable: false });
      };
      // Written together, in this order.
      await Promise.all(Array.from({ length: 1100 }, (_, index) => write(index, 1)));
      const long = await ledger.archive.story(callbackId);
      const startsOf = (story: typeof long) =>
        (story?.history ?? []).map(({ attempts }) => attempts[0]?.startedAt);
      expect(startsOf(long)).to.deep.equal(Array.from({ length: 1000 }, (_, index) => index + 100));
      for (let index = 1100; index < 1160; index += 1) await write(index, 100);
      const large = startsOf(await ledger.archive.story(callbackId));
      expect(large.at(-1)).to.equal(1159);
      expect(large).to.have.length.below(50);
    });

    it('says when each delivery is due, what it waits for, and until when its remote is left alone', async () => {
      const told = await arrive({ job_id: 'a' }, [OPS, LOG]);
      const [first = 0, second = 0] = told.claimed;
      const update = { ...failed(second), isTakenOver: true, dueInMs: 90_000 };
      await settle(told, [delivered(first), update], 'taken_over');
      const waiting = await arrive({ job_id: 'a', status: 1 }, [LOG]);
      await ledger.paces.pause(LOG.destination, 40_000);
      await ledger.paces.pause(OPS.channel, 20_000);
      await ledger.paces.pause('email:a@example.com', 20_000);
      await store.passTime(30_000);
      const story = await ledger.archive.story(told.callbackId);
      const due = (story?.deliveries ?? []).map(({ destination, dueInMs }) => [destination, dueInMs]);
      expect(due[0]).to.deep.equal([OPS.destination, undefined]);
      expect(due[1]?.[1]).to.be.within(58_000, 60_000);
      const pauses = (story?.pauses ?? []).map(({ destination, nextInMs }) => [destination, nextInMs]);
      expect(pauses.map(([destination]) => destination)).to.deep.equal([LOG.destination]);
      expect(pauses[0]?.[1]).to.be.within(8000, 10_000);
      const blocked = await ledger.archive.story(waiting.callbackId);
      expect(blocked?.deliveries[0]).to.include({ state: 'pending', dueInMs: undefined });
    });

    it('has a row for each BOT, and sums for each of its days where the ledger is', async () => {
      await arrive({ job_id: '1', bot_id: 'a', bot_name: 'old', elapsed_time: 5 });
      await arrive({ job_id: '1', bot_id: 'a', bot_name: 'old', elapsed_time: 5 });
      const failedAt = clock.now();
      await arrive({ job_id: '2', bot_id: 'a', bot_name: 'old', status: 1, elapsed_time: 7 });
      // Five in the morning of the second in Tokyo: the day changes there at 15:00 UTC.
      await clock.advance(20 * 3_600_000);
      const last = await arrive({ job_id: '3', bot_id: 'a', bot_name: 'new', status: EXECUTING });
      await arrive({ job_id: '4', bot_id: 'b', elapsed_time: null });
      const [a, b] = await ledger.archive.bots('2026-03-02');
      expect(a).to.deep.equal({
        botId: 'a',
        botName: 'new',
        lastCallbackId: last.callbackId,
        lastReceivedAt: clock.now(),
        lastSucceededAt: failedAt,
        lastFailedAt: failedAt,
        counts: { succeeded: 1, failed: 1, started: 1, retries: 1, elapsedSeconds: 12 },
      });
      expect(b).to.include({ botId: 'b', lastFailedAt: undefined });
      expect(await ledger.archive.bots('2026-03-02', 'a')).to.deep.equal([b]);
      const later = await ledger.archive.bot('a', '2026-03-03');
      expect(later?.counts).to.include({ succeeded: 0, started: 1 });
      expect(await ledger.archive.bot('c', '2026-03-02')).to.equal(undefined);
      expect(await ledger.archive.days('2026-03-01')).to.deep.equal([
        { day: '2026-03-02', succeeded: 1, failed: 1, started: 0, retries: 1, elapsedSeconds: 12 },
        { day: '2026-03-03', succeeded: 1, failed: 0, started: 1, retries: 0, elapsedSeconds: 0 },
      ]);
      expect(await ledger.archive.days('2026-03-03', 'b')).to.have.length(1);
      expect(await ledger.archive.days('2026-03-01', 'nobody')).to.deep.equal([]);
    });

    it('keeps the days of callbacks that are forgotten, for more than a year', async () => {
      await arrive({ bot_id: 'a' });
      await ledger.prune({ sweep: 'done', before: clock.now() + DAY_MS });
      while (await ledger.tidy());
      expect(await ledger.archive.days('2026-01-01')).to.have.length(1);
      await clock.advance(401 * DAY_MS);
      while (await ledger.tidy());
      expect(await ledger.archive.days('2026-01-01')).to.deep.equal([]);
    });

    it('counts what a version before has kept, once, a few at a time', async () => {
      for (let number = 0; number < 120; number += 1) {
        await arrive({ job_id: String(number), bot_id: `bot ${number % 3}`, elapsed_time: number });
      }
      const counted = await ledger.archive.days('2026-01-01');
      const bots = await ledger.archive.bots('2026-01-01');
      await store.run('delete from bot_days; update callbacks set elapsed_time = null');
      await store.run("insert into sweeps (sweep, looked_at) select 'uncounted', max(id) from callbacks");
      let slices = 0;
      while (await ledger.tidy()) slices += 1;
      expect(slices).to.be.within(2, 10);
      expect(await ledger.archive.days('2026-01-01')).to.deep.equal(counted);
      expect(await ledger.archive.bots('2026-01-01')).to.deep.equal(bots);
      const { items } = await ledger.archive.callbacks({ jobId: '119' });
      expect(items[0]?.elapsedSeconds).to.equal(119);
    });

    it('takes ids of any length for BOTs, and knows them again', async () => {
      const long = '請求書'.repeat(3000);
      await arrive({ job_id: '1', bot_id: `${long}1`, elapsed_time: 1e300 });
      await arrive({ job_id: '2', bot_id: `${long}2`, elapsed_time: 3 });
      expect(await ledger.archive.bots('2026-01-01')).to.have.length(2);
      const bot = await ledger.archive.bot(`${long}2`, '2026-01-01');
      expect(bot?.counts).to.include({ succeeded: 1, elapsedSeconds: 3 });
    });

    it('groups dead letters by destination and cause', async () => {
      for (const [number, code] of ['is_archived', 'is_archived', 'too_long'].entries()) {
        const admission = await arrive({ job_id: String(number) }, [OPS]);
        const lastError = { class: 'permanent', code, message: '' } as const;
        const dead = admission.claimed.map((id) => ({ ...failed(id), state: 'dead' as const, lastError }));
        await settle(admission, dead, 'gave_up');
      }
      const { groups, isComplete } = await ledger.archive.deadLetters();
      expect(isComplete).to.equal(true);
      expect(groups.map(({ errorCode, count }) => [errorCode, count])).to.deep.equal([
        ['is_archived', 2],
        ['too_long', 1],
      ]);
      expect(groups[0]).to.include({ destination: OPS.destination, errorClass: 'permanent' });
      expect((groups[0]?.newestId ?? 0) - (groups[0]?.oldestId ?? 0)).to.equal(1);
      expect([groups[0]?.oldestAt, groups[0]?.newestAt]).to.deep.equal([clock.now(), clock.now()]);
    });

    it('shows what was refused, newest first', async () => {
      for (const body of ['first', 'second', 'third']) {
        const errors = [{ pointer: '/status', detail: 'missing' }];
        await ledger.refuse({ receivedAt: 7, status: 422, detail: 'no callback', errors, from: '::1', body });
      }
      const page = await ledger.archive.refusals({ limit: 2 });
      expect(page.items.map(({ body }) => body)).to.deep.equal(['third', 'second']);
      expect(page.items[0]).to.deep.include({ status: 422, from: '::1', detail: 'no callback' });
      const rest = await ledger.archive.refusals({ before: page.next });
      expect([rest.items[0]?.body, rest.next]).to.deep.equal(['first', undefined]);
    });

    it('tells how each destination does, whoever of its processes has seen it last', async () => {
      const none = { lastError: undefined, medianMs: undefined, slowMs: undefined };
      const figures = { destination: OPS.destination, lastDeliveredAt: 5, lastFailedAt: 0, ...none };
      const lastError = { class: 'config', code: 'invalid_auth', message: 'No.' } as const;
      await ledger.destinations.record(
        [{ ...figures, lastDeliveredAt: 9, medianMs: 40, slowMs: 90 }],
        new Map(),
      );
      await ledger.destinations.record([{ ...figures, lastFailedAt: 7, lastError }], new Map());
      await ledger.destinations.record([{ ...figures, lastFailedAt: 3 }], new Map());
      await arrive({ job_id: 'a' }, [OPS]);
      const [ops, log] = await ledger.archive.destinations([OPS.destination, LOG.destination]);
      expect(ops).to.deep.equal({
        destination: OPS.destination,
        lastDeliveredAt: 9,
        lastFailedAt: 7,
        lastError,
        medianMs: 40,
        slowMs: 90,
        pending: 1,
        isMorePending: false,
      });
      expect(log).to.deep.include({ destination: LOG.destination, lastDeliveredAt: undefined, pending: 0 });
    });

    it('sums up days that are over once in a while, and today each time', async () => {
      const succeeded = async () => (await ledger.archive.days('2026-01-01')).map((day) => day.succeeded);
      await arrive({ job_id: 'a' });
      await clock.advance(4 * DAY_MS);
      await arrive({ job_id: 'b' });
      expect(await succeeded()).to.deep.equal([1, 1]);
      await store.run("update bot_days set succeeded = 7 where day = '2026-03-02'");
      await arrive({ job_id: 'c' });
      expect(await succeeded()).to.deep.equal([1, 2]);
      await clock.advance(6 * 60_000);
      expect(await succeeded()).to.deep.equal([7, 2]);
    });

    it('counts the attempts of each day by what they came to, and forgets them with their day', async () => {
      await ledger.destinations.record(
        [],
        new Map([
          ['delivered', 3],
          ['transient', 1],
        ] as const),
      );
      await ledger.destinations.record([], new Map([['delivered', 2]] as const));
      await clock.advance(DAY_MS);
      await ledger.destinations.record([], new Map([['config', 1]] as const));
      expect(await ledger.archive.attempts('2026-03-01')).to.deep.equal([
        { day: '2026-03-02', outcome: 'delivered', attempts: 5 },
        { day: '2026-03-02', outcome: 'transient', attempts: 1 },
        { day: '2026-03-03', outcome: 'config', attempts: 1 },
      ]);
      expect(await ledger.archive.attempts('2026-03-03')).to.have.length(1);
      await clock.advance(400 * DAY_MS);
      while (await ledger.tidy());
      expect(await ledger.archive.attempts('2026-03-01')).to.deep.equal([
        { day: '2026-03-03', outcome: 'config', attempts: 1 },
      ]);
    });

    it('tells by which config a delivery was sent', async () => {
      const channels = new Map([['slack', 'slack']]);
      await ledger.configs.heartbeat({ hash: 'before', channels });
      const first = await arrive({ job_id: 'a' }, [OPS]);
      await settle(first, first.claimed.map(delivered));
      await store.passTime(60_000);
      await ledger.configs.heartbeat({ hash: 'after', channels });
      await ledger.configs.heartbeat({ hash: 'after', channels });
      const second = await arrive({ job_id: 'b' }, [OPS]);
      await settle(second, second.claimed.map(delivered));
      const [old, now] = await Promise.all(
        [first, second].map(({ claimed: [id = -1] }) => ledger.archive.delivery(id)),
      );
      expect(old).to.include({ callbackId: first.callbackId, kind: 'callback', configHash: 'before' });
      expect(old?.delivery).to.include({ destination: OPS.destination, state: 'delivered' });
      expect(now).to.include({ configHash: 'after' });
      expect((await ledger.archive.configs()).map(({ hash }) => hash)).to.deep.equal(['after', 'before']);
      expect(await ledger.archive.delivery(4711)).to.equal(undefined);
    });

    it('gives back what was told, as it came', async () => {
      const { callbackId } = await arrive({ job_id: 'a', message: '請求' }, [OPS]);
      const told = await ledger.archive.told(callbackId);
      const notice = told?.read();
      expect(notice && callbackOf(notice)).to.include({ job_id: 'a', message: '請求' });
      expect(told?.kept?.timesReceived).to.equal(1);
      expect(await ledger.archive.told(4711)).to.equal(undefined);
    });

    it('shows at a glance whether anything has changed', async () => {
      const before = await ledger.archive.changeMark();
      expect(await ledger.archive.changeMark()).to.equal(before);
      const admission = await arrive({ job_id: 'a' }, [OPS]);
      const admitted = await ledger.archive.changeMark();
      expect(admitted).not.to.equal(before);
      await settle(admission, admission.claimed.map(delivered));
      expect(await ledger.archive.changeMark()).not.to.equal(admitted);
    });
  });
}
