/** What every ledger promises about what Botbell sends by itself: what is due, in which order, and to whom it is given. */
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { FailureClass } from '../../src/channels/failure.ts';
import type { DeliveryTarget, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { anew } from '../support/anew.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { arrivalOf, codesOf, destinationsOf, EXECUTING, jobsOf, LOG, OPS, target } from './arrivals.ts';
import { ANY, Bench, type CreateStore, only } from './ledger-bench.ts';
import { settleAll, settlementOf, settlementsOf } from './settlements.ts';
import { delivered, failed, namesOf, NOBODY, putOff } from './updates.ts';

const MAIL = target('email:a@example.com');
const HOUR_MS = 3_600_000;

export function describeDueDeliveries(name: string, createStore: CreateStore): void {
  describe(`${name} as the ledger of what is due`, () => {
    const bench = anew(() => Bench.open(createStore));

    const pass = (ms: number) => bench.store.passTime(ms);
    const claimAt = ({ destination }: DeliveryTarget, most?: number, isBulkFirst = false) =>
      bench.claim(bench.ledger, { ...only(destination, most), isBulkFirst });

    describe('a callback accepted for later', () => {
      it('is answered with its admission, and its own process has it in hand where that has room', async () => {
        const arrival = { ...arrivalOf(callbackWith(), [OPS, LOG]), isAccepted: true, isClaimed: true };
        const { deliveries, isAnswered } = await bench.ledger.admit(arrival);
        expect(isAnswered).to.equal(true);
        for (const each of deliveries)
          expect(each).to.include({ claim: 'own', isTakenOver: true, dueInMs: 0 });
        expect(await bench.history()).to.deep.equal(['answered accepted']);
        const other = await bench.openAs('another');
        expect(await bench.claim(other), 'in hand').to.deep.equal([]);
        await bench.bury(other);
        expect(destinationsOf(await bench.claim(other)), 'left').to.deep.equal(['slack:#log', 'slack:#ops']);
      });

      it('is shown as accepted when it came, also once it is told, and whatever a later POST is answered', async () => {
        const shown = async (id: number) => {
          const story = await bench.ledger.archive.story(id);
          const answers = story?.history.filter(({ what }) => what === 'answered');
          return [story?.result, ...(answers ?? []).map(({ at, result }) => [at, result])];
        };
        const came = await bench.accept({}, [OPS]);
        const { callbackId, firstReceivedAt: at } = came;
        expect(await shown(callbackId)).to.deep.equal(['accepted', [at, 'accepted']]);
        await bench.store.passTime(1000);
        await bench.tell(await bench.claim());
        expect(await shown(callbackId), 'told').to.deep.equal(['accepted', [at, 'accepted']]);
        await bench.arrive({}, [OPS]);
        const times = { arrivedAt: at + 2000, answeredAt: at + 2000 };
        const answer = { ...times, status: 200, result: 'duplicate' } as const;
        await settleAll(bench.ledger, settlementsOf(came.deliveries.map(delivered), callbackId, answer));
        const answers = [
          [at, 'accepted'],
          [at + 2000, 'duplicate'],
        ] as const;
        expect(await shown(callbackId), 'came again').to.deep.equal(['duplicate', ...answers]);
      });

      it('carries all that is to be told', async () => {
        const { callbackId, firstReceivedAt: receivedAt } = await bench.accept({ message: '請求書' }, [OPS]);
        await bench.accept({ message: '請求書' }, [OPS]);
        const [due] = await bench.claim();
        expect(due?.notice).to.deep.equal(noticeAbout(callbackWith({ message: '請求書' }), 2));
        expect(due?.record).to.include({ callbackId, receivedAt, destination: 'slack:#ops' });
        expect(due?.record).to.include({ state: 'pending', claim: 'own', isTakenOver: true });
        expect(due?.isTakenOver, 'it was Botbell’s own from the beginning').to.equal(false);
      });

      it('comes with others only as long as they are not large together', async () => {
        for (const job_id of ['a', 'b', 'c', 'd'])
          await bench.accept({ job_id, message: 'x'.repeat(400_000) }, [OPS, LOG]);
        expect(jobsOf(await claimAt(OPS))).to.deep.equal(['a', 'b']);
        await bench.accept({ job_id: 'huge', message: 'x'.repeat(2_000_000) }, [MAIL]);
        expect(jobsOf(await claimAt(MAIL))).to.deep.equal(['huge']);
        expect(jobsOf(await claimAt(OPS))).to.deep.equal(['c', 'd']);
      });
    });

    describe('what is due', () => {
      it('comes in the order of its callbacks, whenever each became due, no more than asked for', async () => {
        for (const job_id of ['a', 'b', 'c']) await bench.accept({ job_id }, [OPS]);
        const [first] = await claimAt(OPS, 1);
        await bench.settle([putOff(first?.record ?? NOBODY, 1000)]);
        await pass(1000);
        for (const [jobs, places] of [
          [['a', 'b'], [OPS.destination]],
          [['c'], []],
        ]) {
          const scope = { ...ANY, ...only(OPS.destination, 2) };
          const { deliveries, left, last } = await bench.ledger.claim({ scope });
          expect([jobsOf(deliveries), left, last]).to.deep.equal([jobs, places, OPS.destination]);
        }
        for (const job_id of ['d', 'e'])
          await bench.accept({ job_id }, [OPS, ...(job_id === 'd' ? [LOG] : [])]);
        const scope = { ...ANY, inHand: only(LOG.destination, 2).inHand ?? [] };
        const { deliveries, left } = await bench.ledger.claim({ scope });
        expect([deliveries.length, left]).to.deep.equal([3, []]);
      });

      it('comes after what is new where it was given back in bulk, but for its turns', async () => {
        for (const job_id of ['old 1', 'old 2', 'new 1', 'new 2']) await bench.accept({ job_id }, [OPS]);
        await bench.store.run("update deliveries set is_bulk = 1 where job_key like '%old%'");
        expect(await bench.due()).to.deep.equal([OPS.destination]);
        expect(jobsOf(await claimAt(OPS, 1, true))).to.deep.equal(['old 1']);
        expect(jobsOf(await claimAt(OPS, 1))).to.deep.equal(['new 1']);
        expect(jobsOf(await claimAt(OPS, 3, true))).to.deep.equal(['old 2', 'new 2']);
      });

      it('does not grow older while it only waits for its turn', async () => {
        await bench.accept({}, [OPS]);
        await pass(HOUR_MS);
        const [due] = await bench.claim();
        expect(due?.record.ageMs).to.equal(0);
        await bench.settle([putOff(due?.record ?? NOBODY, 600_000)]);
        await pass(HOUR_MS);
        expect((await bench.claim())[0]?.record.ageMs).to.equal(600_000);
      });

      it('stays due as it was where nothing is said of it', async () => {
        const [ops] = namesOf(await bench.accept({}, [OPS]));
        await bench.claim();
        await bench.settle([putOff(ops, 60_000)]);
        await bench.arrive({}, [OPS]);
        await bench.settle([putOff(ops, 0, { dueInMs: undefined })]);
        await bench.settled(bench.arrive({ job_id: 'new' }, [LOG]), (of) =>
          failed(of, { dueInMs: undefined }),
        );
        expect(await bench.claim()).to.deep.equal([]);
        await pass(60_000);
        expect(destinationsOf(await bench.claim())).to.include(OPS.destination);
      });

      it('is never given to two who claim at the same moment', async () => {
        const owners = [bench.ledger, await bench.openAs('second'), await bench.openAs('third')];
        const jobs = Array.from({ length: 30 }, (_, number) => `job-${number}`);
        await Promise.all(jobs.map((job_id) => bench.accept({ job_id }, [OPS, LOG])));
        const claimAll = async (by: DatabaseLedger) => {
          const mine: number[] = [];
          for (let due = await bench.claim(by); due.length > 0; due = await bench.claim(by))
            mine.push(...due.map(({ record }) => record.id));
          return mine;
        };
        const all = (await bench.store.clock.runAlong(Promise.all(owners.map(claimAll)))).flat();
        expect(all).to.have.length(60);
        expect(new Set(all).size).to.equal(60);
      });
    });

    it('keeps one order inside a job for a start and its result that two processes get at the same moment', async () => {
      const other = await bench.openAs('second');
      const jobs = Array.from({ length: 20 }, (_, number) => `job-${number}`);
      const both = (job_id: string) => {
        const start = bench.arrive({ job_id, status: EXECUTING }, [OPS]);
        return Promise.all([start, bench.arrive({ job_id }, [OPS], other)]);
      };
      const pairs = await bench.store.clock.runAlong(Promise.all(jobs.map(both)));
      // Either the start came first and the result waits for it, or the start is superseded.
      for (const [start, end] of pairs)
        expect(start.isSuperseded, 'superseded').to.equal(end.deliveries[0]?.behind === undefined);
    });

    describe('what is taken over while somebody attempts it', () => {
      it('is Botbell’s own whatever comes of that, and due at once when it fails', async () => {
        const [ops, log] = namesOf(await bench.arrive({}, [OPS, LOG]));
        await bench.arrive({ job_id: 'the service’s still' }, [target('slack:#all')]);
        const other = await bench.openAs('second');
        await other.takeOver([log, ops]);
        expect(await bench.claim(other)).to.deep.equal([]);
        await bench.settle([failed(ops), delivered(log)]);
        expect(await bench.states()).to.include.members(['slack:#ops pending', 'slack:#log delivered']);
        await other.takeOver([log]);
        expect((await bench.claim(other)).map(({ record }) => record.id)).to.deep.equal([ops.id]);
        expect(await bench.history()).to.deep.equal(['taken_over', 'taken_over']);
      });

      it('is due as it was planned where Botbell itself has made the attempt', async () => {
        const [ops] = namesOf(await bench.arrive({}, [OPS]));
        await bench.ledger.takeOver([ops]);
        await bench.settle([putOff(ops, 1000)]);
        expect(await bench.claim()).to.deep.equal([]);
      });
    });

    describe('what is held back until a time', () => {
      const hold = async (fields: Partial<Callback> = {}) => {
        const admission = await bench.arrive(fields, [OPS]);
        const muted = { reason: 'mute', heldUntil: bench.store.clock.now() + HOUR_MS };
        await bench.settle([failed(namesOf(admission)[0], { state: 'held', ...muted })]);
        return admission;
      };

      it('is due to nobody before, and Botbell’s own once that has come, no older than it was', async () => {
        await hold();
        await pass(HOUR_MS - 1);
        expect(await bench.release()).to.equal(0);
        expect(await bench.claim()).to.deep.equal([]);
        await pass(1);
        expect(await bench.release()).to.equal(1);
        const [due] = await bench.claim();
        expect(due?.record).to.include({ state: 'pending', isTakenOver: true, ageMs: 0 });
        expect([due?.record.reason, due?.record.lastError]).to.deep.equal([undefined, undefined]);
      });

      it('goes in the order of its job, also before what came meanwhile, and keeps nothing of that waiting until then', async () => {
        await hold({ code: 1 });
        const { deliveries } = await hold({ code: 2 });
        expect(deliveries.map(({ behind }) => behind)).to.deep.equal([undefined]);
        await pass(HOUR_MS);
        await bench.release();
        await bench.accept({ code: 3 }, [OPS]);
        expect(codesOf(await bench.tellAll())).to.deep.equal([1, 2, 3]);
      });
    });

    describe('a destination whose attempts fail', () => {
      const failing = () => bench.ledger.failingDestinations();

      /** Claims what is due there, and has its attempt fail. @param agoMs how long it takes until that is written */
      const attempt = async (outcome: FailureClass, fields: Partial<DeliveryUpdate> = {}, agoMs = 0) => {
        const claimed = await bench.claim();
        for (const { record } of claimed) {
          const endedAt = bench.store.clock.monotonic() - agoMs;
          const attempts = [{ durationMs: 1, endedAt, outcome, error: undefined }];
          const update = putOff(record, 1000, fields);
          await bench.ledger.settle({ ...settlementOf(update, record.callbackId), attempts });
        }
        return claimed.length;
      };

      beforeEach(async () => {
        for (const code of [1, 2, 3]) await bench.accept({ code, job_id: `job ${code}` }, [OPS]);
      });

      it('is known to all by when its first and its last attempt failed, however late that is written, and a limit, a setting and what is given up are none', async () => {
        for (const outcome of ['rate_limited', 'config', 'permanent'] as const) await attempt(outcome);
        await pass(1000);
        await attempt('transient', { state: 'dead' });
        expect(await failing()).to.deep.equal([]);
        await bench.accept({ job_id: 'next' }, [OPS]);
        await attempt('transient', {}, 900);
        await pass(5000);
        await attempt('transient', {}, 300);
        await pass(500);
        const other = await bench.openAs('second');
        const known = [{ destination: OPS.destination, first: -6400, last: -800 }];
        expect(await other.failingDestinations()).to.deep.equal(known);
      });

      it('is failing also by an attempt before the one at which its message was refused for good', async () => {
        const [record = { callbackId: 0, ...NOBODY }] = (await bench.claim()).map((due) => due.record);
        const now = bench.store.clock.monotonic();
        const attempts = (['transient', 'transient', 'permanent'] as const).map((outcome, index) => ({
          durationMs: 1,
          endedAt: now - 3000 + index * 1000,
          outcome,
          error: undefined,
        }));
        const update = putOff(record, 0, { state: 'dead' });
        await bench.ledger.settle({ ...settlementOf(update, record.callbackId), attempts });
        expect(await failing()).to.deep.equal([{ destination: OPS.destination, first: -3000, last: -2000 }]);
      });

      it('is down after two minutes: one is claimed there at a time, an eighth as long after the last failure, and its age grows meanwhile', async () => {
        await attempt('transient');
        await pass(120_000);
        expect(await attempt('transient'), 'not down yet').to.equal(3);
        const other = await bench.openAs('second');
        await pass(14_000);
        expect(await bench.claim()).to.deep.equal([]);
        await pass(6000);
        const [probe, ...others] = await bench.claim();
        expect(others).to.deep.equal([]);
        // The second before it was due again, and the fifteen of the destination's wait.
        expect(probe?.record.ageMs).to.be.within(16_000, 20_000);
        const story = await bench.ledger.archive.story(probe?.record.callbackId ?? 0);
        expect(story?.deliveries[0]?.ageMs).to.be.within(16_000, 20_000);
        expect(await bench.claim(other), 'while one is in hand').to.deep.equal([]);
        await bench.ledger.endFailing(OPS.destination, true);
        expect(await failing()).to.deep.equal([]);
        expect(await bench.claim(other)).to.have.length(2);
      });

      it('has what failed there due at once when it takes messages again, if it was down, and else at its time', async () => {
        await bench.accept({ job_id: 'job 4' }, [OPS, MAIL]);
        await attempt('transient', { dueInMs: 600_000 });
        await bench.ledger.endFailing(OPS.destination, false);
        expect(await bench.claim()).to.deep.equal([]);
        const others = { 'job 1': "error_class = 'config'", 'job 2': 'is_taken_over = 0' };
        for (const [job, set] of Object.entries(others))
          await bench.store.run(`update deliveries set ${set} where job_key like '%${job}'`);
        await bench.ledger.endFailing(OPS.destination, true);
        expect((await failing()).map(({ destination }) => destination)).to.deep.equal([MAIL.destination]);
        expect(jobsOf(await bench.claim())).to.deep.equal(['job 3', 'job 4']);
      });
    });

    describe('the pace of a destination', () => {
      it('only grows while it is paused, whichever process was asked for a shorter pause', async () => {
        const other = await bench.openAs('second');
        await bench.ledger.pausePace(OPS.destination, 12_000);
        await other.pausePace(OPS.destination, 1000);
        expect(await other.reservePace(OPS.destination, 1000, 5000)).to.equal(undefined);
        await pass(12_000);
        expect(await other.reservePace(OPS.destination, 1000, 5000)).to.equal(0);
      });

      it('is forgotten by its name, or when it was idle', async () => {
        for (const key of ['slack', 'slack:#ops', 'slack2:#ops']) await bench.ledger.pausePace(key, 1000);
        await bench.ledger.forgetPaces(['slack', 'slack:#ops']);
        expect((await bench.ledger.currentPaces()).map(({ key }) => key)).to.deep.equal(['slack2:#ops']);
        await pass(61_000);
        expect(await bench.ledger.currentPaces()).to.have.length(1);
        await pass(1);
        expect(await bench.ledger.currentPaces()).to.deep.equal([]);
      });
    });
  });
}
