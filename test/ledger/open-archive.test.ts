/** A ledger is read without a service, and beside one, and nothing of it is touched. */
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { openArchive, openBeside } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  arrivalOf,
  delivered,
  idsOf,
  LOG,
  OPS,
  putOff,
  settlementOf,
} from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function troubleWith(url: string): Promise<string> {
  return (await rejectionOf(openArchive(url))).message;
}

async function storyIn(url: string, id: number): Promise<CallbackStory | undefined> {
  const { archive, close } = await openArchive(url);
  const story = await archive.story(id);
  await close();
  return story;
}

/** Told at one address, taken over at the other. */
async function fill(store: StoreUnderTest) {
  const ledger = await store.open({ clock: systemClock });
  const admission = await ledger.admit(arrivalOf(callbackWith({}), [OPS, LOG]));
  const [first, second] = idsOf(admission);
  const updates = [delivered(first), putOff(second, 60_000, { isTakenOver: true })];
  await ledger.settle(settlementOf(updates, admission.callbackId));
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
    store = createSqliteStore();
  });

  afterEach(() => store.close());

  it('sees what the service beside it has just written, and leaves every byte as it is', async () => {
    const { id } = await fill(store);
    const before = contents();
    expectToldAndTakenOver(await storyIn(url(), id));
    expect(contents()).to.deep.equal(before);
  });

  it('sees it through a symbolic link, too', async () => {
    const { id } = await fill(store);
    const link = join(tempFolder(), 'link.db');
    symlinkSync(store.file, link);
    expectToldAndTakenOver(await storyIn(`sqlite:${link}`, id));
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
      left = tempFolder();
      for (const name of readdirSync(store.folder)) {
        copyFileSync(join(store.folder, name), join(left, name));
      }
    };

    it('sees what is in the log alone', async () => {
      const { id } = await fill(store);
      leave();
      expectToldAndTakenOver(await storyIn(`sqlite:${left}/botbell.db`, id));
    });

    it('makes no index of a log that has lost it: what stands in the log alone is not seen', async () => {
      const { ledger, id } = await fill(store);
      await ledger.close();
      const again = await store.open({ clock: systemClock });
      const last = await again.admit(arrivalOf(callbackWith({ job_id: 'last' }), [OPS]));
      leave();
      rmSync(join(left, 'botbell.db-shm'));
      const names = readdirSync(left);
      const { archive, close } = await openArchive(`sqlite:${left}/botbell.db`);
      expectToldAndTakenOver(await archive.story(id));
      expect(await archive.story(last.callbackId)).to.equal(undefined);
      await close();
      expect(readdirSync(left)).to.deep.equal(names);
    });
  });

  it('says that there is none, and makes none', async () => {
    expect(await troubleWith(url())).to.match(/no ledger yet at store\.url.*botbell serve/);
    writeFileSync(store.file, '');
    expect(await troubleWith(url())).to.match(/no ledger yet/);
    expect(contents()).to.deep.equal([['botbell.db', Buffer.alloc(0)]]);
    expect(await troubleWith('sqlite::memory:')).to.contain('in memory');
    writeFileSync(store.file, 'this is not a database at all');
    expect(await troubleWith(url())).to.match(/not a database/);
  });

  if (process.getuid?.() !== 0) {
    it('says that it may not read files of somebody else', async () => {
      const { ledger } = await fill(store);
      await ledger.close();
      chmodSync(store.file, 0o000);
      expect(await troubleWith(url())).to.match(/permission denied, access/);
    });
  }

  it('keeps nothing locked while somebody who acts beside the service thinks', async () => {
    const { ledger } = await fill(store);
    const beside = await openBeside(url());
    await beside.actions.tally({});
    for (let number = 0; number < 100; number += 1) {
      const callback = callbackWith({ job_id: `job-${number}`, message: 'x'.repeat(100_000) });
      await ledger.admit(arrivalOf(callback, []));
    }
    expect(statSync(`${store.file}-wal`).size).to.be.lessThan(8 * 1024 * 1024);
    await beside.close();
  });
});

describe('reading a ledger in PostgreSQL', () => {
  let server: OwnPostgresServer;
  let store: PostgresStore;

  before(async () => {
    server = await startOwnPostgres();
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

  it('says within its time that the server is not there, or does not answer', async () => {
    expect(await troubleWith('postgres://u:s3cret@127.0.0.1:1/none')).to.match(/ECONNREFUSED/);
    const silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(store.url).port) });
    silent.fallSilent();
    const begun = performance.now();
    await rejectionOf(openArchive(`postgres://postgres@127.0.0.1:${silent.port}/none`));
    expect(performance.now() - begun).to.be.below(20_000);
    await silent.close();
  });
});
