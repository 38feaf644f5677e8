/** What every ledger promises of what reached nobody, of causes, and of what came again and again. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { Admission, DeliveryTarget, Ledger } from '../../src/ledger/ledger.ts';
import type { Sweep } from '../../src/ledger/retention/retention.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  answered,
  arrivalOf,
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

const OPS = target('slack:#ops');
const DAY_MS = 86_400_000;

export function describeForgetting(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} forgets`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: Ledger;

    const open = () =>
      store.open({ clock, owner: 'first', leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const admit = (fields: Partial<Callback>, planned: readonly DeliveryTarget[] = []) =>
      ledger.admit(arrivalOf(callbackWith(fields), planned, clock.now()));
    const arrive = async (fields: Partial<Callback>, planned?: readonly DeliveryTarget[]) =>
      answered(ledger, await admit(fields, planned));
    const forgotten = async (sweep: Sweep, after?: number) => {
      const { forgotten: count } = await ledger.prune({ sweep, before: clock.now() + 1, after });
      return count;
    };
    const left = async () => (await store.rows('callbacks')).map((row) => row['job_id']);

    beforeEach(async () => {
      clock = new ManualClock();
      store = await createStore(clock);
      ledger = await open();
    });

    afterEach(() => store.close());

    it('of what reached nobody, callbacks that nobody was to be told of and ones whose result was there first', async () => {
      await arrive({ job_id: 'nobody' });
      const ids = idsOf(await arrive({ job_id: 'job', status: EXECUTING }, [OPS]));
      await ledger.settle(settlementOf(ids.map(failed)));
      await ledger.settle(settlementOf(idsOf(await arrive({ job_id: 'job' }, [OPS])).map(delivered)));
      await arrive({ job_id: 'job', status: EXECUTING, message: 'late' }, [OPS]);
      expect(await forgotten('reached_nobody')).to.equal(3);
      expect(await left()).to.deep.equal(['job']);
    });

    const idOf = (admission: Admission | undefined) => admission?.deliveries[0]?.id ?? -1;

    it('nothing as what reached nobody that was told, is pending or dead, or was held back for another reason', async () => {
      const [told, dead, held] = await Promise.all(
        ['told', 'dead', 'held', 'pending'].map((job_id) => arrive({ job_id }, [OPS])),
      );
      const unrouted = { state: 'held', hold: { code: 'no longer routed' } } as const;
      await ledger.settle(
        settlementOf([
          delivered(idOf(told)),
          { ...failed(idOf(dead)), state: 'dead' },
          { ...failed(idOf(held)), ...unrouted },
        ]),
      );
      expect(await forgotten('reached_nobody')).to.equal(0);
      expect(await left()).to.have.length(4);
    });

    it('on where it was, also after a restart; and each sweep for itself', async () => {
      for (const job_id of ['pending', 'other']) await arrive({ job_id }, [OPS]);
      await arrive({ job_id: 'one' });
      expect(await forgotten('reached_nobody')).to.equal(1);
      await store.run("update deliveries set state = 'held', held_because = 'superseded'");
      await ledger.close();
      ledger = await open();
      await arrive({ job_id: 'two' });
      expect(await forgotten('reached_nobody'), 'what was looked at is not looked at again').to.equal(1);
      expect(await left()).to.deep.equal(['pending', 'other']);
      expect(await forgotten('done')).to.equal(2);
    });

    it('what comes after everything was forgotten, whatever ids the database gives it', async () => {
      for (let number = 0; number < 5; number += 1) await arrive({ job_id: `early ${number}` });
      expect(await forgotten('reached_nobody')).to.equal(5);
      await arrive({ job_id: 'late' });
      expect(await forgotten('reached_nobody')).to.equal(1);
      await arrive({ job_id: 'later' });
      expect(await forgotten('done')).to.equal(1);
      await arrive({ job_id: 'last' });
      expect(await forgotten('reached_nobody')).to.equal(1);
    });

    it('no more than so many bytes and so many entries at a step, and all of them in the end', async () => {
      const { callbackId } = await arrive({ job_id: 'again and again' });
      await store.run(`
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1199)
        insert into history (callback_id, entry) select ${callbackId}, '{}' from numbers`);
      const entries = async () => (await store.rows('history')).length;
      const seen: number[] = [];
      for (let step = 0; step < 3; step += 1) {
        await forgotten('done');
        seen.push(await entries());
      }
      expect(seen).to.deep.equal([700, 200, 0]);
      expect(await left()).to.deep.equal([]);
      await store.run(`
        insert into callbacks (kind, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at,
          times_received, body, routing)
        select 'callback', 'large ' || job, '', '', 1, 0, 0, 0, 1, body, '[]' from
          (select 1 as job union all select 2 union all select 3) as jobs,
          (select '${'x'.repeat(5_000_000)}' as body) as bodies`);
      const counts = [];
      for (let step = 0; step < 3; step += 1) counts.push(await forgotten('done'));
      expect(counts).to.deep.equal([1, 1, 1]);
    });

    it('nothing that came again and is not answered yet, however old it is', async () => {
      const once = await arrive({}, [OPS]);
      await ledger.settle(settlementOf(idsOf(once).map(delivered)));
      await admit({}, [OPS]);
      await admit({}, [OPS]);
      expect(await forgotten('done', 0)).to.equal(0);
      await answered(ledger, once);
      expect(await forgotten('done', 0), 'one of two requests is answered').to.equal(0);
      await answered(ledger, once);
      expect(await forgotten('done', 0)).to.equal(1);
    });

    it('causes of alerts once what they would tell is of no use to anybody', async () => {
      const alertOf = (cause: string) =>
        ({ cause, subject: DEAD_LETTER, targets: [OPS], language: 'en' }) as const;
      const refused = { receivedAt: 1, status: 422, detail: '', errors: [], from: '', body: '{}' } as const;
      for (const cause of ['a', 'b']) await ledger.refuse(refused, alertOf(cause));
      await store.passTime(2 * DAY_MS);
      await ledger.refuse(refused, alertOf('c'));
      await ledger.tidy();
      const causes = async () => (await store.rows('alert_causes', 'cause')).map((row) => row['cause']);
      expect(await causes()).to.deep.equal(['a', 'b', 'c']);
      await store.passTime(1.5 * DAY_MS);
      expect(await ledger.tidy(), 'whether there are more').to.equal(false);
      expect(await causes()).to.deep.equal(['c']);
    });
  });
}
