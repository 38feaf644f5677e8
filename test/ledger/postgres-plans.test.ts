/** A job may have any number of callbacks: what one more of them asks of PostgreSQL does not grow with these. */
import { expect } from 'chai';
import { CompiledQuery } from 'kysely';
import type { OpenStore } from '../../src/ledger/dialect.ts';
import { openPostgres } from '../../src/ledger/postgres/store.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import {
  arrivalOf,
  claimAllDue,
  delivered,
  EXECUTING,
  settlementOf,
  target,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { AskedStatements } from '../support/asked-statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';

const OPS = target('slack:#ops');
const OPTIONS = { owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 };

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

function callbacksRead(plan: Plan): number {
  const own = plan['Relation Name'] === 'callbacks' ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + callbacksRead(each), own);
}

/** What is asked within transactions goes to `asked`. */
function listening(store: OpenStore, asked: AskedStatements): OpenStore {
  const transact: OpenStore['traits']['transact'] = (db, settings, work) =>
    store.traits.transact(db, settings, (trx) => work(asked.listening(trx)));
  return { ...store, traits: { ...store.traits, transact } };
}

describe('PostgreSQL', () => {
  let server: PostgresServer;
  let store: PostgresStore;
  let opened: OpenStore;
  const clock = new ManualClock();

  before(async () => {
    server = await startPostgres();
    store = await createPostgresStore(server, clock);
    await store.open({ clock, ...OPTIONS });
    opened = openPostgres(store.url, () => undefined);
  });

  after(async () => {
    await opened.close();
    await store.close();
    await server.close();
  });

  const addResults = async (jobId: string) => {
    await store.run(`insert into callbacks
        (kind, identity, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at, times_received, body, routing)
      select 'callback', number::text, '${jobId}', '', '', 1, 0, 0, 0, 1, '{}', '[]'
      from generate_series(1, 20000) as number`);
    await store.run('analyze callbacks');
  };

  const addDelivered = async (count: number) => {
    await store.run(`insert into callbacks
        (kind, identity, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at, times_received, body, routing)
      select 'callback', '', 'old ' || number, '', '', 0, 0, 0, 0, 1, '{}', '[]' from generate_series(1, ${count}) as number`);
    await store.run(`insert into deliveries
        (callback_id, job_key, destination, channel, address, state, attempts, refusals, is_ours, due_at, updated_at)
      select id, job_id, 'slack:#ops', 'slack', '#ops', 'delivered', 1, 0, 0, 0, 0 from callbacks where job_id like 'old %'`);
    await store.run('analyze');
  };

  it('reads no table whole to admit a callback, to settle it, or to claim what is due', async () => {
    await addDelivered(20_000);
    await store.query('select pg_stat_reset()');
    const ledger = new SqlLedger(
      openPostgres(store.url, () => undefined),
      { clock, ...OPTIONS },
    );
    const arrive = (index: number, isAccepted: boolean) =>
      ledger.admit({
        ...arrivalOf(callbackWith({ job_id: `new ${index}` }), [OPS], clock.now()),
        isAccepted,
      });
    for (let index = 0; index < 3; index += 1) {
      const { deliveries } = await arrive(index, false);
      await ledger.settle(settlementOf(deliveries.map(({ id }) => delivered(id))));
    }
    await arrive(3, true);
    const due = await claimAllDue(ledger);
    await ledger.settle(settlementOf(due.map(({ record }) => delivered(record.id))));
    // A session reports what it has read when it ends.
    await ledger.close();

    const read = await store.query(`select relname, (seq_tup_read + idx_tup_fetch)::int as rows
      from pg_stat_user_tables where relname in ('callbacks', 'deliveries', 'history')`);
    expect(due).to.have.length(1);
    expect(read).to.have.length(3);
    for (const { relname, rows } of read) expect(rows, String(relname)).to.be.at.most(100);
  });

  it('looks at one result of a job at most to see that it has one', async () => {
    const asked = new AskedStatements();
    const ledger = new SqlLedger(listening(opened, asked), { clock, ...OPTIONS });
    const arrive = (job_id: string, isAccepted: boolean) =>
      ledger.admit({
        ...arrivalOf(callbackWith({ job_id, status: EXECUTING }), [OPS], clock.now()),
        isAccepted,
      });
    await addResults('many');
    expect(await arrive('many', false)).to.include({ isNew: true, isSuperseded: true });
    expect(await arrive('many', false)).to.include({ isNew: false, isSuperseded: true });
    await arrive('started', true);
    await addResults('started');
    expect(await claimAllDue(ledger)).to.deep.equal([]);

    const looks = asked
      .compiledBy(opened.db)
      .filter(({ sql }) => /^\s*select\b.*status in \(0, 1\)/s.test(sql));
    expect(looks).to.have.length(3);
    for (const { sql, parameters } of looks) {
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
      const { rows } = await opened.db.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain);
      const plans = rows.map((row) => row['QUERY PLAN'][0].Plan);
      expect(
        plans.map((plan) => callbacksRead(plan)),
        sql,
      ).to.deep.equal([1]);
    }
  });
});
