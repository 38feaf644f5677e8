/** What every ledger promises, whatever database holds it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Callback, identityOf } from '../../src/callback/callback.ts';
import { parseExactly } from '../../src/callback/decode.ts';
import type {
  Admission,
  Arrival,
  DeliveryError,
  DeliveryTarget,
  DeliveryUpdate,
  DueDelivery,
  Ledger,
  Settlement,
} from '../../src/ledger/ledger.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import type { LedgerOptions } from '../../src/ledger/sql-ledger.ts';
import { bodyText, type StoredBody } from '../../src/ledger/stored-body.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { answersIn, attemptsIn } from '../support/history.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** One empty store that any number of ledgers may share. */
export interface StoreUnderTest {
  open(options: LedgerOptions): Promise<OpenLedger>;
  /** Moves the store's time on, and the clock that it was made with. */
  passTime(ms: number): Promise<void>;
  /** Runs one statement past the ledger. */
  run(statement: string): Promise<void>;
  /** Every row of a table, read past the ledger. */
  rows(table: string, orderedBy?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Closes every ledger and removes the store. */
  close(): Promise<void>;
}

export const LEASE_MS = 18_000;
export const TAKE_OVER_AFTER_MS = 120_000;
/** Of a store whose own clock runs on meanwhile. */
export const MARGIN_MS = 5000;
const MANY_REFUSED = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 998)
  insert into refused (received_at, status, detail, errors, remote_address, body)
  select 0, 422, '', '[]', '', 'one of many' from numbers`;
export const EXECUTING = 2;
const TRANSIENT: DeliveryError = { class: 'transient', code: 'ETIMEDOUT', message: 'no answer' };
const OPS = target('slack:#ops');
const LOG = target('slack:#log');

export function describeLedger(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} as a ledger`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: Ledger;

    const openAs = (owner: string) =>
      store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const arrive = (fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = ledger) =>
      by.admit(arrivalOf(callbackWith(fields), planned, clock.now()));

    beforeEach(async () => {
      clock = new ManualClock();
      store = await createStore(clock);
      ledger = await openAs('first');
    });

    afterEach(async () => {
      await store.close();
    });

    describe('admitting', () => {
      it('writes a new callback and its deliveries down and gives every one of them to who asks', async () => {
        const admission = await arrive({}, [OPS, LOG]);
        expect(admission).to.include({ isNew: true, timesReceived: 1, isSuperseded: false });
        expect(
          admission.deliveries.map((each) => [each.destination, each.state, each.attempts]),
        ).to.deep.equal([
          ['slack:#ops', 'pending', 0],
          ['slack:#log', 'pending', 0],
        ]);
        expect(claimedOf(admission)).to.deep.equal(['slack:#ops', 'slack:#log']);
        expect(admission.deliveries.map(({ isClaimed }) => isClaimed)).to.deep.equal([true, true]);
        const written = await ledger.deliveriesOf(admission.callbackId);
        // A store with a clock of its own has let a moment pass.
        expect(written.map((each) => ({ ...each, ageMs: 0 }))).to.deep.equal(admission.deliveries);
      });

      it('writes down a callback that nobody is told of', async () => {
        const admission = await arrive({}, []);
        expect(admission).to.include({ isNew: true });
        expect(admission.deliveries).to.deep.equal([]);
        expect(await store.rows('callbacks')).to.have.length(1);
      });

      it('gives a duplicate nothing to tell and counts how often it came', async () => {
        const first = await arrive({}, [OPS]);
        await ledger.settle(settlementOf(first.deliveries.map((each) => delivered(each.id))));
        await clock.advance(30_000);
        const again = await arrive({ elapsed_time: 42 }, [OPS]);
        expect(again).to.include({ callbackId: first.callbackId, isNew: false, timesReceived: 2 });
        expect(claimedOf(again)).to.deep.equal([]);
        expect(again.deliveries.map((each) => each.state)).to.deep.equal(['delivered']);
        const [row] = await store.rows('callbacks');
        expect(Number(row?.['last_received_at'])).to.equal(clock.now());
      });

      it('gives a retry only whom nobody has told yet', async () => {
        const first = await arrive({}, [OPS, LOG]);
        const [ops, log] = idsOf(first);
        await ledger.settle(settlementOf([delivered(ops), failed(log)]));
        const retry = await arrive({}, [OPS, LOG]);
        expect(claimedOf(retry)).to.deep.equal(['slack:#log']);
        expect(retry.deliveries.map((each) => each.state)).to.deep.equal(['delivered', 'pending']);
        expect(retry.deliveries[1]).to.deep.include({ attempts: 1, lastError: TRANSIENT });
      });

      it('gives a dead letter to nobody', async () => {
        const [ops] = idsOf(await arrive({}, [OPS]));
        await ledger.settle(settlementOf([{ ...failed(ops), state: 'dead' }]));
        const retry = await arrive({}, [OPS]);
        expect(claimedOf(retry)).to.deep.equal([]);
        expect(retry.deliveries[0]?.state).to.equal('dead');
      });

      it('keeps a large body to the letter, for the worker and for who comes again', async () => {
        const callback = callbackWith({ message: '請求書 "7"\n'.repeat(200_000), job_id: 'large' });
        await ledger.admit({ ...arrivalOf(callback, [OPS], clock.now()), isAccepted: true });
        await ledger.close();
        ledger = await openAs('second');
        const [due] = await claimAllDue(ledger);
        expect(due && callbackOf(due.notice)).to.deep.equal(callback);
        expect(await arrive(callback, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect((await arrive({ ...callback, message: 'another' }, [OPS])).isNew).to.equal(true);
      });

      it('keeps of foreign names, errors and receipts no more than anybody reads', async () => {
        const long = 'x'.repeat(1_000_000);
        const admission = await arrive({ bot_id: long, bot_name: long }, [OPS, LOG]);
        const [ops, log] = idsOf(admission);
        const error = { class: 'transient', code: long, message: long } as const;
        await ledger.settle({
          deliveries: [
            { ...delivered(ops), receipt: { ts: long } },
            { ...failed(log), lastError: error },
          ],
          history: {
            callbackId: admission.callbackId,
            attempts: [{ deliveryId: log, startedAt: 1, durationMs: 1, outcome: 'transient', error }],
            answer: undefined,
          },
          isDurable: false,
        });
        const [{ body: _whole, ...callback } = {}] = await store.rows('callbacks');
        const kept = [callback, ...(await store.rows('deliveries')), ...(await store.rows('history'))];
        for (const row of kept) {
          for (const value of Object.values(row)) expect(String(value).length).to.be.lessThan(3000);
        }
      });

      it('takes callbacks that differ in digits that JavaScript’s numbers lose for two', async () => {
        const arriveAs = (id: string) => {
          const json = JSON.stringify(callbackWith({ output: { id: 'ID' } })).replace('"ID"', id);
          const arrival = arrivalOf(parseExactly(json) as Callback, [OPS], clock.now());
          return ledger.admit({ ...arrival, body: Buffer.from(json) });
        };
        const one = await arriveAs('9007199254740992');
        const other = await arriveAs('9007199254740993');
        expect([other.isNew, other.callbackId === one.callbackId]).to.deep.equal([true, false]);
        expect((await arriveAs('9007199254740993')).callbackId).to.equal(other.callbackId);
        expect((await arriveAs('9007199254740992')).callbackId).to.equal(one.callbackId);
      });

      it('takes callbacks that differ in one unknown field for two', async () => {
        const one = await arrive({ region: 'tokyo' }, [OPS]);
        const other = await arrive({ region: 'osaka' }, [OPS]);
        expect(other.isNew).to.equal(true);
        expect(other.callbackId).not.to.equal(one.callbackId);
      });

      it('knows again what a version before has written without an identity', async () => {
        const identities = async () => (await store.rows('callbacks')).map((row) => row['identity']);
        const [alone, started, ended] = [{ job_id: 'alone' }, { status: EXECUTING }, {}] as const;
        await arrive(alone, [OPS]);
        await arrive(started, [OPS]);
        const known = [alone, started, ended].map((fields) => identityOf(callbackWith(fields)));
        expect(await identities()).to.deep.equal(known.slice(0, 2));
        await store.run('update callbacks set identity = null');
        expect(await arrive(ended, [OPS])).to.include({ isNew: true });
        expect(await identities()).to.deep.equal([null, ...known.slice(1)]);
        expect(await arrive(started, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect(await arrive(alone, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect(await identities()).to.deep.equal(known);
      });

      it('keeps what came, to the letter, however hostile', async () => {
        const hostile = callbackWith({
          job_id: 'nul\u0000 surrogate\ud800 rtl\u202e',
          bot_id: "'; drop table callbacks; --",
          bot_name: '\udfff%s ${x} {{ y }}',
          output: JSON.parse(
            '{"__proto__": {"a": 1}, "constructor": "c", "鍵": "\\u0000"}',
          ) as object as Record<string, unknown>,
        });
        const admission = await ledger.admit(arrivalOf(hostile, [OPS], clock.now()));
        const [row] = await store.rows('callbacks');
        expect(JSON.parse(String(row?.['body']))).to.deep.equal(JSON.parse(JSON.stringify(hostile)));
        expect(String(row?.['body'])).to.contain('"__proto__":{"a":1}');
        expect(row?.['job_id']).to.equal('nul surrogate\ufffd rtl');
        expect(row?.['bot_id']).to.equal("'; drop table callbacks; --");
        const again = await ledger.admit(arrivalOf(hostile, [OPS], clock.now()));
        expect(again.callbackId).to.equal(admission.callbackId);
      });

      it('takes a job id as long as a body, knows it again, and tells it from its like', async () => {
        const long = randomBytes(50_000).toString('base64');
        const started = { job_id: long, status: EXECUTING } as const;
        await arrive({ job_id: long }, [OPS]);
        expect(await arrive({ job_id: long }, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect(await arrive(started, [OPS])).to.include({ isNew: true, isSuperseded: true });
        const other = await arrive({ ...started, job_id: `${long}.` }, [OPS]);
        expect(other).to.include({ isNew: true, isSuperseded: false });
      });

      it('keeps why each route matched or not', async () => {
        await arrive({}, [OPS]);
        const [row] = await store.rows('callbacks');
        expect(JSON.parse(String(row?.['routing']))).to.deep.equal([{ route: 'routes[0]', matched: true }]);
      });
    });

    describe('claims', () => {
      it('give a second owner nothing of what the first has, until the lease ends', async () => {
        const second = await openAs('second');
        await arrive({}, [OPS]);
        await store.passTime(LEASE_MS - MARGIN_MS);
        const early = await arrive({}, [OPS], second);
        expect(claimedOf(early)).to.deep.equal([]);
        expect(early.deliveries[0]?.isClaimed).to.equal(true);
        await store.passTime(MARGIN_MS);
        expect(claimedOf(await arrive({}, [OPS], second))).to.deep.equal(['slack:#ops']);
        expect(claimedOf(await arrive({}, [OPS])), 'it is the second’s now').to.deep.equal([]);
      });

      it('keep a later request of the same owner from what an earlier one is still sending', async () => {
        await arrive({}, [OPS]);
        expect(claimedOf(await arrive({}, [OPS]))).to.deep.equal([]);
        await store.passTime(LEASE_MS);
        expect(claimedOf(await arrive({}, [OPS]))).to.deep.equal(['slack:#ops']);
      });

      it('end when the outcome is written', async () => {
        const first = await arrive({}, [OPS]);
        await ledger.settle(settlementOf(idsOf(first).map(failed)));
        expect((await ledger.deliveriesOf(first.callbackId))[0]?.isClaimed).to.equal(false);
        expect(claimedOf(await arrive({}, [OPS], await openAs('second')))).to.deep.equal(['slack:#ops']);
      });

      it('that were lost cannot overwrite with a failure what their new owner does', async () => {
        const second = await openAs('second');
        const first = await arrive({}, [OPS]);
        await store.passTime(LEASE_MS);
        await arrive({}, [OPS], second);
        await ledger.settle(settlementOf([{ ...failed(idsOf(first)[0]), state: 'dead' }]));
        const [pending] = await second.deliveriesOf(first.callbackId);
        expect(pending).to.include({ state: 'pending', attempts: 0 });
        expect(pending?.isClaimed).to.equal(true);
        await second.settle(settlementOf(idsOf(first).map((id) => delivered(id))));
        await ledger.settle(settlementOf(idsOf(first).map(failed)));
        expect((await ledger.deliveriesOf(first.callbackId))[0]?.state).to.equal('delivered');
      });

      it('that were lost still count a success: somebody was told', async () => {
        const second = await openAs('second');
        const first = await arrive({}, [OPS]);
        await store.passTime(LEASE_MS);
        await arrive({}, [OPS], second);
        await ledger.settle(settlementOf(idsOf(first).map((id) => delivered(id))));
        await second.settle(settlementOf(idsOf(first).map(failed)));
        const [record] = await ledger.deliveriesOf(first.callbackId);
        expect(record).to.deep.include({ state: 'delivered', receipt: { ts: '1.2' } });
      });
    });

    describe('an executing callback', () => {
      it('that comes after its job’s result is superseded and told to nobody', async () => {
        await arrive({ status: 1 }, [OPS]);
        const late = await arrive({ status: EXECUTING }, [OPS]);
        expect(late).to.include({ isNew: true, isSuperseded: true });
        expect(late.deliveries).to.deep.equal([]);
        const again = await arrive({ status: EXECUTING }, [OPS]);
        expect(again).to.include({ isNew: false, isSuperseded: true });
        expect(claimedOf(again)).to.deep.equal([]);
      });

      it('that comes before its job’s result is told', async () => {
        const executing = await arrive({ status: EXECUTING }, [OPS]);
        expect(executing.isSuperseded).to.equal(false);
        expect(claimedOf(executing)).to.deep.equal(['slack:#ops']);
        expect(claimedOf(await arrive({ status: 0 }, [OPS]))).to.deep.equal(['slack:#ops']);
      });

      it('that is still pending when the result comes is held back on its retry', async () => {
        const executing = await arrive({ status: EXECUTING }, [OPS]);
        await ledger.settle(settlementOf(idsOf(executing).map(failed)));
        await arrive({ status: 0 }, [OPS]);
        const retry = await arrive({ status: EXECUTING }, [OPS, LOG]);
        expect(retry.isSuperseded).to.equal(true);
        expect(claimedOf(retry)).to.deep.equal([]);
        expect(retry.deliveries.map((each) => [each.state, each.hold?.code])).to.deep.equal([
          ['held', 'superseded'],
        ]);
      });

      it('that was told to some before the result came is superseded for the others', async () => {
        const [ops, log] = idsOf(await arrive({ status: EXECUTING }, [OPS, LOG]));
        await ledger.settle(settlementOf([delivered(ops), failed(log)]));
        await arrive({ status: 0 }, [OPS, LOG]);
        const retry = await arrive({ status: EXECUTING }, [OPS, LOG]);
        expect(retry.isSuperseded).to.equal(true);
        expect(retry.deliveries.map((each) => each.state)).to.deep.equal(['delivered', 'held']);
      });

      it('that was told before the result came stays told', async () => {
        const executing = await arrive({ status: EXECUTING }, [OPS]);
        await ledger.settle(settlementOf(idsOf(executing).map((id) => delivered(id))));
        await arrive({ status: 0 }, [OPS]);
        const again = await arrive({ status: EXECUTING }, [OPS]);
        expect(again.isSuperseded).to.equal(false);
        expect(again.deliveries.map((each) => each.state)).to.deep.equal(['delivered']);
      });

      it('of another job is told', async () => {
        await arrive({ status: 0, job_id: 'job-1' }, [OPS]);
        const other = await arrive({ status: EXECUTING, job_id: 'job-2' }, [OPS]);
        expect(other.isSuperseded).to.equal(false);
      });

      it('is judged by the order of arrival within one batch, too', async () => {
        const arrivals = [
          callbackWith({ job_id: 'a', status: EXECUTING }),
          callbackWith({ job_id: 'a', status: 0 }),
          callbackWith({ job_id: 'b', status: 0 }),
          callbackWith({ job_id: 'b', status: EXECUTING }),
        ].map((callback) => ledger.admit(arrivalOf(callback, [OPS], clock.now())));
        const admissions = await Promise.all(arrivals);
        expect(admissions.map((each) => each.isSuperseded)).to.deep.equal([false, false, false, true]);
      });
    });

    describe('a config that changes between two attempts', () => {
      it('gives a retry whom it no longer names, too: the config is looked at before each attempt', async () => {
        const first = await arrive({}, [OPS, LOG]);
        await ledger.settle(settlementOf(idsOf(first).map(failed)));
        expect(claimedOf(await arrive({}, [LOG]))).to.deep.equal(['slack:#ops', 'slack:#log']);
      });

      it('has nobody told of what is old whom it names only now', async () => {
        const first = await arrive({}, [OPS]);
        await ledger.settle(settlementOf(idsOf(first).map((id) => delivered(id))));
        const retry = await arrive({}, [OPS, LOG]);
        expect(retry.deliveries.map((each) => each.destination)).to.deep.equal(['slack:#ops']);
      });

      it('leaves whom it no longer names but who was told as told', async () => {
        const first = await arrive({}, [OPS]);
        await ledger.settle(settlementOf(idsOf(first).map((id) => delivered(id))));
        const retry = await arrive({}, []);
        expect(retry.deliveries.map((each) => each.state)).to.deep.equal(['delivered']);
      });
    });

    describe('many arrivals at one moment', () => {
      it('give a callback that came twice to one of them only', async () => {
        const both = await Promise.all([arrive({}, [OPS, LOG]), arrive({}, [OPS, LOG])]);
        expect(both.map(claimedOf)).to.deep.equal([['slack:#ops', 'slack:#log'], []]);
        expect(both.map((each) => [each.isNew, each.timesReceived])).to.deep.equal([
          [true, 1],
          [false, 2],
        ]);
        expect(await store.rows('deliveries')).to.have.length(2);
      });

      it('are told from each other and from what came before, within one job and beside others', async () => {
        const before = await arrive({}, [OPS]);
        const fields = [{}, { code: 1 }, { code: 1 }, { code: 2 }, { job_id: 'other' }, { code: 1 }];
        const admissions = await Promise.all(fields.map((each) => arrive(each, [OPS])));
        expect(admissions.map((each) => [each.isNew, each.timesReceived])).to.deep.equal([
          [false, 2],
          [true, 1],
          [false, 2],
          [true, 1],
          [true, 1],
          [false, 3],
        ]);
        const [, one, ...rest] = admissions.map((each) => each.callbackId);
        expect(admissions[0]?.callbackId).to.equal(before.callbackId);
        expect([rest[0], rest[3]]).to.deep.equal([one, one]);
        expect(await store.rows('callbacks')).to.have.length(4);
      });

      it('are each written down with their own deliveries', async () => {
        const planned = Array.from({ length: 4 }, (_, number) => target(`slack:#c${number}`));
        const jobs = Array.from({ length: 300 }, (_, number) => `job-${number}`);
        const admissions = await Promise.all(jobs.map((job_id) => arrive({ job_id }, planned)));
        expect(new Set(admissions.map((each) => each.callbackId)).size).to.equal(300);
        for (const admission of admissions) {
          expect(claimedOf(admission)).to.deep.equal(planned.map((each) => each.destination));
        }
        const rows = await store.rows('callbacks');
        const written = new Map(rows.map((row) => [Number(row['id']), row['job_id']]));
        expect(admissions.map((each) => written.get(each.callbackId))).to.deep.equal(jobs);
        expect(await ledger.countOpen()).to.deep.equal({ pending: 1200, dead: 0, held: 0 });
      });
    });

    describe('settling', () => {
      it('writes attempts, outcomes, receipts, errors and the answer', async () => {
        const admission = await arrive({}, [OPS, LOG]);
        const [ops, log] = idsOf(admission);
        await ledger.settle({
          deliveries: [delivered(ops), { ...failed(log), failedAnswers: 1 }],
          history: {
            callbackId: admission.callbackId,
            attempts: [
              {
                deliveryId: ops,
                startedAt: clock.now(),
                durationMs: 12.6,
                outcome: 'delivered',
                error: undefined,
              },
              {
                deliveryId: log,
                startedAt: clock.now(),
                durationMs: 5,
                outcome: 'transient',
                error: TRANSIENT,
              },
            ],
            answer: {
              receivedAt: clock.now(),
              answeredAt: clock.now() + 20,
              status: 502,
              result: 'failed',
            },
          },
          isDurable: true,
        });
        const [told, open] = await ledger.deliveriesOf(admission.callbackId);
        expect(told).to.deep.include({ state: 'delivered', receipt: { ts: '1.2' }, lastError: undefined });
        expect(open).to.deep.include({ state: 'pending', failedAnswers: 1, lastError: TRANSIENT });
        const attempts = await attemptsIn(store);
        expect(attempts.map((each) => [each.outcome, each.duration_ms, each.error_code])).to.deep.equal([
          ['delivered', 13, undefined],
          ['transient', 5, 'ETIMEDOUT'],
        ]);
        const [answer] = await answersIn(store);
        expect(answer).to.include({ status: 502, result: 'failed' });
        expect(answer?.answered_at).to.equal(clock.now() + 20);
      });

      it('a later success clears the error, and its attempts add up', async () => {
        const admission = await arrive({}, [OPS]);
        const [ops] = idsOf(admission);
        await ledger.settle(settlementOf([failed(ops)]));
        await arrive({}, [OPS]);
        await ledger.settle(settlementOf([{ ...delivered(ops), attempts: 2 }]));
        const [record] = await ledger.deliveriesOf(admission.callbackId);
        expect(record).to.deep.include({ state: 'delivered', attempts: 2, lastError: undefined });
      });

      it('writes many settlements of one moment', async () => {
        const jobs = Array.from({ length: 100 }, (_, number) => `job-${number}`);
        const admissions = await Promise.all(jobs.map((job_id) => arrive({ job_id }, [OPS])));
        await Promise.all(
          admissions.map((each) => ledger.settle(settlementOf(idsOf(each).map((id) => delivered(id))))),
        );
        expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
      });

      it('remembers no attempt that was not made', async () => {
        const admission = await arrive({}, [OPS]);
        const { callbackId } = admission;
        const updates = idsOf(admission).map((id) => failed(id));
        await ledger.settle({
          ...settlementOf(updates),
          history: { callbackId, attempts: [], answer: undefined },
        });
        expect(await store.rows('history')).to.deep.equal([]);
      });

      it('that the store refuses harms no other of the same moment, and leaves nothing half written', async () => {
        const admission = await arrive({}, [OPS, LOG]);
        const [ops, log] = idsOf(admission);
        const attempt = { startedAt: 1, durationMs: 1, outcome: 'delivered', error: undefined } as const;
        const outcomes = await Promise.allSettled([
          ledger.settle(settlementOf([delivered(ops)])),
          ledger.settle({
            ...settlementOf([delivered(log)]),
            history: {
              callbackId: 999_999,
              attempts: [{ ...attempt, deliveryId: log }],
              answer: undefined,
            },
          }),
        ]);
        expect(outcomes.map((each) => each.status)).to.deep.equal(['fulfilled', 'rejected']);
        const records = await ledger.deliveriesOf(admission.callbackId);
        expect(records.map(({ state }) => state)).to.deep.equal(['delivered', 'pending']);
        expect(await attemptsIn(store)).to.deep.equal([]);
      });
    });

    describe('refused bodies', () => {
      const refusal = (body: string, receivedAt = 0) => ({
        receivedAt,
        status: 422 as const,
        detail: 'This is JSON, but not a callback.',
        errors: [{ pointer: '/status', detail: 'must be 0, 1 or 2' }],
        from: '192.0.2.7',
        body,
      });

      it('are kept with what was wrong and who sent them', async () => {
        await ledger.refuse(refusal('{"status":9}', 7));
        const [row] = await store.rows('refused');
        expect(row).to.include({ status: 422, remote_address: '192.0.2.7', body: '{"status":9}' });
        expect(JSON.parse(String(row?.['errors']))).to.deep.equal([
          { pointer: '/status', detail: 'must be 0, 1 or 2' },
        ]);
      });

      it('are kept for the newest 1,000', async () => {
        await store.run(MANY_REFUSED);
        for (let number = 1; number <= 5; number += 1) await ledger.refuse(refusal(`body ${number}`));
        const rows = await store.rows('refused');
        expect(rows).to.have.length(1000);
        expect(rows.slice(-6).map((row) => row['body'])).to.deep.equal([
          'one of many',
          ...[1, 2, 3, 4, 5].map((number) => `body ${number}`),
        ]);
      });

      it('are cut at 64 KiB, multi-byte text between characters', async () => {
        await ledger.refuse(refusal('x'.repeat(64 * 1024)));
        await ledger.refuse(refusal('請'.repeat(64 * 1024)));
        const [ascii, japanese] = (await store.rows('refused')).map((row) =>
          bodyText(row['body'] as StoredBody),
        );
        expect(ascii).to.equal('x'.repeat(64 * 1024));
        expect(Buffer.byteLength(japanese ?? '')).to.be.within(64 * 1024 - 3, 64 * 1024);
        expect(japanese).to.match(/^請+$/);
      });

      it('say of what was wrong no more than anybody reads', async () => {
        const errors = [{ pointer: `/${'k'.repeat(1_000_000)}`, detail: 'd'.repeat(1_000_000) }];
        await ledger.refuse({ ...refusal('{}'), detail: 'w'.repeat(1_000_000), errors });
        const [row] = await store.rows('refused');
        expect(JSON.stringify(row).length).to.be.lessThan(5000);
      });

      it('may hold anything', async () => {
        await ledger.refuse(refusal('\u0000{"a":"\ud800"}'));
        const [row] = await store.rows('refused');
        expect(row?.['body']).to.equal('{"a":"\ufffd"}');
      });
    });

    it('counts what is pending and what is dead', async () => {
      expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
      const [ops, log] = idsOf(await arrive({}, [OPS, LOG, target('email:a@example.com')]));
      await ledger.settle(settlementOf([delivered(ops), { ...failed(log), state: 'dead' }]));
      expect(await ledger.countOpen()).to.deep.equal({ pending: 1, dead: 1, held: 0 });
    });

    it('proves that it can be written and leaves no trace of it', async () => {
      await ledger.probe();
      expect(await store.rows('refused')).to.deep.equal([]);
    });

    it('holds all of it after it was closed and opened again', async () => {
      const first = await arrive({}, [OPS, LOG]);
      const [ops, log] = idsOf(first);
      await ledger.settle(settlementOf([delivered(ops), failed(log)]));
      await ledger.close();
      ledger = await openAs('later');
      const retry = await arrive({}, [OPS, LOG]);
      expect(retry).to.include({ callbackId: first.callbackId, isNew: false, timesReceived: 2 });
      expect(claimedOf(retry)).to.deep.equal(['slack:#log']);
      expect(retry.deliveries[0]).to.deep.include({ state: 'delivered', receipt: { ts: '1.2' } });
    });
  });
}

export function target(destination: string): DeliveryTarget {
  const [channel = '', address = ''] = destination.split(/:(.*)/s);
  return { destination, channel, address };
}

export function arrivalOf(
  callback: Callback,
  planned: readonly DeliveryTarget[],
  receivedAt: number,
): Arrival {
  return {
    callback,
    body: Buffer.from(JSON.stringify(callback)),
    startedAt: Date.parse(callback.start_time),
    receivedAt,
    planned,
    routing: [{ route: 'routes[0]', matched: true }],
    isAccepted: false,
  };
}

/** The destinations that an admission gives to who asked for it. */
export function claimedOf({ deliveries, claimed }: Admission): string[] {
  return deliveries.filter((each) => claimed.includes(each.id)).map((each) => each.destination);
}

/** As many as the test has planned. */
export function idsOf({ deliveries }: Pick<Admission, 'deliveries'>): [number, number] {
  const [first, second] = deliveries.map((each) => each.id);
  return [first ?? -1, second ?? -1].slice(0, Math.max(deliveries.length, 1)) as [number, number];
}

export function settlementOf(deliveries: readonly DeliveryUpdate[]): Settlement {
  return { deliveries, history: undefined, isDurable: false };
}

/** Whoever posted it is told; while nobody is, it is in hand and stays. */
export async function answered(ledger: Pick<Ledger, 'settle'>, admission: Admission): Promise<Admission> {
  const answer = { receivedAt: 0, answeredAt: 1, status: 200, result: 'delivered' } as const;
  const { callbackId } = admission;
  await ledger.settle({ ...settlementOf([]), history: { callbackId, attempts: [], answer } });
  return admission;
}

export function delivered(id: number): DeliveryUpdate {
  return {
    id,
    state: 'delivered',
    attempts: 1,
    failedAnswers: 0,
    lastError: undefined,
    receipt: { ts: '1.2' },
    isTakenOver: false,
    dueInMs: 0,
  };
}

export function failed(id: number): DeliveryUpdate {
  return {
    id,
    state: 'pending',
    attempts: 1,
    failedAnswers: 0,
    lastError: TRANSIENT,
    receipt: undefined,
    isTakenOver: false,
    dueInMs: TAKE_OVER_AFTER_MS,
  };
}

/** Whatever is due, up to so many for each destination, with what is to be told. */
export async function claimAllDue(
  ledger: Pick<Ledger, 'dueDestinations' | 'claimDue' | 'readNotice'>,
  limit = 64,
): Promise<readonly DueDelivery[]> {
  const destinations = await ledger.dueDestinations();
  const due: DueDelivery[] = [];
  const requests = destinations.map(({ destination }) => ({ destination, limit }));
  for (const claimed of await ledger.claimDue(requests)) {
    const notice = claimed.notice ?? (await ledger.readNotice(claimed.callbackId)).read();
    due.push({ ...claimed, notice });
  }
  return due;
}
