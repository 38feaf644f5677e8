/** What every ledger promises of what it forgets, what it never forgets, and what it has counted by then. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { DeliveryName, DeliveryTarget } from '../../src/ledger/ledger.ts';
import type { ForgetPosition } from '../../src/ledger/callbacks/forget.ts';
import { writeOwnNotice } from '../../src/ledger/callbacks/own-notices.ts';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { EXECUTING, OPS } from './arrivals.ts';
import { adopting, Bench, type CreateStore } from './ledger-bench.ts';
import { answerOf, settleAll, settlementsOf } from './settlements.ts';
import { dead, delivered, failed, namesOf, NOBODY } from './updates.ts';

const DAY_MS = 86_400_000;

const OLDEST: ForgetPosition = { done: 0, reachedNobody: 0 };

/** So many that are done, like the one that is there. */
const alike = (count: number) => `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
  insert into callbacks (kind, identity, job_id, bot_key, bot_id, bot_name, status, started_at, received_at,
    times_received, routing, bytes, body)
  select kind, 'same ' || n, 'same ' || n, bot_key, bot_id, bot_name, status, started_at, received_at,
    1, routing, bytes, body from callbacks, numbers`;

export function describeForgetting(name: string, createStore: CreateStore): void {
  describe(`${name} forgets`, () => {
    const bench = anew(() => Bench.open(createStore));
    let from = OLDEST;

    beforeEach(() => void (from = OLDEST));

    const now = () => bench.store.clock.now();
    /** Until there is no more. @returns how many steps that took */
    const forget = async ({ doneBefore = 0, reachedNobodyBefore = 0 }) => {
      const kept = { doneKeptMs: now() - doneBefore, nobodyKeptMs: now() - reachedNobodyBefore };
      for (let steps = 1; ; steps += 1) {
        const { next, isMore } = await bench.ledger.forget({ ...kept, from });
        from = next;
        if (!isMore) return steps;
      }
    };
    const forgetDone = (isAnew = false) => {
      if (isAnew) from = OLDEST;
      return forget({ doneBefore: now() + 1 });
    };
    const left = async () => (await bench.store.rows('callbacks')).map((row) => row['job_id']);
    const finish = async (fields: Partial<Callback>, planned: readonly DeliveryTarget[] = []) => {
      const admission = await bench.arrive(fields, planned);
      await bench.settle(admission.deliveries.map(delivered));
      return admission;
    };

    it('what is old and done, with everything that belongs to it', async () => {
      const { callbackId, deliveries } = await bench.arrive({}, [OPS]);
      const told = deliveries.map(delivered);
      await settleAll(bench.ledger, settlementsOf(told, callbackId, answerOf(502, 'failed')));
      expect(await bench.history()).to.deep.equal(['answered failed']);
      await bench.store.passTime(DAY_MS);
      const young = await bench.arrive({ job_id: 'young' }, [OPS]);
      await forget({ doneBefore: now() });
      expect(await left()).to.deep.equal(['young']);
      expect((await bench.store.rows('deliveries')).map((row) => Number(row['id']))).to.deep.equal(
        young.deliveries.map(({ id }) => id),
      );
      expect(await bench.store.rows('history')).to.deep.equal([]);
    });

    it('a job with its last callback only, and no result while its beginning, which must not be sent any more, or the notice that it was overdue is kept', async () => {
      const { bot_id: botId, job_id } = callbackWith();
      await finish({ code: 1 }, [OPS]);
      await bench.arrive({ code: 2 }, [OPS]);
      const begun = { job_id: 'begun', status: EXECUTING } as const;
      const [beginning] = await bench.settled(bench.arrive(begun, [OPS]), dead);
      await finish({ job_id: 'begun' }, [OPS]);
      await finish({ job_id: 'overdue', status: EXECUTING }, [OPS]);
      const notice = { kind: 'overdue', jobId: 'overdue', botId, subject: '{}' };
      await bench.store.call(writeOwnNotice, [notice, [OPS]]);
      await bench.arrive({ job_id: 'overdue' }, []);
      await forgetDone();
      expect(await left()).to.deep.equal([job_id, 'begun', 'begun', 'overdue', 'overdue']);
      expect(await bench.arrive({ status: EXECUTING, code: 3 }, [OPS])).to.include({ isSuperseded: true });
      const actor = { via: 'page', user: undefined, from: 'here' } as const;
      expect(await bench.ledger.actions.redeliver(beginning.id, actor, false)).to.equal('superseded');
    });

    it('the latest error, and the latest missed result, of a BOT only once its incident is over', async () => {
      const fails = (job_id: string) => finish({ status: 1, message: 'x', job_id }, [OPS]);
      const misses = (jobId: string) => {
        const notice = { kind: 'missed', jobId, botId: callbackWith().bot_id, subject: '{}' };
        return bench.store.call(writeOwnNotice, [notice, []]);
      };
      for (const nth of ['first', 'last']) await Promise.all([fails(nth), misses(`${nth} missed`)]);
      await forgetDone();
      expect((await left()).toSorted()).to.deep.equal(['last', 'last missed']);
      await bench.closeAll();
      await forgetDone(true);
      expect(await left()).to.deep.equal([]);
    });

    it('a start that nothing watches, and what another job or BOT has come to than that of a start that is kept', async () => {
      const start = { status: EXECUTING, job_id: 'kept' } as const;
      for (const planned of [[OPS], []]) {
        await finish({ ...start, job_id: 'unwatched' }, planned);
        await bench.arrive(start, [OPS]);
        await finish({ job_id: 'another' }, planned);
        await finish({ job_id: 'kept', bot_id: 'another' }, planned);
        from = OLDEST;
        await forget(planned.length > 0 ? { doneBefore: now() + 1 } : { reachedNobodyBefore: now() + 1 });
        expect(await left()).to.deep.equal(['kept']);
      }
    });

    it('what was held back for good, but nothing that is pending, dead, or held until a time', async () => {
      const hold = (reason: string, heldUntil?: number) => ({ state: 'held', reason, heldUntil }) as const;
      const names: DeliveryName[] = [];
      for (const job_id of ['unrouted', 'muted', 'dead', 'pending'])
        names.push(namesOf(await bench.arrive({ job_id }, [OPS]))[0]);
      const [unrouted = NOBODY, muted = NOBODY, died = NOBODY] = names;
      await bench.settle([
        failed(unrouted, hold('no longer routed')),
        failed(muted, hold('mute', now() + DAY_MS)),
        dead(died),
      ]);
      await bench.store.passTime(1000 * DAY_MS);
      await forgetDone();
      expect(await left()).to.deep.equal(['muted', 'dead', 'pending']);
    });

    it('of what reached nobody, callbacks that nobody was to be told of and starts whose result was there', async () => {
      await bench.arrive({ job_id: 'nobody' }, []);
      await bench.settled(bench.arrive({ job_id: 'job', status: EXECUTING }, [OPS]), failed);
      await finish({ job_id: 'job' }, [OPS]);
      await bench.arrive({ job_id: 'job', status: EXECUTING, message: 'late' }, [OPS]);
      const [, , held] = namesOf(await bench.arrive({ job_id: 'held' }, [OPS]));
      expect(held).to.equal(NOBODY);
      await forget({ reachedNobodyBefore: now() + 1 });
      expect(await left()).to.deep.equal(['job', 'held']);
    });

    it('nothing that the next digest counts, however old', async () => {
      await bench.arrive({ job_id: 'counted' }, []);
      await bench.store.passTime(DAY_MS);
      const digest = { key: 'digest ops', kind: 'digest', dueAt: now() + 7 * DAY_MS } as const;
      await adopting(bench.ledger, { timers: [{ ...digest, data: { since: now() } }] });
      await finish({ job_id: 'told' }, [OPS]);
      await bench.arrive({ job_id: 'nobody' }, []);
      await bench.store.passTime(5 * DAY_MS);
      await forget({ doneBefore: now(), reachedNobodyBefore: now() });
      expect(await left()).to.deep.equal(['told', 'nobody']);
      await adopting(bench.ledger, { ended: [digest.key] });
      await forget({ doneBefore: now(), reachedNobodyBefore: now() });
      expect(await left()).to.deep.equal([]);
    });

    it('on where it was, twenty at a time, past what has to stay, also after a restart', async () => {
      await bench.arrive({ job_id: 'pending' }, [OPS]);
      await bench.store.run(alike(50));
      expect(await forgetDone()).to.equal(3);
      expect(await left()).to.deep.equal(['pending']);
      await bench.store.run("update deliveries set state = 'delivered'");
      bench.ledger = await bench.openAs('later');
      await finish({ job_id: 'late' });
      await forgetDone();
      expect(await left(), 'what was looked at is not looked at again').to.deep.equal(['pending']);
      await forgetDone(true);
      expect(await left(), 'but anew').to.deep.equal([]);
    });

    it('past what has to stay without reading it again, once all that came before is counted', async () => {
      await bench.arrive({ status: EXECUTING }, [OPS]);
      await bench.store.run(alike(510));
      await bench.store.run(
        `update callbacks set job_id = 'job-1', status = case when identity is null then 2 else 0 end`,
      );
      await finish({ job_id: 'late' });
      expect(await forgetDone()).to.equal(27);
      expect(new Set(await left())).to.deep.equal(new Set(['job-1']));
    });

    it('no further than the first that is too young, and goes on there when it is old', async () => {
      await finish({ job_id: 'old' });
      await bench.store.passTime(DAY_MS);
      await finish({ job_id: 'young' });
      await forget({ doneBefore: now() });
      expect(await left()).to.deep.equal(['young']);
      await bench.store.run(alike(20));
      expect(await forget({ doneBefore: now() })).to.equal(1);
      await bench.store.passTime(DAY_MS);
      await forget({ doneBefore: now() });
      expect(await left()).to.deep.equal([]);
    });

    it('what comes after something that came when the clock was far ahead', async () => {
      await finish({ job_id: 'future' });
      await finish({ job_id: 'past' });
      const ahead = now() + 1000 * DAY_MS;
      await bench.store.run(`update callbacks set received_at = ${ahead} where job_id = 'future'`);
      await bench.store.passTime(DAY_MS);
      await forget({ doneBefore: now() });
      expect(await left()).to.deep.equal(['future']);
    });

    it('and not when something came that is being attempted while the clock is set back: it is known by that', async () => {
      const { deliveries } = await bench.arrive({}, [OPS]);
      bench.store.clock.setBy(-DAY_MS);
      await forget({ doneBefore: now() });
      await bench.settle(deliveries.map(delivered));
      expect((await bench.store.rows('deliveries')).map(({ state }) => state)).to.deep.equal(['delivered']);
    });

    it('snoozes three days after they ended, facts and bulk redeliveries after 400, and paces once they are over', async () => {
      const ago = (days: number, ms = 0) => now() - days * DAY_MS - ms;
      const many = Array<number>(505).fill(ago(3, 1));
      for (const [table, row, times] of [
        [
          'snoozes',
          "(until_at, is_until_success, because, actor, created_at) values ($at, 0, '', '{}', 0)",
          [ago(3), ...many],
        ],
        ['streaks', "(bot_key, updated_at) values ('$at', $at)", [ago(400), ago(400, 1)]],
        [
          'bulks',
          "(what, filter, actor, state, started_at, ended_at, until_id) values ('', '', '{}', '', 0, $at, 0)",
          [ago(400), ago(400, 1)],
        ],
        ['paces', "(key, next_at) values ('$at', $at)", [ago(0, 60_000), ago(0, 60_001)]],
        ['runs', "(bot_key, job_id, day, status) values ('', '$at', $at, 0)", [ago(62), ago(62, 1)]],
        ['days', `values ('', $at, '', ''${', 0'.repeat(10)})`, [ago(402), ago(402, 1)]],
      ] as const) {
        const rows = times.map((at) => `insert into ${table} ${row.replaceAll('$at', String(at))}`);
        await bench.store.run(rows.join(';'));
        await forgetDone(true);
        expect(await bench.store.rows(table, '1'), table).to.have.length(1);
      }
    });

    it('and never gives an id twice', async () => {
      const { callbackId } = await finish({ job_id: 'first' });
      await forgetDone();
      expect((await finish({ job_id: 'second' })).callbackId).to.be.above(callbackId);
      await forgetDone();
      expect(await left()).to.deep.equal([]);
    });
  });
}
