/** What every ledger promises to the worker: what is due, in which order, and to whom it is given. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { DeliveryTarget, DueDelivery, Ledger } from '../../src/ledger/ledger.ts';
import type { PruneStep } from '../../src/ledger/retention/retention.ts';
import { callbackOf, callbackWith, noticeAbout } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noise } from '../support/noise.ts';
import {
  answered,
  arrivalOf,
  claimAllDue,
  claimedOf,
  delivered,
  EXECUTING,
  failed,
  idsOf,
  LEASE_MS,
  MARGIN_MS,
  settlementOf,
  type StoreUnderTest,
  TAKE_OVER_AFTER_MS,
  target,
} from './ledger-contract.ts';

const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const MAIL = target('email:a@example.com');

const SUPERSEDED = { code: 'superseded', details: undefined, endsInMs: undefined };

export function describeDueDeliveries(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} as the worker’s ledger`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: Ledger;

    const openAs = (owner: string) =>
      store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const arrive = (fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = ledger) =>
      by.admit(arrivalOf(callbackWith(fields), planned, clock.now()));
    const accept = (fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = ledger) =>
      by.admit({ ...arrivalOf(callbackWith(fields), planned, clock.now()), isAccepted: true });
    const claim = (by = ledger, limit = 64) => claimAllDue(by, limit);
    const settle = (due: readonly DueDelivery[]) =>
      ledger.settle(settlementOf(due.map(({ record }) => delivered(record.id))));
    /** What the worker is given until nothing is left, each told at once. */
    const tellAll = async () => {
      const told: DueDelivery[] = [];
      for (let due = await claim(); due.length > 0; due = await claim()) {
        told.push(...due);
        await settle(due);
      }
      return told;
    };

    beforeEach(async () => {
      clock = new ManualClock();
      store = await createStore(clock);
      ledger = await openAs('first');
    });

    afterEach(async () => {
      await store.close();
    });

    describe('a callback accepted for later', () => {
      it('is nobody’s yet, due at once, and Botbell’s own', async () => {
        const admission = await accept({}, [OPS, LOG]);
        expect(claimedOf(admission)).to.deep.equal([]);
        expect(
          admission.deliveries.map(({ state, isClaimed, isTakenOver }) => [state, isClaimed, isTakenOver]),
        ).to.deep.equal([
          ['pending', false, true],
          ['pending', false, true],
        ]);
        expect(destinationsOf(await claim())).to.deep.equal(['slack:#log', 'slack:#ops']);
      });

      it('that comes again leaves what is under way alone', async () => {
        await accept({}, [OPS]);
        const [due] = await claim();
        const again = await accept({}, [OPS, LOG]);
        expect(again).to.include({ isNew: false, timesReceived: 2 });
        expect(claimedOf(again)).to.deep.equal([]);
        expect(again.deliveries.map(({ isClaimed }) => isClaimed)).to.deep.equal([true]);
        expect(await claim()).to.deep.equal([]);
        expect(due?.record.destination).to.equal('slack:#ops');
      });

      it('carries all that the worker needs', async () => {
        const { callbackId, firstReceivedAt } = await accept({ message: '請求書' }, [OPS]);
        await accept({ message: '請求書' }, [OPS]);
        const [due] = await claim();
        const callback = callbackWith({ message: '請求書' });
        expect(due).to.deep.include({ callbackId, firstReceivedAt, notice: noticeAbout(callback, 2) });
        expect(due?.isTakenOver, 'it was Botbell’s own from the beginning').to.equal(false);
        expect(due?.record).to.include({
          state: 'pending',
          isClaimed: true,
          isTakenOver: true,
          address: '#ops',
        });
      });

      it('that is large is claimed without its body, which is read when its turn has come', async () => {
        for (const message of ['x'.repeat(100_000), noise(100_000), 'x'])
          await accept({ job_id: message.slice(0, 9), message }, [OPS]);
        const claimed = await ledger.claimDue([{ destination: OPS.destination, limit: 64 }]);
        expect(claimed.map(({ notice }) => notice === undefined)).to.deep.equal([true, true, false]);
        const unread = await ledger.readNotice(claimed[0]?.callbackId ?? -1);
        const callback = callbackWith({ job_id: 'xxxxxxxxx', message: 'x'.repeat(100_000) });
        expect(unread.read()).to.deep.equal(noticeAbout(callback, 1));
        expect(unread).to.include({ bytes: Buffer.byteLength(JSON.stringify(callback)), values: 9 });
      });

      it('is large by its bytes, however few characters these are', async () => {
        for (const each of ['請', 'x']) await accept({ job_id: each, message: each.repeat(3000) }, [OPS]);
        const claimed = await ledger.claimDue([{ destination: OPS.destination, limit: 64 }]);
        expect(claimed.map(({ notice }) => notice === undefined)).to.deep.equal([true, false]);
      });

      it('that is large and was superseded is held back, too', async () => {
        const message = 'x'.repeat(100_000);
        await accept({ status: EXECUTING, message }, [OPS]);
        await accept({ status: 0, message }, [LOG]);
        await accept({ status: EXECUTING, job_id: 'another', message }, [OPS]);
        expect(jobsOf(await claim()).toSorted()).to.deep.equal(['another', 'job-1']);
      });

      it('that was superseded is held back, and says so', async () => {
        await accept({ status: EXECUTING }, [OPS]);
        await accept({ status: 0 }, [OPS]);
        const again = await accept({ status: EXECUTING }, [OPS]);
        expect(again.isSuperseded).to.equal(true);
        expect(again.deliveries.map((each) => [each.state, each.hold?.code])).to.deep.equal([
          ['held', 'superseded'],
        ]);
      });
    });

    describe('what is due', () => {
      it('is not what a request is sending, nor what the service may still retry', async () => {
        const admission = await arrive({}, [OPS]);
        expect(await claim()).to.deep.equal([]);
        await ledger.settle(settlementOf(idsOf(admission).map(failed)));
        await store.passTime(TAKE_OVER_AFTER_MS - MARGIN_MS);
        expect(await claim()).to.deep.equal([]);
        await store.passTime(MARGIN_MS);
        const due = await claim();
        expect(destinationsOf(due)).to.deep.equal(['slack:#ops']);
        expect(due[0]?.isTakenOver, 'which says that it was the service’s until now').to.equal(true);
      });

      it('is what a process that died was sending, when nobody has retried it for long enough', async () => {
        await arrive({}, [OPS]);
        await store.passTime(TAKE_OVER_AFTER_MS - MARGIN_MS);
        expect(await claim()).to.deep.equal([]);
        await store.passTime(MARGIN_MS);
        expect(destinationsOf(await claim(await openAs('second')))).to.deep.equal(['slack:#ops']);
      });

      it('is not what was told, given up or held back', async () => {
        const [ops, log] = idsOf(await arrive({}, [OPS, LOG]));
        await ledger.settle(settlementOf([delivered(ops), { ...failed(log), state: 'dead' }]));
        await accept({ job_id: 'job-2', status: EXECUTING }, [OPS]);
        await arrive({ job_id: 'job-2', status: 0 }, []);
        await store.passTime(TAKE_OVER_AFTER_MS);
        expect(await claim()).to.deep.equal([]);
      });

      it('comes oldest first, no more than asked for', async () => {
        for (const job_id of ['a', 'b', 'c']) {
          await accept({ job_id }, [OPS]);
          await store.passTime(1000);
        }
        expect(jobsOf(await claim(ledger, 2))).to.deep.equal(['a', 'b']);
        expect(jobsOf(await claim(ledger, 2))).to.deep.equal(['c']);
      });

      it('is given for the destinations that were asked for, and for no others', async () => {
        await accept({}, [OPS, MAIL, LOG]);
        const only = (destination: string) => ledger.claimDue([{ destination, limit: 64 }]);
        expect(destinationsOf(await only(MAIL.destination))).to.deep.equal([MAIL.destination]);
        expect(await only(MAIL.destination)).to.deep.equal([]);
        expect(destinationsOf(await claim())).to.deep.equal(['slack:#log', 'slack:#ops']);
      });

      it('comes in the order of its callbacks, whenever each became due', async () => {
        for (const job_id of ['a', 'b', 'c']) await accept({ job_id }, [OPS]);
        const [first] = await claim(ledger, 1);
        await ledger.settle(
          settlementOf([{ ...failed(first?.record.id ?? -1), isTakenOver: true, dueInMs: 1000 }]),
        );
        await store.passTime(1000);
        expect(jobsOf(await claim())).to.deep.equal(['a', 'b', 'c']);
      });

      it('is due at its time, and no older, though somebody sets the clock of this machine', async () => {
        for (const setMs of [-3_600_000, 7_200_000]) {
          await accept({ job_id: String(setMs) }, [OPS]);
          const [due] = await claim();
          const update = { ...failed(due?.record.id ?? -1), isTakenOver: true, dueInMs: 60_000 };
          await ledger.settle(settlementOf([update]));
          clock.setBy(setMs);
          await store.passTime(60_000 - MARGIN_MS);
          expect(await claim()).to.deep.equal([]);
          await store.passTime(MARGIN_MS);
          const [again] = await claim();
          expect(again?.record.ageMs).to.be.within(60_000, 60_000 + 2 * MARGIN_MS);
          await settle(again === undefined ? [] : [again]);
        }
      });

      it('does not grow older while it only waits for its turn', async () => {
        await accept({}, [OPS]);
        await store.passTime(3_600_000);
        const [due] = await claim();
        expect(due?.record.ageMs).to.be.below(MARGIN_MS);
        const update = { ...failed(due?.record.id ?? -1), isTakenOver: true, dueInMs: 600_000 };
        await ledger.settle(settlementOf([update]));
        await store.passTime(3_600_000);
        const [again] = await claim();
        expect(again?.record.ageMs).to.be.within(600_000, 600_000 + 2 * MARGIN_MS);
      });

      it('is due again later when it fails again, at the time that was settled', async () => {
        await accept({}, [OPS]);
        const [due] = await claim();
        const update = { ...failed(due?.record.id ?? -1), attempts: 3, isTakenOver: true, dueInMs: 60_000 };
        await ledger.settle(settlementOf([update]));
        await store.passTime(60_000 - MARGIN_MS);
        expect(await claim()).to.deep.equal([]);
        await store.passTime(MARGIN_MS);
        const [again] = await claim();
        expect(again?.record).to.include({ attempts: 3, isTakenOver: true });
        expect(again?.record.lastError?.code).to.equal('ETIMEDOUT');
      });

      it('is given to nobody else until the lease of who has it ends', async () => {
        const second = await openAs('second');
        await accept({}, [OPS]);
        expect(await claim()).to.have.length(1);
        await store.passTime(LEASE_MS - MARGIN_MS);
        expect(await claim(second)).to.deep.equal([]);
        await store.passTime(MARGIN_MS);
        expect(await claim(second)).to.have.length(1);
      });

      it('is not given to a request, either, while the worker has it', async () => {
        await accept({}, [OPS]);
        await claim();
        const retry = await arrive({}, [OPS]);
        expect(claimedOf(retry)).to.deep.equal([]);
        expect(retry.deliveries[0]).to.include({ isClaimed: true, isTakenOver: true });
      });

      it('is never given to two who claim at the same moment', async () => {
        const owners = [ledger, await openAs('second'), await openAs('third')];
        const jobs = Array.from({ length: 120 }, (_, number) => `job-${number}`);
        await Promise.all(jobs.map((job_id) => accept({ job_id }, [OPS, LOG])));
        const claimAll = async (by: Ledger) => {
          const mine: number[] = [];
          for (let due = await claim(by, 7); due.length > 0; due = await claim(by, 7)) {
            mine.push(...due.map(({ record }) => record.id));
          }
          return mine;
        };
        const all = (await clock.runAlong(Promise.all(owners.map(claimAll)))).flat();
        expect(all).to.have.length(240);
        expect(new Set(all).size).to.equal(240);
      });
    });

    describe('the order inside a job', () => {
      const JOB = { job_id: 'job-1' };
      const executing = { ...JOB, status: EXECUTING } as const;
      const result = { ...JOB, status: 0 } as const;
      const secondResult = { ...JOB, status: 1, message: 'again' } as const;

      it('makes a result wait while its start is being sent to the same destination', async () => {
        const start = await arrive(executing, [OPS]);
        const end = await arrive(result, [OPS, LOG]);
        const [ops, log] = idsOf(end);
        expect(claimedOf(end)).to.deep.equal(['slack:#ops', 'slack:#log']);
        expect([...end.blocked]).to.deep.equal([{ id: ops, behind: idsOf(start)[0], isBehindClaimed: true }]);
        expect((await ledger.turns.predecessorOf(ops))?.id).to.equal(idsOf(start)[0]);
        expect(await ledger.turns.predecessorOf(log)).to.equal(undefined);
        await ledger.settle(settlementOf(idsOf(start).map((id) => delivered(id))));
        expect(await ledger.turns.predecessorOf(ops)).to.equal(undefined);
      });

      it('holds back a start in nobody’s hands when its result comes', async () => {
        const start = await arrive(executing, [OPS]);
        await ledger.settle(settlementOf(idsOf(start).map(failed)));
        const end = await arrive(result, [OPS]);
        expect([...end.blocked]).to.deep.equal([]);
        const [record] = await ledger.deliveriesOf(start.callbackId);
        expect(record).to.deep.include({ state: 'held', hold: SUPERSEDED, isClaimed: false });
      });

      it('keeps no result waiting for a start that failed after all, which is told no more', async () => {
        const start = await arrive(executing, [OPS]);
        const end = await arrive(result, [OPS]);
        await ledger.settle(settlementOf(idsOf(start).map(failed)));
        expect(await ledger.turns.predecessorOf(idsOf(end)[0])).to.equal(undefined);
        await ledger.settle(settlementOf(idsOf(end).map((id) => delivered(id))));
        await store.passTime(TAKE_OVER_AFTER_MS);
        expect(await claim()).to.deep.equal([]);
        expect((await ledger.deliveriesOf(start.callbackId))[0]).to.deep.include({
          state: 'held',
          hold: SUPERSEDED,
        });
      });

      it('makes a later result wait for an earlier one, but not at other destinations or in other jobs', async () => {
        const first = await arrive(result, [OPS]);
        await ledger.settle(settlementOf(idsOf(first).map(failed)));
        const later = await arrive(secondResult, [OPS, LOG]);
        expect([...later.blocked]).to.deep.equal([
          { id: idsOf(later)[0], behind: idsOf(first)[0], isBehindClaimed: false },
        ]);
        const other = await arrive({ job_id: 'job-2' }, [OPS, LOG]);
        expect([...other.blocked]).to.deep.equal([]);
      });

      it('is kept among callbacks that are written down together', async () => {
        const both = await Promise.all([arrive(executing, [OPS]), arrive(result, [OPS])]);
        expect(both.map(({ blocked }) => blocked.length)).to.deep.equal([0, 1]);
        expect([...both[1].claimed], 'it is its own all the same').to.deep.equal(
          both[1].blocked.map(({ id }) => id),
        );
      });

      it('gives the worker the earlier one first, and the later one when that is through', async () => {
        await accept(result, [OPS]);
        await accept(secondResult, [OPS]);
        const first = await claim();
        expect(first.map(({ notice }) => callbackOf(notice).status)).to.deep.equal([0]);
        expect(await claim()).to.deep.equal([]);
        await settle(first);
        expect((await claim()).map(({ notice }) => callbackOf(notice).status)).to.deep.equal([1]);
      });

      it('never gives the worker a start whose result has come', async () => {
        await Promise.all([accept(executing, [OPS, LOG]), accept(result, [OPS])]);
        const told = await tellAll();
        expect(
          told.map(({ notice, record }) => [callbackOf(notice).status, record.destination]),
        ).to.deep.equal([[0, 'slack:#ops']]);
        const states = (await store.rows('deliveries')).map((row) => [row['state'], row['held_because']]);
        expect(states).to.deep.equal([
          ['held', 'superseded'],
          ['held', 'superseded'],
          ['delivered', null],
        ]);
      });

      it('is one for all: a start and its result that two processes get at the same moment', async () => {
        const second = await openAs('second');
        const jobs = Array.from({ length: 20 }, (_, number) => `job-${number}`);
        const pairs = await clock.runAlong(
          Promise.all(
            jobs.map((job_id) =>
              Promise.all([arrive({ job_id, status: EXECUTING }, [OPS]), arrive({ job_id }, [OPS], second)]),
            ),
          ),
        );
        // Either the start came first and the result waits for it, or the start is superseded.
        for (const [start, end] of pairs) {
          expect(start.isSuperseded, 'superseded').to.equal(end.blocked.length === 0);
        }
      });
    });

    describe('what a request waits for', () => {
      it('is told claimed as long as any process has it in hand', async () => {
        const { deliveries } = await arrive({}, [OPS, LOG, MAIL]);
        const ids = deliveries.map(({ id }) => id);
        const [ops, log] = idsOf({ deliveries });
        await ledger.settle(settlementOf([delivered(ops), failed(log)]));
        const other = await openAs('second');
        expect(await other.turns.claimedAmong([...ids, 1_000_000])).to.deep.equal(ids.slice(2));
        expect(await other.turns.claimedAmong([])).to.deep.equal([]);
        await store.passTime(LEASE_MS + MARGIN_MS);
        expect(await other.turns.claimedAmong(ids)).to.deep.equal([]);
      });

      it('is Botbell’s own once it is taken over, whatever comes of the attempt under way', async () => {
        const admission = await arrive({}, [OPS, LOG]);
        const [ops, log] = idsOf(admission);
        const other = await openAs('second');
        await other.turns.takeOver([log, ops]);
        const taken = await ledger.deliveriesOf(admission.callbackId);
        expect(taken.map(({ isTakenOver, isClaimed }) => [isTakenOver, isClaimed])).to.deep.equal([
          [true, true],
          [true, true],
        ]);
        await ledger.settle(settlementOf([failed(ops), delivered(log)]));
        const [failing, told] = await ledger.deliveriesOf(admission.callbackId);
        expect(failing).to.include({ state: 'pending', isTakenOver: true, isClaimed: false });
        expect(told?.state).to.equal('delivered');
        // What is through is nobody's to take over.
        await other.turns.takeOver([log]);
        expect((await ledger.deliveriesOf(admission.callbackId))[1]?.state).to.equal('delivered');
      });
    });

    describe('what is taken over of a process that is gone', () => {
      it('is due when its claim ends, and not before', async () => {
        const [ops] = idsOf(await arrive({}, [OPS]));
        const other = await openAs('second');
        await other.turns.takeOver([ops]);
        await store.passTime(LEASE_MS - MARGIN_MS);
        expect(await claim(other)).to.deep.equal([]);
        await store.passTime(2 * MARGIN_MS);
        expect((await claim(other)).map(({ record }) => record.id)).to.deep.equal([ops]);
      });
    });

    describe('what another process has taken over', () => {
      it('is due at once when the attempt that was under way fails', async () => {
        const [ops, log] = idsOf(await arrive({}, [OPS, LOG]));
        const other = await openAs('second');
        await other.turns.takeOver([ops]);
        await ledger.settle(settlementOf([failed(ops), failed(log)]));
        expect((await claim(other)).map(({ record }) => record.id)).to.deep.equal([ops]);
      });

      it('is due as Botbell itself has planned it where that one has made the attempt', async () => {
        const [ops] = idsOf(await arrive({}, [OPS]));
        await ledger.turns.takeOver([ops]);
        await ledger.settle(settlementOf([{ ...failed(ops), isTakenOver: true }]));
        expect(await claim()).to.deep.equal([]);
      });
    });

    describe('what is held back until a time', () => {
      const HOLD_MS = 3_600_000;
      const MUTED = { code: 'mute', details: { route: 'routes[0]' }, endsInMs: HOLD_MS };
      const hold = async (fields: Partial<Callback> = {}) => {
        const admission = await arrive(fields, [OPS]);
        const held = idsOf(admission).map((id) => ({ ...failed(id), state: 'held', hold: MUTED }) as const);
        await ledger.settle(settlementOf(held));
        return admission;
      };
      /** A server's clock cannot be moved, but what it is compared with can. */
      const pass = async (ms: number) => {
        await store.passTime(ms);
        return ledger.releaseHeld();
      };
      const codes = (due: readonly DueDelivery[]) => due.map(({ notice }) => callbackOf(notice).code);

      it('says why, with what is needed for it, and for how long', async () => {
        const { callbackId } = await hold();
        const [record] = await ledger.deliveriesOf(callbackId);
        expect(record?.hold).to.deep.include({ code: 'mute', details: { route: 'routes[0]' } });
        expect(record?.hold?.endsInMs).to.be.within(HOLD_MS - MARGIN_MS, HOLD_MS);
        expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 1 });
      });

      it('is due to nobody before, and Botbell’s own once that has come', async () => {
        await hold();
        expect(await pass(HOLD_MS - MARGIN_MS)).to.equal(0);
        expect(await claim()).to.deep.equal([]);
        expect(await pass(MARGIN_MS)).to.equal(1);
        const [due] = await claim();
        expect(due?.record).to.include({ state: 'pending', isTakenOver: true, hold: undefined });
        expect(due?.record.lastError).to.equal(undefined);
      });

      it('does not grow older by being held', async () => {
        await hold();
        await pass(HOLD_MS);
        const [due] = await claim();
        expect(due?.record.ageMs).to.be.below(MARGIN_MS);
      });

      it('is released once, whoever else releases at the same moment', async () => {
        for (let code = 1; code <= 5; code += 1) await hold({ job_id: `job ${code}`, code });
        const other = await openAs('second');
        await store.passTime(HOLD_MS);
        const released = await clock.runAlong(Promise.all([ledger.releaseHeld(), other.releaseHeld()]));
        expect(released[0] + released[1]).to.equal(5);
        expect(await ledger.releaseHeld()).to.equal(0);
        expect(codes(await tellAll()).toSorted()).to.deep.equal([1, 2, 3, 4, 5]);
      });

      it('goes in the order of its job, also before what came meanwhile', async () => {
        await hold({ job_id: 'job', code: 1 });
        await hold({ job_id: 'job', code: 2 });
        await pass(HOLD_MS);
        await accept({ job_id: 'job', code: 3 }, [OPS]);
        expect(codes(await tellAll())).to.deep.equal([1, 2, 3]);
      });

      it('is not told any more where it is a start whose result has come', async () => {
        const { callbackId } = await hold({ job_id: 'job', status: EXECUTING });
        await accept({ job_id: 'job', status: 0 }, [LOG]);
        await pass(HOLD_MS);
        expect((await tellAll()).map(({ record }) => record.destination)).to.deep.equal([LOG.destination]);
        expect((await ledger.deliveriesOf(callbackId))[0]).to.deep.include({
          state: 'held',
          hold: SUPERSEDED,
        });
        expect(await pass(HOLD_MS), 'superseded is for good').to.equal(0);
      });

      it('is not forgotten before that', async () => {
        const { callbackId } = await hold();
        const answer = { receivedAt: 1, answeredAt: 2, status: 200, result: 'held' } as const;
        const history = { callbackId, attempts: [], answer };
        await ledger.settle({ deliveries: [], history, isDurable: false });
        const prune = async () =>
          (await ledger.prune({ sweep: 'done', before: clock.now() + HOLD_MS, after: 0 })).forgotten;
        expect(await prune()).to.equal(0);
        await pass(HOLD_MS);
        await tellAll();
        expect(await prune()).to.equal(1);
      });
    });

    describe('what later messages of a job refer to', () => {
      const tellFollowed = async (code: number, destination = OPS, isFollowed = true) => {
        const [id] = idsOf(await arrive({ job_id: 'job', code }, [destination]));
        const receipt = { ts: String(code) };
        await ledger.settle(settlementOf([{ ...delivered(id), receipt, isFollowed }]));
        return id;
      };
      const earlier = async (destination = OPS, fields: Partial<Callback> = {}) => {
        const [id] = idsOf(await arrive({ job_id: 'job', code: 99, ...fields }, [destination]));
        return ledger.turns.earlierReceipts(id);
      };

      it('are the first receipt there and the last one', async () => {
        for (const code of [1, 2, 3]) await tellFollowed(code);
        await tellFollowed(4, LOG);
        expect(await earlier()).to.deep.equal([{ ts: '1' }, { ts: '3' }]);
      });

      it('is one where there is one, and nothing where nothing was told, or nothing marked', async () => {
        await tellFollowed(1);
        await tellFollowed(2, LOG, false);
        expect(await earlier()).to.deep.equal([{ ts: '1' }]);
        expect(await earlier(LOG, { code: 98 })).to.deep.equal([]);
        expect(await earlier(OPS, { job_id: 'another' })).to.deep.equal([]);
      });

      it('is nothing that came later', async () => {
        const first = await tellFollowed(1);
        await tellFollowed(2);
        expect(await ledger.turns.earlierReceipts(first)).to.deep.equal([]);
      });
    });

    describe('a pause', () => {
      it('is a time within the hour, whatever was asked for', async () => {
        for (const ms of [Number.NaN, Infinity, 1e300, -1, 0.5]) {
          await ledger.paces.pause(OPS.destination, ms);
          const [pace] = await ledger.paces.current(60_000);
          expect(pace?.nextInMs, String(ms)).to.be.within(0, 3_600_000);
        }
      });

      it('of a channel and its destinations is forgotten with the channel', async () => {
        for (const key of ['slack', 'slack:#ops', 'slack2:#ops', 'email:slack:x'])
          await ledger.paces.pause(key, 1000);
        await ledger.paces.forget('slack');
        const left = (await ledger.paces.current(60_000)).map(({ destination }) => destination);
        expect(left.toSorted()).to.deep.equal(['email:slack:x', 'slack2:#ops']);
      });
    });

    describe('forgetting', () => {
      const DAY_MS = 86_400_000;
      const prune = async (before: number) =>
        (await ledger.prune({ sweep: 'done', before, after: 0 })).forgotten;
      const finish = async (fields: Partial<Callback>, planned: readonly DeliveryTarget[]) =>
        answered(ledger, await arrive(fields, planned));

      it('takes what is old and done, with everything that belongs to it', async () => {
        const { callbackId, deliveries } = await arrive({}, [OPS]);
        const [id = -1] = deliveries.map((each) => each.id);
        const attempt = { deliveryId: id, startedAt: 1, durationMs: 1, error: undefined };
        const answer = {
          receivedAt: 1,
          answeredAt: 2,
          status: 200,
          result: 'delivered',
        } as const;
        await ledger.settle({
          deliveries: [delivered(id)],
          history: { callbackId, attempts: [{ ...attempt, outcome: 'delivered' }], answer },
          isDurable: false,
        });
        await clock.advance(DAY_MS);
        await arrive({ job_id: 'young' }, []);
        expect(await prune(clock.now())).to.equal(1);
        expect(await prune(clock.now())).to.equal(0);
        for (const table of ['deliveries', 'history']) {
          expect(await store.rows(table), table).to.deep.equal([]);
        }
        expect((await store.rows('callbacks')).map((row) => row['job_id'])).to.deep.equal(['young']);
      });

      it('takes what was held back, too', async () => {
        const [ops, log] = idsOf(await finish({}, [OPS, LOG]));
        const held = { ...failed(log), state: 'held', hold: { code: 'no longer routed' } } as const;
        await ledger.settle(settlementOf([delivered(ops), held]));
        expect(await prune(clock.now() + 1)).to.equal(1);
      });

      it('never takes a dead letter: nobody has been told of it', async () => {
        const [ops, log] = idsOf(await finish({}, [OPS, LOG]));
        await ledger.settle(settlementOf([{ ...failed(ops), state: 'dead' }, delivered(log)]));
        expect(await prune(clock.now() + 1000 * DAY_MS)).to.equal(0);
      });

      it('never takes a callback of which anything is pending, however old', async () => {
        const [ops] = idsOf(await finish({}, [OPS, LOG]));
        await ledger.settle(settlementOf([delivered(ops)]));
        expect(await prune(clock.now() + 1000 * DAY_MS)).to.equal(0);
        expect(await store.rows('deliveries')).to.have.length(2);
      });

      /** All steps of one round. */
      const steps = async (before: number, from = 0) => {
        const done = [await ledger.prune({ sweep: 'done', before, after: from })];
        for (let last = done[0]; last !== undefined && !last.isThrough; last = done.at(-1)) {
          done.push(await ledger.prune({ sweep: 'done', before, after: last.lookedAt }));
        }
        return done;
      };
      const forgottenIn = (done: readonly PruneStep[]) => done.map(({ forgotten }) => forgotten);

      it('goes past what came when the clock was far ahead', async () => {
        const jobs = Array.from({ length: 201 }, (_, number) => `job-${number}`);
        await Promise.all(jobs.map((job_id) => finish({ job_id }, [])));
        await store.run(
          `update callbacks set received_at = ${clock.now() + 1000 * DAY_MS} where job_id <> 'job-200'`,
        );
        await clock.advance(DAY_MS);
        expect(forgottenIn(await steps(clock.now()))).to.deep.equal([0, 0, 1]);
      });

      it('goes on in steps of 100, oldest first, past what has to stay', async () => {
        await finish({ job_id: 'pending' }, [OPS]);
        const jobs = Array.from({ length: 250 }, (_, number) => `job-${number}`);
        await Promise.all(jobs.map((job_id) => finish({ job_id }, [])));
        expect(forgottenIn(await steps(clock.now() + 1))).to.deep.equal([99, 100, 51]);
        expect((await store.rows('callbacks')).map((row) => row['job_id'])).to.deep.equal(['pending']);
      });

      it('looks once at what has to stay, and goes on behind it', async () => {
        const jobs = Array.from({ length: 250 }, (_, number) => `job-${number}`);
        const admissions = await Promise.all(jobs.map((job_id) => finish({ job_id }, [OPS])));
        const dead = admissions.flatMap(idsOf).map((id) => ({ ...failed(id), state: 'dead' as const }));
        await ledger.settle(settlementOf(dead));
        const round = await steps(clock.now() + 1);
        expect(forgottenIn(round)).to.deep.equal([0, 0, 0]);
        await finish({ job_id: 'later' }, []);
        const next = await steps(clock.now() + 1, round.at(-1)?.lookedAt);
        expect(forgottenIn(next)).to.deep.equal([1]);
      });

      it('stops at the first one that is too young, and goes on there when it is old', async () => {
        await finish({ job_id: 'old' }, []);
        await clock.advance(DAY_MS);
        await finish({ job_id: 'young' }, []);
        const first = await ledger.prune({ sweep: 'done', before: clock.now(), after: 0 });
        expect(first).to.include({ forgotten: 1, isThrough: true });
        await clock.advance(DAY_MS);
        expect(forgottenIn(await steps(clock.now(), first.lookedAt))).to.deep.equal([1]);
      });

      it('takes a dead letter that has been delivered after all when it is looked at again', async () => {
        const ids = idsOf(await finish({}, [OPS]));
        await ledger.settle(settlementOf(ids.map((id) => ({ ...failed(id), state: 'dead' as const }))));
        expect(forgottenIn(await steps(clock.now() + 1))).to.deep.equal([0]);
        await ledger.settle(settlementOf(ids.map(delivered)));
        expect(forgottenIn(await steps(clock.now() + 1))).to.deep.equal([1]);
      });
    });
  });
}

function destinationsOf(due: readonly Pick<DueDelivery, 'record'>[]): string[] {
  return due.map(({ record }) => record.destination).toSorted();
}

function jobsOf(due: readonly DueDelivery[]): string[] {
  return due.map(({ notice }) => callbackOf(notice).job_id);
}
