/** A ledger whose PostgreSQL, or another replica, does not answer: nobody waits longer than they said, nor for another's job. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { expect } from 'chai';
import sql from 'sql-template-tag';
import type { Tx } from '../../src/ledger/database.ts';
import { troubleOf } from '../../src/ledger/failures.ts';
import {
  type Arrival,
  type DeliveryRecord,
  type DeliveryUpdate,
  LedgerUnavailable,
} from '../../src/ledger/ledger.ts';
import { inspectStore, openLedger } from '../../src/ledger/open-ledger.ts';
import { openPostgres } from '../../src/ledger/postgres/transactions.ts';
import { jobKeyOf } from '../../src/ledger/callbacks/keys.ts';
import { systemClock } from '../../src/time/clock.ts';
import { arrivalOf, claimedOf, LOG, OPS } from '../contract/arrivals.ts';
import { adopting, ANY, claimFor } from '../contract/ledger-bench.ts';
import { answerOf, settleAll, settlementOf, settlementsOf } from '../contract/settlements.ts';
import { delivered, namesOf, NOBODY, putOff } from '../contract/updates.ts';
import { anew, forAll } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { holdLocks, lockTable } from '../support/lock-table.ts';
import { startOwnPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { askingOf, OPTIONS } from '../support/store-under-test.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const WITHIN_MS = 300;
/** After ten seconds, a silent server is given up whatever was asked. */
const LATE_MS = 9000;
/** So long that no test sees its end. */
const PATIENT_MS = 60_000;
/** Time to wait for a lock once or twice. */
const BRIEF_MS = 2500;

/** What ends before the server is given up: the two are timers of one event loop, however busy the machine is. */
const sooner = <T>(promise: Promise<T>) =>
  Promise.race([promise, sleep(LATE_MS, undefined, { ref: false }).then(() => expect.fail('it waits'))]);

describe('a PostgreSQL ledger that does not answer', () => {
  const server = forAll(() => startOwnPostgres());
  let store: PostgresStore;
  let proxy: TcpProxy;
  let proxied: string;
  let ledger: DatabaseLedger;

  const optionsOf = (owner: string) => ({ ...OPTIONS, clock: systemClock, owner });
  const arrive = (job_id: string, by = ledger, withinMs = WITHIN_MS) =>
    by.admit(arrivalOf(callbackWith({ job_id }), [OPS, LOG]), withinMs);

  beforeEach(async () => {
    store = await createPostgresStore(server);
    const url = new URL(store.url);
    proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(url.port) });
    url.port = String(proxy.port);
    proxied = url.href;
    ledger = await openLedger(proxied, optionsOf('one'));
    await arrive('before', ledger, PATIENT_MS);
  });

  afterEach(async () => {
    recover();
    await ledger.close();
    await proxy.close();
    await store.close();
  });

  /** The answer to the next commit gets lost, and all that follows. */
  const loseTheNextCommit = () => {
    proxy.onSent = (text) => {
      if (/commit\0/i.test(text)) proxy.loseAnswers();
    };
  };

  const recover = () => {
    proxy.onSent = () => undefined;
    proxy.recover();
  };

  const backends = (more = '') =>
    store.query(`select pid from pg_stat_activity where application_name = 'botbell' ${more}`);

  it('gives everybody up in the time they gave, however many there are and whatever they ask', async () => {
    proxy.fallSilent();
    const calls = [
      ...Array.from({ length: 200 }, (_, number) => arrive(`job-${number}`)),
      ledger.settle(settlementOf(delivered(NOBODY)), WITHIN_MS),
      ledger.takeOver([NOBODY], WITHIN_MS),
    ];
    const errors = await sooner(Promise.all(calls.map(rejectionOf)));
    expect(errors.every((error) => error instanceof LedgerUnavailable)).to.equal(true);
  });

  it('takes a burst of callbacks over a slow network in few transactions, also of BOTs with rules, to channels that limit bursts, and of what only waits', async () => {
    const limited = [OPS, LOG].map((each) => ({ ...each, burst: { max: 1000, perMs: PATIENT_MS } }));
    const asking = askingOf(limited, { isRemembered: true, isPlain: false });
    let transactions = 0;
    proxy.onSent = (text) => void (transactions += text.split('BEGIN').length - 1);
    const burst = async (more: Partial<Arrival>, update: (record: DeliveryRecord) => DeliveryUpdate) => {
      transactions = 0;
      const came = await Promise.all(
        Array.from({ length: 240 }, (_, number) => {
          const callback = callbackWith({
            job_id: `job-${number} ${more.asking !== undefined}`,
            bot_id: `bot-${number % 60}`,
          });
          return ledger.admit({ ...arrivalOf(callback, [OPS, LOG]), ...more }, PATIENT_MS);
        }),
      );
      const records = came.flatMap(({ deliveries }) => deliveries);
      await Promise.all(records.map((each) => ledger.settle(settlementOf(update(each)), PATIENT_MS)));
      return transactions;
    };
    proxy.delayBy(10);
    expect(await burst({}, delivered)).to.be.below(30);
    const waits = (record: DeliveryRecord) => putOff(record, 0, { attempts: 0, lastError: undefined });
    expect(await burst({ asking }, waits)).to.be.below(30);
    proxy.delayBy(0);
    const counts = await store.query(
      `select state, is_taken_over, count(*)::int from deliveries where owner is null group by 1, 2 order by 1`,
    );
    expect(counts).to.deep.equal([
      { state: 'delivered', is_taken_over: 0, count: 480 },
      { state: 'pending', is_taken_over: 1, count: 480 },
    ]);
    expect(await store.query(`select count(*)::int from history where what = 'taken_over'`)).to.deep.equal([
      { count: 480 },
    ]);
  });

  it('takes at once what two replicas tell to channels that limit bursts, in whichever order', async () => {
    const second = await openLedger(proxied, optionsOf('two'));
    const limited = (target: typeof OPS) => ({ ...target, burst: { max: 1000, perMs: PATIENT_MS } });
    const tell = (by: DatabaseLedger, bots: string, places: readonly (typeof OPS)[]) =>
      places.map((place, number) => {
        const asking = askingOf([limited(place)], { isPlain: false });
        const callback = callbackWith({ bot_id: `${bots} ${number}` });
        return by.admit({ ...arrivalOf(callback, [place]), asking }, PATIENT_MS);
      });
    let undone = 0;
    proxy.onSent = (text) => void (undone += text.split('ROLLBACK').length - 1);
    const letGo = await holdLocks(
      store.url,
      `insert into timers (key, kind, due_at) values ('burst ${OPS.destination}', 'burst', 0)`,
    );
    const waiting = (most: number) =>
      until('they wait', async () => {
        const [row] = await store.query('select count(*)::int from pg_locks where not granted');
        return row?.['count'] === most;
      });
    const first = tell(ledger, 'first', [OPS, LOG]);
    await waiting(1);
    const others = tell(second, 'second', [LOG, OPS]);
    await waiting(2);
    await letGo();
    await Promise.all([...first, ...others]);
    await second.close();
    expect(undone).to.equal(0);
  });

  it('is read for one person while the question of another waits', async () => {
    const reader = await openPostgres({ url: store.url, ...optionsOf(''), isReader: true });
    let [reading, begin] = [0, () => {}];
    const bothRead = new Promise<void>((resolve) => (begin = resolve));
    const read = async (tx: Tx) => {
      await tx.first(sql`SELECT 1 AS one`);
      reading += 1;
      if (reading === 2) begin();
      await bothRead;
    };
    await Promise.all([read, read].map((each) => reader.run(each, { withinMs: PATIENT_MS })));
    await reader.close();
  });

  it('has the server end what takes too long, and keeps the connection', async () => {
    const unlock = await lockTable(store.url, 'callbacks');
    const refused = rejectionOf(arrive('job-1', ledger, BRIEF_MS));
    let waiting: unknown;
    await until('it waits for the lock', async () => {
      [waiting] = await backends(`and wait_event_type = 'Lock'`);
      return waiting !== undefined;
    });
    expect((await refused).message).to.contain('lock timeout');
    await unlock();
    await arrive('job-2', ledger, PATIENT_MS);
    expect(await backends()).to.deep.include(waiting);
  });

  it('writes an outcome once of which it did not hear that it was committed', async () => {
    const { callbackId, deliveries } = await arrive('job-1', ledger, PATIENT_MS);
    loseTheNextCommit();
    const [ops] = namesOf({ deliveries });
    const settlement = { ...settlementOf(delivered(ops), callbackId), answer: answerOf(200, 'delivered') };
    expect(await rejectionOf(ledger.settle(settlement, WITHIN_MS))).to.be.instanceOf(LedgerUnavailable);
    recover();
    await until('the store is back', () => arrive('after', ledger, 2000).then(Boolean, () => false));
    const { history = [] } = (await ledger.archive.story(callbackId)) ?? {};
    expect(history.filter(({ what }) => what === 'answered')).to.have.length(1);
    const again = await arrive('job-1', ledger, PATIENT_MS);
    expect(again.deliveries.map(({ state }) => state)).to.deep.equal(['delivered', 'pending']);
  });

  it('writes nothing of a callback where its transaction could not begin, and goes on over another connection', async () => {
    const before = await backends();
    proxy.onSent = (text) => text.replace('BEGIN ISOLATION', 'BEGIX ISOLATION');
    expect(await rejectionOf(arrive('job-1', ledger, PATIENT_MS))).to.be.instanceOf(LedgerUnavailable);
    proxy.onSent = () => undefined;
    expect((await store.rows('callbacks')).map(({ job_id: id }) => id)).to.deep.equal(['before']);
    expect(claimedOf(await arrive('job-1', ledger, PATIENT_MS))).to.have.length(2);
    // The server ends a closed connection's process when it comes to it.
    await until('the connection is closed', async () => {
      const after = await backends();
      return before.every(({ pid }) => after.every((other) => other['pid'] !== pid));
    });
  });

  it('leaves no session behind at a server whose synchronous standby is gone, and goes on without a restart', async () => {
    const setStandby = (how: string) =>
      store.query(`alter system ${how}`).then(() => store.query('select pg_reload_conf()'));
    await setStandby(`set synchronous_standby_names = 'gone'`);
    let jobs = 0;
    const isRefused = () => arrive(`job-${(jobs += 1)}`).then(() => false, Boolean);
    await until('a commit waits', isRefused);
    const next = await openPostgres({ url: store.url, ...optionsOf('next'), forsakenAfterMs: 0 });
    await until('no session waits', async () => (await backends(`and wait_event = 'SyncRep'`)).length === 0);
    await next.close();
    await setStandby('reset synchronous_standby_names');
    expect(claimedOf(await arrive('after', ledger, PATIENT_MS))).to.have.length(2);
  });

  it('keeps nobody else waiting while a frozen replica holds the lock of a job', async () => {
    const letGo = await holdLocks(
      store.url,
      `select pg_advisory_xact_lock(hashtextextended('${jobKeyOf('before', callbackWith().bot_id)}', 0))`,
    );
    const locked = Array.from({ length: 5 }, () => arrive('before', ledger, PATIENT_MS));
    const others = Array.from({ length: 20 }, (_, number) => arrive(`job-${number}`, ledger, PATIENT_MS));
    await Promise.all(others);
    expect(await rejectionOf(arrive('before', ledger, BRIEF_MS))).to.be.instanceOf(LedgerUnavailable);
    // Who has time waits for the lock longer than once.
    await letGo();
    for (const each of await Promise.all(locked)) expect(each).to.include({ isNew: false });
  });

  it('keeps an outcome whose row somebody has locked, which counts as delivered and for which nobody waits', async () => {
    const { deliveries } = await arrive('locked', ledger, PATIENT_MS);
    const [first] = namesOf({ deliveries });
    await ledger.upkeep.heartbeat({ hash: 'a', channels: new Map() });
    const letGo = await holdLocks(store.url, `select from deliveries where id = ${first.id} for update`);
    await rejectionOf(ledger.settle(settlementOf(delivered(first)), BRIEF_MS));
    expect(ledger.unwritten.has(first)).to.equal(true);
    await Promise.all(Array.from({ length: 12 }, (_, number) => arrive(`job-${number}`, ledger, PATIENT_MS)));
    await claimFor(ledger);
    const again = await arrive('locked', ledger, PATIENT_MS);
    const known = again.deliveries.filter(({ state }) => state === 'delivered');
    expect(known.map(({ id }) => id)).to.deep.equal([first.id]);
    expect(ledger.writtenAt, 'the store works').not.to.equal(undefined);
    await letGo();
    await ledger.unwritten.write();
    expect(ledger.unwritten.has(first)).to.equal(false);
    const told = (await store.rows('deliveries')).filter(({ state }) => state === 'delivered');
    expect(told.map(({ id }) => Number(id))).to.deep.equal([first.id]);
  });

  it('gives everything else that is due, and every other timer, where somebody has locked one', async () => {
    const accept = async (job_id: string) => {
      const arrival = arrivalOf(callbackWith({ job_id }), [OPS]);
      return namesOf(await ledger.admit({ ...arrival, isAccepted: true }, PATIENT_MS))[0];
    };
    const [first, second] = [await accept('locked'), await accept('free')];
    const timers = ['a', 'b'].map((key) => ({ key, kind: 'overdue', dueAt: 1, data: {} }) as const);
    await adopting(ledger, { timers });
    const letGo = await holdLocks(
      store.url,
      `select from deliveries where id = ${first.id} for update`,
      "select from timers where key = 'a' for update",
    );
    const { deliveries, tick } = await ledger.claim({ scope: ANY, tick: { timers: 9, configHash: 'a' } });
    expect(deliveries.map(({ record }) => record.id)).to.deep.equal([second.id]);
    expect(tick?.timers.map(({ key }) => key)).to.deep.equal(['b']);
    await letGo();
  });

  it('closes in a second all the same', async () => {
    const { deliveries } = await arrive('job-1', ledger, PATIENT_MS);
    proxy.fallSilent();
    await rejectionOf(settleAll(ledger, settlementsOf(deliveries.map(delivered)), WITHIN_MS));
    await sooner(ledger.close());
  });
});

describe('a PostgreSQL ledger that is shared', () => {
  const server = forAll(() => startOwnPostgres());
  const store = anew(() => createPostgresStore(server));
  const arrive = (by: DatabaseLedger, job_id: string, withinMs?: number) =>
    by.admit(arrivalOf(callbackWith({ job_id }), [OPS]), withinMs);
  const optionsOf = (owner: string) => ({ ...OPTIONS, clock: systemClock, owner });

  it('tells once what reaches several replicas at the same moment, whatever isolation the server prefers', async () => {
    await store.run(
      `do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database()); end $$`,
    );
    const ledgers = await Promise.all(
      ['one', 'two'].map((owner) => store.open({ owner, clock: systemClock })),
    );
    const jobs = Array.from({ length: 30 }, (_, number) => `job-${number}`);
    const admissions = await Promise.all(ledgers.flatMap((by) => jobs.map((job_id) => arrive(by, job_id))));
    expect(admissions.flatMap(claimedOf)).to.have.length(jobs.length);
  });

  it('refuses while it may only be read, by name, and no callback once its server takes writes again', async () => {
    const ledger = await store.open({ clock: systemClock });
    const [{ name = '' } = {}] = await store.query('select current_database() as name');
    const arriveAll = (jobs: string) =>
      Promise.allSettled(Array.from({ length: 12 }, (_, number) => arrive(ledger, `${jobs} ${number}`)));
    await arriveAll('before');
    // As the standby to which a name leads during a fail-over.
    await store.query(`alter database ${String(name)} set default_transaction_read_only = on`);
    await store.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'botbell' and datname = '${String(name)}'`,
    );
    await until('all connections may only read', async () =>
      (await arriveAll('meanwhile')).every(
        (each) => each.status === 'rejected' && troubleOf(each.reason) === 'read-only',
      ),
    );
    expect(ledger.writtenAt, 'not ready').to.equal(undefined);
    expect((await rejectionOf(inspectStore(store.url))).message, 'of a check').to.include('is read-only');
    await ledger.processes();
    await store.query(
      `begin read write; alter database ${String(name)} reset default_transaction_read_only; commit`,
    );
    expect((await arriveAll('after')).map(({ status }) => status)).to.not.include('rejected');
  });

  it('is unavailable, and not ready, while its role may not write what it has written before, or a table or a constraint is gone', async () => {
    await (await store.open()).close();
    await store.query('create role clerk login; grant all on all tables in schema public to clerk');
    await store.query('grant all on all sequences in schema public to clerk');
    const ledger = await openLedger(store.url.replace('postgres@', 'clerk@'), optionsOf('clerk'));
    await arrive(ledger, 'before');
    await store.query('revoke insert on callbacks from clerk');
    expect(troubleOf(await rejectionOf(arrive(ledger, 'meanwhile')))).to.equal('read-only');
    expect(ledger.trouble).to.equal('permission denied for table callbacks');
    expect(ledger.writtenAt).to.equal(undefined);
    await store.query('grant insert on callbacks to clerk');
    await store.query('alter table callbacks rename to elsewhere');
    expect(troubleOf(await rejectionOf(arrive(ledger, 'meanwhile')))).to.equal('gone');
    expect(ledger.trouble).to.equal('relation "callbacks" does not exist');
    await store.query('alter table elsewhere rename to callbacks');
    const unique = 'deliveries_callback_id_destination_key';
    await store.query(`alter table deliveries drop constraint ${unique}`);
    expect(troubleOf(await rejectionOf(arrive(ledger, 'meanwhile')))).to.equal('unusable');
    await store.query(`alter table deliveries add constraint ${unique} unique (callback_id, destination)`);
    await arrive(ledger, 'after');
    expect(ledger.trouble).to.equal(undefined);
    await ledger.close();
  });

  it('is unavailable while its server is away, and works again afterwards, with what was told', async () => {
    const ledger = await store.open({ clock: systemClock });
    const { callbackId, deliveries } = await arrive(ledger, 'told', 1000);
    await server.stop();
    const calls = [
      arrive(ledger, 'other', 1000),
      settleAll(ledger, settlementsOf(deliveries.map(delivered), callbackId), 1000),
      claimFor(ledger),
      ledger.archive.countOpen(),
    ];
    for (const error of await Promise.all(calls.map(rejectionOf)))
      expect(error).to.be.instanceOf(LedgerUnavailable);
    await server.start();
    expect(await arrive(ledger, 'other', 1000)).to.include({ isNew: true });
    const states = async () => (await arrive(ledger, 'told', 1000)).deliveries.map(({ state }) => state);
    expect(await states(), 'kept').to.deep.equal(['delivered']);
    await ledger.unwritten.write();
    expect(await states(), 'written').to.deep.equal(['delivered']);
  });

  it('has on disk what was accepted for later, and an outcome after which something is left to be done', async () => {
    const url = await server.createDatabase();
    const ledger = await openLedger(url, optionsOf('one'));
    const arrival = arrivalOf(callbackWith({}), [OPS, LOG]);
    const [ops] = namesOf(await ledger.admit({ ...arrival, isAccepted: true }));
    await server.crash();
    await server.start();
    await ledger.settle({ ...settlementOf(delivered(ops)), isDurable: true });
    await server.crash();
    await server.start();
    await ledger.close();
    const again = await openLedger(url, optionsOf('two'));
    const { deliveries } = await again.admit(arrival);
    expect(deliveries.map(({ state }) => state)).to.deep.equal(['delivered', 'pending']);
    await again.close();
  });

  it('goes by the server’s clock, also for a replica whose own is wrong', async () => {
    const url = await server.createDatabase();
    let aheadMs = 3_600_000;
    const ahead = { ...systemClock, now: () => Date.now() + aheadMs };
    const ledgers = [
      await openLedger(url, optionsOf('right')),
      await openLedger(url, { ...optionsOf('ahead'), clock: ahead }),
    ];
    // The second time, the clock that is wrong has just been set, to another time that is wrong.
    for (const wrongBy of [3_600_000, -7_200_000]) {
      aheadMs = wrongBy;
      for (const ledger of ledgers) await ledger.upkeep.heartbeat({ hash: 'h', channels: new Map() });
      const seen = (await ledgers[0]?.processes())?.map(({ silentMs }) => Math.abs(silentMs));
      expect(seen).to.have.length(2);
      expect(Math.max(...(seen ?? []))).to.be.below(1_800_000);
    }
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });
});
