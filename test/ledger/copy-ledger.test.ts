/** A ledger is copied into another database, and what is whole is known from what is not. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CopyOptions, type CopyProgress, copyLedger } from '../../src/ledger/copy/copy-ledger.ts';
import { COPIED_TABLES } from '../../src/ledger/copy/copied-tables.ts';
import { inspectStore } from '../../src/ledger/inspect-store.ts';
import { openArchive } from '../../src/ledger/open-archive.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { ownerName } from '../../src/ledger/owner.ts';
import { bodyText, type StoredBody } from '../../src/ledger/stored-body.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  arrivalOf,
  delivered,
  failed,
  idsOf,
  LEASE_MS,
  settlementOf,
  type StoreUnderTest,
  target,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { runCommand } from '../support/command.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const OPTIONS = { clock: systemClock, owner: 'one', leaseMs: LEASE_MS, takeOverAfterMs: 1000 };
const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const LARGE = '請求書 "7"\n'.repeat(20_000);

const REFUSED = {
  status: 422,
  detail: 'no callback',
  errors: [{ pointer: '/status', detail: 'is missing' }],
  from: '192.0.2.1',
  body: `{"x":"${'y'.repeat(20_000)}"}`,
  receivedAt: 1,
} as const;

/** What a service writes beside. */
const MORE = `
insert into paces (destination, next_at) values ('slack:#ops', 5), ('slack', 7);
insert into alert_causes (cause, told_at, suppressed) values ('slack:#ops channel_not_found', 3, 2);
insert into bulks (what, filter, actor, state, started_at, until_id, given)
  values ('redeliver', '{}', '{}', 'done', 4, 9, 1);
insert into actions (callback_id, at, what, actor, delivery_ids, note, nonce)
  select min(id), 6, 'dismiss', '{"by":"ops"}', '[1]', '外した', 'n' from callbacks;
insert into attempt_days (day, outcome, attempts) values ('2026-01-31', 'delivered', 8);
insert into destinations (destination, last_delivered_at, last_failed_at, error_class, median_ms)
  values ('slack:#ops', 4, 3, 'transient', 12);
insert into sweeps (sweep, looked_at) values ('done', 1);
`;

/** Told, taken over, dead, held; small and large; refused. */
async function fill(store: StoreUnderTest): Promise<void> {
  const ledger = await store.open(OPTIONS);
  for (let job = 1; job <= 7; job += 1) {
    const callback = callbackWith({ job_id: `job-${job}`, message: job === 3 ? LARGE : '失敗\u0000' });
    const admission = await ledger.admit(arrivalOf(callback, [OPS, LOG], systemClock.now()));
    const [ops, log] = idsOf(admission);
    const missing = { ...failed(log), isTakenOver: true, dueInMs: 60_000 };
    const answer = { receivedAt: 0, answeredAt: 1, status: 200, result: 'taken_over' } as const;
    await ledger.settle({
      ...settlementOf([delivered(ops), job === 5 ? { ...failed(log), state: 'dead' } : missing]),
      history: { callbackId: admission.callbackId, attempts: [], answer },
    });
  }
  await ledger.refuse(REFUSED);
  await ledger.configs.heartbeat({ hash: 'abc', channels: new Map([['slack', 'slack']]) });
  await ledger.configs.leave();
  await ledger.close();
  await store.run(MORE);
}

/** Each table, as its readers see it. */
async function contentsOf(store: StoreUnderTest): Promise<Record<string, unknown[]>> {
  const tables = COPIED_TABLES.map(async ({ name, key }) => {
    const rows = await store.rows(name, key.join());
    return [
      name,
      rows.map(readable).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** Whole milliseconds, as a server has them; numbers, which the driver of a server hands over as text. */
function readable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(row).map(([column, value]) => {
    if (column === 'body') return [column, bodyText(value as StoredBody)];
    if (typeof value === 'number') return [column, Math.round(value)];
    return [column, typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Ages, and what is due, change while one looks. */
const wholeAndTimeless = (name: string, value: unknown): unknown => {
  if (name === 'ageMs' || name === 'dueInMs') return 0;
  return typeof value === 'number' ? Math.round(value) : value;
};

const options = (more: Partial<CopyOptions> = {}): CopyOptions => ({
  clock: systemClock,
  onProgress: () => undefined,
  ...more,
});

describe('copying a ledger', () => {
  let server: PostgresServer;
  let sqlite: SqliteStore;
  let postgres: PostgresStore;
  /** Nothing is there yet. */
  let other: SqliteStore;

  const urlOf = ({ file }: SqliteStore) => `sqlite:${file}`;
  const troubleWith = async (from: string, to: string, more: Partial<CopyOptions> = {}) =>
    (await rejectionOf(copyLedger(from, to, options(more)))).message;
  const cutOffAt = (table: string): Partial<CopyOptions> => ({
    rowsAtOnce: 2,
    onProgress: (progress) => {
      if (progress.table === table) throw new Error('the power failed');
    },
  });

  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());

  beforeEach(async () => {
    sqlite = createSqliteStore();
    other = createSqliteStore();
    postgres = await createPostgresStore(server);
    // It has tables from here on, as one whose Botbell has been started before has.
    await (await postgres.open(OPTIONS)).close();
    await fill(sqlite);
  });

  afterEach(async () => {
    await sqlite.close();
    await other.close();
    await postgres.run("delete from kysely_migration where name = 'unfinished-copy'").catch(() => undefined);
    await postgres.close();
  });

  it('leaves every row as it was, from a file to a server and back to a file', async () => {
    const original = await contentsOf(sqlite);
    for (const [table, rows] of Object.entries(original)) expect(rows, table).not.to.deep.equal([]);
    const contents = await copyLedger(urlOf(sqlite), postgres.url, options({ rowsAtOnce: 2 }));
    expect(contents).to.deep.include({ table: 'callbacks', rows: 7, states: {} });
    const states = { dead: 1, delivered: 7, pending: 6 };
    expect(contents).to.deep.include({ table: 'deliveries', rows: 14, states });
    expect(await contentsOf(postgres)).to.deep.equal(original);
    expect(await copyLedger(postgres.url, urlOf(other), options())).to.deep.equal(contents);
    expect(await contentsOf(other)).to.deep.equal(original);
    const bodies = (await other.rows('callbacks')).map(({ body }) => typeof body === 'string');
    expect(bodies, 'what is large is compressed').to.deep.equal([true, true, false, true, true, true, true]);
  });

  it('goes from file to file, and from server to server', async () => {
    await copyLedger(urlOf(sqlite), urlOf(other), options());
    expect(await contentsOf(other)).to.deep.equal(await contentsOf(sqlite));
    const second = await createPostgresStore(server);
    await copyLedger(urlOf(other), postgres.url, options());
    await copyLedger(postgres.url, second.url, options());
    expect(await contentsOf(second)).to.deep.equal(await contentsOf(sqlite));
    await second.close();
  });

  it('tells people the same of both', async () => {
    await copyLedger(urlOf(sqlite), postgres.url, options());
    const [of, copy] = await Promise.all(
      [urlOf(sqlite), postgres.url].map(async (url) => {
        const { archive } = await openArchive(url, systemClock);
        const found = await archive.callbacks({}, { limit: 50 });
        const stories = await Promise.all(found.items.map(({ id }) => archive.story(id)));
        await archive.close();
        return JSON.stringify([found, stories], wholeAndTimeless, 1);
      }),
    );
    expect(copy).to.equal(of);
  });

  it('has the copy go on where the original stopped, with ids of its own', async () => {
    await copyLedger(urlOf(sqlite), postgres.url, options());
    const ledger = await postgres.open(OPTIONS);
    const next = await ledger.admit(arrivalOf(callbackWith({ job_id: 'new' }), [OPS, LOG], 0));
    expect([next.isNew, next.callbackId, idsOf(next)]).to.deep.equal([true, 8, [15, 16]]);
    const again = await ledger.admit(
      arrivalOf(callbackWith({ job_id: 'job-1', message: '失敗\u0000' }), [OPS, LOG], 0),
    );
    expect([again.isNew, again.callbackId, again.timesReceived]).to.deep.equal([false, 1, 2]);
    await ledger.refuse({ ...REFUSED, body: 'x' });
    expect((await postgres.rows('refused')).map(({ id }) => Number(id))).to.deep.equal([1, 2]);
    await ledger.close();
  });

  it('goes into the ledger of the config where the command names none, and prints what both hold', async () => {
    const config = join(other.folder, 'botbell.yaml');
    const channels = 'channels: { slack: { type: outbox, as: slack } }';
    const route = "default_route: { notify: [{ slack: '#ops' }] }";
    writeFileSync(config, `store: { url: '\${STORE}' }\n${channels}\n${route}\n`);
    const command = ['copy-ledger', '--from', urlOf(sqlite), '--config', config];
    const unset = await runCommand(command);
    expect([unset.code, unset.stderr]).to.deep.equal([
      1,
      `${config}: store.url needs STORE, which is not set here`,
    ]);
    const { code, stdout } = await runCommand(command, { variables: { STORE: urlOf(other) } });
    expect([code, stdout.split('\n').slice(0, 3)]).to.deep.equal([
      0,
      ['callbacks: 7', 'deliveries: 14 (1 dead, 7 delivered, 6 pending)', 'history: 7'],
    ]);
    expect(await contentsOf(other)).to.deep.equal(await contentsOf(sqlite));
  });

  it('says how far it has come', async () => {
    const seen: CopyProgress[] = [];
    await copyLedger(
      urlOf(sqlite),
      urlOf(other),
      options({ rowsAtOnce: 3, onProgress: (each) => void seen.push(each) }),
    );
    expect(seen.filter(({ table }) => table === 'callbacks')).to.deep.equal([
      { table: 'callbacks', done: 3, total: 7 },
      { table: 'callbacks', done: 6, total: 7 },
      { table: 'callbacks', done: 7, total: 7 },
    ]);
  });

  it('reads no more at once than fits into memory, and as much of what is small as goes together', async () => {
    await copyLedger(urlOf(sqlite), postgres.url, options());
    await postgres.run(
      "update callbacks set body = '\"' || repeat('x', 3000000) || '\"' where id in (2, 3, 5)",
    );
    const done: number[] = [];
    await copyLedger(
      postgres.url,
      urlOf(other),
      options({
        onProgress: (each) => void (each.table === 'callbacks' && done.push(each.done)),
      }),
    );
    expect(done).to.deep.equal([2, 4, 7]);
    const { archive } = await openArchive(urlOf(other), systemClock);
    const sizes = await Promise.all([1, 2, 3].map(async (id) => (await archive.body(id))?.byteLength));
    await archive.close();
    expect(sizes.slice(1)).to.deep.equal([3_000_002, 3_000_002]);
  });

  for (const kind of ['a file', 'a server'] as const) {
    it(`is no ledger where it was cut off, and is begun anew: in ${kind}`, async () => {
      const to = kind === 'a file' ? urlOf(other) : postgres.url;
      const store = kind === 'a file' ? other : postgres;
      expect(await troubleWith(urlOf(sqlite), to, cutOffAt('deliveries'))).to.equal(
        'the copy was not finished: the power failed; run it again, which begins it anew',
      );
      const unfinished =
        'this is the copy of a ledger, and it was not finished: run `botbell copy-ledger` again';
      const uses = [
        () => openLedger(to, OPTIONS),
        () => inspectStore(to),
        () => openArchive(to, systemClock),
      ];
      for (const use of uses) expect((await rejectionOf(use())).message).to.include(unfinished);
      await store.run(`update processes set seen_at = 0, owner = 'another machine/1/1'`);
      await copyLedger(urlOf(sqlite), to, options());
      expect(await contentsOf(store)).to.deep.equal(await contentsOf(sqlite));
      expect(await store.rows('processes', 'owner')).to.deep.equal([]);
      await (await openLedger(to, OPTIONS)).close();
    });

    it(`is refused where the other ledger holds something, which is said, and left as it is: in ${kind}`, async () => {
      const store = kind === 'a file' ? other : postgres;
      const to = kind === 'a file' ? urlOf(other) : postgres.url;
      await fill(store);
      const before = await contentsOf(store);
      expect(await troubleWith(urlOf(sqlite), to)).to.match(
        /^--to: the ledger is not empty, it holds 7 callbacks, 14 deliveries, .*1 refused.*: copy into a new one$/,
      );
      expect(await contentsOf(store)).to.deep.equal(before);
    });

    it(`goes into a ledger that a Botbell has only been started on: in ${kind}`, async () => {
      const store = kind === 'a file' ? other : postgres;
      const ledger = await store.open(OPTIONS);
      await ledger.configs.heartbeat({ hash: 'another', channels: new Map([['mail', 'email']]) });
      await ledger.configs.leave();
      await ledger.close();
      await copyLedger(urlOf(sqlite), kind === 'a file' ? urlOf(other) : postgres.url, options());
      expect(await contentsOf(store)).to.deep.equal(await contentsOf(sqlite));
    });

    it(`is refused while a Botbell runs on either ledger: in ${kind}`, async () => {
      const store = kind === 'a file' ? other : postgres;
      const url = kind === 'a file' ? urlOf(other) : postgres.url;
      const ledger = await store.open({ ...OPTIONS, owner: 'elsewhere x y/4242/1' });
      await ledger.configs.heartbeat({ hash: 'abc', channels: new Map() });
      const used = 'the ledger is used by a running Botbell (elsewhere 4242): stop it first';
      expect(await troubleWith(urlOf(sqlite), url)).to.include(`--to: ${used}`);
      expect(await troubleWith(url, `sqlite:${join(sqlite.folder, 'new.db')}`)).to.include(`--from: ${used}`);
      await ledger.close();
    });
  }

  it('is refused while another process of this machine has the ledger, until it is gone', async () => {
    const owner = ownerName(0, process.ppid);
    const ledger = await sqlite.open({ ...OPTIONS, owner });
    await ledger.configs.heartbeat({ hash: 'abc', channels: new Map() });
    const trouble = await troubleWith(urlOf(sqlite), urlOf(other));
    expect(trouble).to.match(new RegExp(`^--from: .*running Botbell \\(\\S+ ${process.ppid}\\)`));
    await ledger.close();
    await sqlite.run(`update processes set owner = '${ownerName(0, 4_194_303)}'`);
    await copyLedger(urlOf(sqlite), urlOf(other), options());
  });

  it('is refused where the original is of another version, or no ledger', async () => {
    expect(await troubleWith(urlOf(other), postgres.url)).to.equal(
      '--from: there is no ledger there: is this the folder that Botbell runs in?',
    );
    await sqlite.run("delete from kysely_migration where name like '0011%'");
    expect(await troubleWith(urlOf(sqlite), urlOf(other))).to.match(
      /^--from: .*an earlier version of Botbell: start/,
    );
    await sqlite.run("insert into kysely_migration values ('9999-to-come', '2030')");
    expect(await troubleWith(urlOf(sqlite), urlOf(other))).to.match(/^--from: .*a newer version of Botbell/);
    await sqlite.run('drop table kysely_migration');
    expect(await troubleWith(urlOf(sqlite), urlOf(other))).to.match(
      /^--from: it has a table callbacks that is not/,
    );
  });

  it('is refused where both are the same, however the file is named, or one is in memory', async () => {
    const link = join(other.folder, 'link.db');
    symlinkSync(sqlite.file, link);
    const same = '--from and --to name the same ledger';
    expect(await troubleWith(urlOf(sqlite), `sqlite:${link}`)).to.equal(same);
    expect(await troubleWith(postgres.url, `${postgres.url}?application_name=x`)).to.equal(same);
    expect(await troubleWith(urlOf(sqlite), 'sqlite::memory:')).to.include('cannot be copied');
  });

  it('is refused where the other ledger is of a newer version', async () => {
    const ledger = await postgres.open(OPTIONS);
    await ledger.close();
    await postgres.run("insert into kysely_migration values ('9999-to-come', '2030')");
    expect(await troubleWith(urlOf(sqlite), postgres.url)).to.match(/^--to: .*a newer version of Botbell/);
    await postgres.run("delete from kysely_migration where name = '9999-to-come'");
  });

  it('fails where the original is written meanwhile, which a server lets others do', async () => {
    await copyLedger(urlOf(sqlite), postgres.url, options());
    let isWritten = false;
    const write = async () => postgres.run("insert into paces (destination, next_at) values ('late', 1)");
    const writing: Promise<void>[] = [];
    const trouble = await troubleWith(postgres.url, urlOf(other), {
      onProgress: ({ table }) => {
        if (table === 'callbacks' && !isWritten) writing.push(write());
        isWritten = true;
      },
    });
    await Promise.all(writing);
    expect(trouble).to.include('the copy was not finished: the ledger has 2 paces, and the copy 3 paces');
  });
});
