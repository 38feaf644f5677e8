/** A ledger is read without a service, and beside one, and nothing of it is touched. */
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { openArchive } from '../../src/ledger/open-archive.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  arrivalOf,
  delivered,
  failed,
  LEASE_MS,
  type StoreUnderTest,
  target,
} from '../contract/ledger-contract.ts';
import { runCommand } from '../support/command.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const OPTIONS = { clock: systemClock, owner: 'one', leaseMs: LEASE_MS, takeOverAfterMs: 1000 };
const OPS = target('slack:#ops');
const LOG = target('slack:#log');

async function troubleWith(url: string): Promise<string> {
  return (await rejectionOf(openArchive(url, systemClock))).message;
}

async function storyIn(url: string, id: number): Promise<CallbackStory | undefined> {
  const { archive } = await openArchive(url, systemClock);
  const story = await archive.story(id);
  await archive.close();
  return story;
}

/** Told at one address, taken over at the other. */
async function fill(store: StoreUnderTest) {
  const ledger = await store.open(OPTIONS);
  const admission = await ledger.admit(arrivalOf(callbackWith({}), [OPS, LOG], systemClock.now()));
  const [first = 0, second = 0] = admission.claimed;
  const missing = { ...failed(second), isTakenOver: true, dueInMs: 60_000 };
  const settlement = { deliveries: [delivered(first), missing], history: undefined, isDurable: true };
  await ledger.settle(settlement);
  return { ledger, id: admission.callbackId };
}

function expectToldAndTakenOver(story: CallbackStory | undefined): void {
  const [told, missing] = story?.deliveries ?? [];
  expect(told).to.include({ destination: OPS.destination, state: 'delivered' });
  expect(missing).to.include({ destination: LOG.destination, state: 'pending', isTakenOver: true });
  expect(missing?.dueInMs).to.be.within(30_000, 60_000);
}

describe('reading a ledger in SQLite', () => {
  let store: SqliteStore;
  const url = () => `sqlite:${store.file}`;
  const contents = () =>
    readdirSync(store.folder).map((name) => [
      name,
      // It notes who reads.
      name.endsWith('-shm') || readFileSync(join(store.folder, name)),
    ]);

  beforeEach(() => {
    store = createSqliteStore(new ManualClock());
  });

  afterEach(() => store.close());

  it('sees what the service beside it has just written, and leaves every byte as it is', async () => {
    const { id } = await fill(store);
    const before = contents();
    expectToldAndTakenOver(await storyIn(url(), id));
    expect(contents()).to.deep.equal(before);
  });

  it('reads a service’s ledger that has stopped, and makes no file beside it', async () => {
    const { ledger, id } = await fill(store);
    await ledger.close();
    const before = contents();
    expectToldAndTakenOver(await storyIn(url(), id));
    expect(contents()).to.deep.equal(before);
  });

  describe('that a killed service has left', () => {
    let left: string;
    const leave = () => {
      left = mkdtempSync(join(tmpdir(), 'botbell-left-'));
      for (const name of readdirSync(store.folder)) {
        copyFileSync(join(store.folder, name), join(left, name));
      }
    };

    afterEach(() => rmSync(left, { recursive: true }));

    it('sees what is in the log alone', async () => {
      const { id } = await fill(store);
      leave();
      expectToldAndTakenOver(await storyIn(`sqlite:${left}/botbell.db`, id));
    });

    it('makes no index of a log that has lost it, and says that what came last is not seen', async () => {
      const { ledger, id } = await fill(store);
      await ledger.close();
      const again = await store.open(OPTIONS);
      const last = await again.admit(arrivalOf(callbackWith({ job_id: 'last' }), [OPS], 1));
      leave();
      rmSync(join(left, 'botbell.db-shm'));
      const names = readdirSync(left);
      const { archive, isLogUnread } = await openArchive(`sqlite:${left}/botbell.db`, systemClock);
      expect(isLogUnread).to.equal(true);
      expectToldAndTakenOver(await archive.story(id));
      expect(await archive.story(last.callbackId)).to.equal(undefined);
      await archive.close();
      expect(readdirSync(left)).to.deep.equal(names);
    });

    it('says where nothing is to be seen without the log', async () => {
      await fill(store);
      leave();
      rmSync(join(left, 'botbell.db-shm'));
      expect(await troubleWith(`sqlite:${left}/botbell.db`)).to.contain('is in its log');
    });
  });

  it('says that there is none, and makes none', async () => {
    expect(await troubleWith(url())).to.match(/no ledger yet at store\.url.*botbell serve/);
    writeFileSync(store.file, '');
    expect(await troubleWith(url())).to.match(/no ledger yet/);
    expect(contents()).to.deep.equal([['botbell.db', Buffer.alloc(0)]]);
    expect(await troubleWith('sqlite::memory:')).to.contain('in memory');
    writeFileSync(store.file, 'this is not a database at all');
    expect(await troubleWith(url())).to.match(/cannot be read: .*not a database/);
  });

  if (process.getuid?.() !== 0) {
    it('says as whom to look, where the files belong to somebody else', async () => {
      const { ledger } = await fill(store);
      await ledger.close();
      chmodSync(store.file, 0o000);
      expect(await troubleWith(url())).to.match(/may not be read: run this as the user of the service/);
    });
  }

  it('says of which version it is, where that is another one', async () => {
    const { ledger } = await fill(store);
    await ledger.close();
    await store.run("insert into kysely_migration values ('9999-from-the-future', '2030-01-01')");
    expect(await troubleWith(url())).to.contain('newer version of Botbell');
    await store.run("delete from kysely_migration where name like '9999%' or name like '0008%'");
    expect(await troubleWith(url())).to.match(/earlier version of Botbell: start `botbell serve`/);
  });
});

describe('reading a ledger in PostgreSQL', () => {
  let server: PostgresServer;
  let store: PostgresStore;

  before(async () => {
    server = await startPostgres();
    store = await createPostgresStore(server);
  });

  after(async () => {
    await store.close();
    await server.close();
  });

  it('says that there is none, and makes none', async () => {
    expect(await troubleWith(store.url)).to.match(/no ledger yet at store\.url/);
    expect(
      await store.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
    ).to.deep.equal([]);
  });

  it('sees what services have written, as a user who may only read, and writes nothing', async () => {
    const { ledger, id } = await fill(store);
    await ledger.close();
    await store.query('create role reader login; grant select on all tables in schema public to reader');
    const all = () => Promise.all(['callbacks', 'deliveries', 'history'].map((table) => store.rows(table)));
    const before = await all();
    expectToldAndTakenOver(await storyIn(store.url.replace('postgres@', 'reader@'), id));
    expect(await all()).to.deep.equal(before);
    expect(await store.query('select * from processes')).to.deep.equal([]);
  });

  it('is told of on the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botbell-why-'));
    const config = join(folder, 'botbell.yaml');
    const url = store.url.replace('postgres@', 'reader@');
    const routes = `channels: { slack: { type: outbox, as: slack } }\nroutes: [{ bot_id: x, notify: [{ slack: '#ops' }] }]`;
    writeFileSync(config, `store: { url: '${url}' }\n${routes}\n`);
    const { code, stdout, stderr } = await runCommand(['why', 'job-1', '--config', config]);
    rmSync(folder, { recursive: true });
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/Told slack:#ops at \d\d:\d\d\. Not told yet: slack:#log .* tries again at /);
  });

  it('says of which version it is, where that is another one', async () => {
    await store.query("insert into kysely_migration values ('9999-from-the-future', '2030-01-01')");
    expect(await troubleWith(store.url)).to.contain('newer version of Botbell');
    await store.query("delete from kysely_migration where name like '9999%'");
    const [row] = await store.query("delete from kysely_migration where name like '0008%' returning name");
    expect(await troubleWith(store.url)).to.contain('earlier version of Botbell');
    await store.query(`insert into kysely_migration values ('${String(row?.['name'])}', '2026-01-01')`);
  });

  it('says within its time that the server is not there, or does not answer', async () => {
    expect(await troubleWith('postgres://u:s3cret@127.0.0.1:1/none')).to.match(
      /cannot be read: .*ECONNREFUSED/,
    );
    const silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(store.url).port) });
    silent.fallSilent();
    const begun = performance.now();
    await rejectionOf(openArchive(`postgres://postgres@127.0.0.1:${silent.port}/none`, systemClock));
    expect(performance.now() - begun).to.be.below(9000);
    await silent.close();
  });
});
