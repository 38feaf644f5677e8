/** PostgreSQL keeps every promise of a ledger, with any number of replicas on it, and through its own absence. */
import { expect } from 'chai';
import { sql } from 'kysely';
import pg from 'pg';
import { type Alert, type Ledger, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { describeActions } from '../contract/action-contract.ts';
import { describeAlerts } from '../contract/alert-contract.ts';
import { openPostgres } from '../../src/ledger/postgres/store.ts';
import { nextAfter } from '../../src/ledger/retention/prune.ts';
import { isReadAtOnce } from '../../src/ledger/stored-body.ts';
import { describeForgetting } from '../contract/forgetting-contract.ts';
import { describeArchive } from '../contract/archive-contract.ts';
import { describeConfigChanges } from '../contract/config-contract.ts';
import { describeDueDeliveries } from '../contract/due-contract.ts';
import {
  arrivalOf,
  claimedOf,
  delivered,
  describeLedger,
  failed,
  idsOf,
  settlementOf,
  target,
  claimAllDue,
} from '../contract/ledger-contract.ts';
import { describeOldLedger } from '../contract/old-ledger-contract.ts';
import { OLD_POSTGRES_LEDGER } from '../support/old-ledger.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { lockTable } from '../support/lock-table.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const MINUTE_MS = 60_000;

describe('PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  describeLedger('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeDueDeliveries('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeForgetting('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeAlerts('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeConfigChanges('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeArchive('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeActions('PostgreSQL', (clock) => createPostgresStore(server, clock));

  describe('', () => {
    let ledger: OpenLedger;

    afterEach(() => ledger.close());

    describeOldLedger('PostgreSQL', async () => {
      const url = await server.createDatabase();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(OLD_POSTGRES_LEDGER);
      await client.end();
      const clock = new ManualClock();
      ledger = await openLedger(url, { clock, owner: 'new', leaseMs: 18_000, takeOverAfterMs: 120_000 });
      return ledger;
    });
  });

  describe('shared by replicas', () => {
    let store: PostgresStore;
    let clock: ManualClock;

    const openAs = (owner: string, itsClock = clock) =>
      store.open({ clock: itsClock, owner, leaseMs: 18_000, takeOverAfterMs: 2 * MINUTE_MS });
    const arrive = (job_id: string, by: Ledger) =>
      by.admit(arrivalOf(callbackWith({ job_id }), [OPS, LOG], clock.now()));

    const alertOn = (cause: string): Alert => ({
      cause,
      subject: DEAD_LETTER,
      targets: [target('slack:#alerts')],
      language: 'en',
    });
    beforeEach(async () => {
      clock = new ManualClock();
      store = await createPostgresStore(server, clock);
    });

    afterEach(() => store.close());

    describe('never has them wait for each other in a circle', () => {
      const jobs = Array.from({ length: 6 }, (_, number) => `job-${number}`);
      const alerting = (ids: readonly number[]) =>
        settlementOf(ids.map((id, at) => ({ ...failed(id), dueInMs: 0, alert: alertOn(`cause ${at % 6}`) })));

      /** Whoever a deadlock throws out waits for a clock that stands still, so the test would never end. */
      async function rounds(
        work: (
          replicas: readonly [Ledger, Ledger],
          ids: readonly number[],
          names: string[],
        ) => Promise<unknown>,
      ) {
        const replicas = [await openAs('one'), await openAs('other')] as const;
        for (let round = 0; round < 8; round += 1) {
          const names = jobs.map((job) => `${job}-${round}`);
          const admissions = await Promise.all(names.map((job) => arrive(job, replicas[0])));
          await work(replicas, admissions.flatMap(idsOf), names);
        }
      }

      it('over the same deliveries', () =>
        rounds(([one, other], ids) =>
          Promise.all([
            one.settle(settlementOf(ids.map(delivered))),
            other.settle(settlementOf(ids.toReversed().map(delivered))),
            one.settle(alerting(ids)),
          ]),
        ));

      it('over the same causes', () =>
        rounds(([one, other], ids) => {
          const causes = ids.map((_, at) => alertOn(`cause ${at}`));
          const bring = (by: Ledger, alerts: readonly Alert[], job: string) =>
            by.admit({ ...arrivalOf(callbackWith({ job_id: job }), [], clock.now()), alerts });
          return Promise.all([
            bring(one, causes, `one ${ids[0]}`),
            bring(other, causes.toReversed(), `other ${ids[0]}`),
          ]);
        }));

      it('where retries come in, outcomes are written and the worker claims, all at once', () =>
        rounds(async ([one, other], ids, names) => {
          await one.settle(alerting(ids));
          await Promise.all([
            ...names.toReversed().map((job) => arrive(job, other)),
            ...names.map((job) => arrive(job, one)),
            one.settle(settlementOf(ids.map(delivered))),
            other.settle(alerting(ids)),
            claimAllDue(other, 64),
          ]);
        }));
    });

    it('tells once what reaches two of them at the same moment', async () => {
      const [one, other] = [await openAs('one'), await openAs('other')];
      const jobs = Array.from({ length: 50 }, (_, number) => `job-${number}`);
      // In opposite orders: whoever is second must wait for the first, never each for the other.
      const [ones, others] = await Promise.all([
        Promise.all(jobs.map((job) => arrive(job, one))),
        Promise.all(jobs.toReversed().map((job) => arrive(job, other))),
      ]);
      const claims = [...ones, ...others].flatMap(({ claimed }) => [...claimed]);
      expect(claims).to.have.length(100);
      expect(new Set(claims).size).to.equal(100);
      expect(await store.rows('callbacks')).to.have.length(50);
    });

    it('tells once whatever isolation the server has as its default', async () => {
      await store.run(`do $$ begin execute format(
        'alter database %I set default_transaction_isolation = %L', current_database(), 'repeatable read'); end $$`);
      const replicas = [await openAs('one'), await openAs('other')];
      for (let number = 0; number < 20; number += 1) {
        const both = await Promise.all(replicas.map((replica) => arrive(`job-${number}`, replica)));
        expect(both.flatMap(claimedOf)).to.have.length(2);
        expect(both.map(({ timesReceived }) => timesReceived).toSorted()).to.deep.equal([1, 2]);
      }
    });

    it('keeps to one time when the clock of a replica is minutes off', async () => {
      const one = await openAs('one');
      const early = await openAs('early', new ManualClock(clock.now() - 10 * MINUTE_MS));
      const late = await openAs('late', new ManualClock(clock.now() + 10 * MINUTE_MS));
      await arrive('job-1', one);
      expect(claimedOf(await arrive('job-1', late)), 'the claim stands').to.deep.equal([]);
      await arrive('job-2', late);
      expect(await claimAllDue(late, 9), 'the service may still retry').to.deep.equal([]);
      await store.passTime(2 * MINUTE_MS);
      const due = [...(await claimAllDue(early, 2)), ...(await claimAllDue(one, 9))];
      expect(due.map(({ notice }) => callbackOf(notice).job_id).toSorted()).to.deep.equal([
        'job-1',
        'job-1',
        'job-2',
        'job-2',
      ]);
    });

    it('keeps what no text column can hold to the letter in the body', async () => {
      const ledger = await openAs('one');
      const callback = callbackWith({
        job_id: 'a\u0000b\ud800c',
        bot_id: '\u0000',
        bot_name: '\udc00',
        message: '\u0000 \ud800 \udc00\ud800',
        output: { '\u0000': '\udfff' },
      });
      const admission = await ledger.admit(arrivalOf(callback, [OPS], clock.now()));
      const error = { class: 'transient', code: '\u0000', message: 'a\u0000b \ud800' } as const;
      const [id] = idsOf(admission);
      await ledger.settle({
        ...settlementOf([
          { ...delivered(id), state: 'pending', lastError: error, receipt: { ts: '\u0000' } },
        ]),
        history: {
          callbackId: admission.callbackId,
          attempts: [{ deliveryId: id, startedAt: 1, durationMs: 1, outcome: 'transient', error }],
          answer: undefined,
        },
      });
      await store.passTime(2 * MINUTE_MS);
      const [due] = await claimAllDue(ledger, 9);
      expect(due && callbackOf(due.notice)).to.deep.equal(callback);
      expect(due?.record.lastError?.message).to.equal('ab \ufffd');
    });

    it('prepares an empty database once when several open it at the same moment', async () => {
      const url = await server.createDatabase();
      const options = { clock, leaseMs: 18_000, takeOverAfterMs: MINUTE_MS };
      const owners = ['one', 'two', 'three', 'four'];
      const ledgers = await Promise.all(owners.map((owner) => openLedger(url, { ...options, owner })));
      await Promise.all(ledgers.map((ledger) => ledger.probe()));
      await Promise.all(ledgers.map((ledger) => ledger.close()));
    });

    it('refuses a database that a newer version has written, and leaves it as it is', async () => {
      await openAs('one');
      await store.query("insert into kysely_migration values ('9999-from-the-future', '2030-01-01')");
      const error = await rejectionOf(openAs('two'));
      expect(error.message).to.match(/newer version of Botbell.*another store\.url/);
      const left = await store.query("delete from kysely_migration where name like '9999%' returning name");
      expect(left).to.have.length(1);
    });
  });

  it('says why it cannot be opened, and no password', async () => {
    const options = { clock: new ManualClock(), owner: 'one', leaseMs: 1000, takeOverAfterMs: 1000 };
    for (const url of ['postgres://u:s3cret@127.0.0.1:1/none', 'postgres://u:s3cret@localhost:1/none']) {
      const error = await rejectionOf(openLedger(url, options));
      expect(error.message).to.match(/^the ledger could not be prepared: .*ECONNREFUSED/);
      expect(error.message).not.to.contain('s3cret');
    }
  });

  describe('that goes away and comes back', () => {
    it('is unavailable meanwhile and works again afterwards, with what was told written down first', async () => {
      const store = await createPostgresStore(server);
      const clock = new ManualClock();
      const troubles: Error[] = [];
      const ledger = await store.open({
        clock,
        owner: 'one',
        leaseMs: 18_000,
        takeOverAfterMs: MINUTE_MS,
        onTrouble: (error) => troubles.push(error),
      });
      const arrive = (job_id: string) =>
        ledger.admit(arrivalOf(callbackWith({ job_id }), [OPS], clock.now()));
      const [told] = idsOf(await arrive('told'));
      // Some connections are in use when the server goes away, the others are idle.
      await Promise.all(Array.from({ length: 6 }, () => ledger.countOpen()));
      const release = await lockTable(store.url, 'deliveries');
      const waiting = Promise.allSettled([arrive('job-1'), claimAllDue(ledger, 9), ledger.countOpen()]);
      await server.stop();
      for (const outcome of await waiting) {
        // One that gets the table in the very moment in which the server ends whoever had it may still pass.
        if (outcome.status === 'rejected') expect(outcome.reason).to.be.instanceOf(LedgerUnavailable);
      }
      await release().catch(() => undefined);
      const calls: (() => Promise<unknown>)[] = [
        () => arrive('job-2'),
        () => ledger.settle(settlementOf([delivered(told)])),
        () => claimAllDue(ledger, 9),
        () => ledger.countOpen(),
        () => ledger.probe(),
        () => ledger.prune({ sweep: 'done', before: 0 }),
      ];
      for (const call of calls) {
        expect(await rejectionOf(clock.runAlong(call()))).to.be.instanceOf(LedgerUnavailable);
      }
      await server.start();
      await store.passTime(10 * MINUTE_MS);
      const due = await claimAllDue(ledger, 9);
      expect(due.map(({ record }) => record.id)).not.to.include(told);
      expect((await store.rows('deliveries')).map((row) => row['state'])).to.include('delivered');
      expect((await arrive('job-2')).isNew).to.equal(true);
      expect(troubles, 'idle connections that ended').not.to.deep.equal([]);
      await store.close();
    });
  });

  it('reads nothing of large bodies when it claims what is due', async () => {
    const store = await createPostgresStore(server);
    await store.open({ clock: new ManualClock(), owner: 'one', leaseMs: 1000, takeOverAfterMs: 1000 });
    await store.run(`insert into callbacks
        (kind, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at, times_received, body, routing)
      select 'callback', 'large', '', '', 1, 0, 0, 0, 1, string_agg(md5(number::text), ''), '[]'
      from generate_series(1, 100000) as number`);
    const { db } = openPostgres(store.url, () => undefined);
    const body = sql`case when ${isReadAtOnce(true)} then body end`.as('body');
    const plan = await db
      .selectFrom('callbacks')
      .select(body)
      .explain('json', sql`analyze, buffers`);
    await db.destroy();
    await store.close();
    const [, blocks] = /"Shared Hit Blocks":(\d+)/.exec(JSON.stringify(plan)) ?? [];
    expect(Number(blocks), 'the body alone takes hundreds').to.be.lessThan(50);
  });

  it('finds what may be forgotten by the order of the callbacks, however many there are', async () => {
    const clock = new ManualClock();
    const store = await createPostgresStore(server, clock);
    await store.open({ clock, owner: 'one', leaseMs: 1000, takeOverAfterMs: 1000 });
    await store.run(`insert into callbacks
        (kind, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at, times_received, body, routing)
      select 'callback', number::text, '', '', 1, 0, 0, 0, 1, '{}', '[]' from generate_series(1, 20000) as number`);
    await store.run('analyze callbacks');
    const { db } = openPostgres(store.url, () => undefined);
    const [middle] = await store.query('select max(id) - 10000 as id from callbacks');
    const plan = JSON.stringify(await nextAfter(db, Number(middle?.['id'])).explain());
    await db.destroy();
    await store.close();
    expect(plan).to.contain('Index Scan using callbacks_pkey').and.not.to.contain('Seq Scan');
  });
});
