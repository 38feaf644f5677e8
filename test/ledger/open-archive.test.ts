/** A store is looked at, and a ledger read, without a service and beside one, and nothing of it is touched. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { inspectStore, openArchive, openBeside, openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  arrivalOf,
  delivered,
  namesOf,
  LOG,
  OPS,
  putOff,
  settlementOf,
} from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, filesIn, type SqliteStore } from '../support/sqlite-store.ts';
import { CLOSED_WITHIN_MS, OPTIONS, type StoreUnderTest } from '../support/store-under-test.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function troubleWith(url: string, look: (url: string) => Promise<unknown> = openArchive) {
  return (await rejectionOf(look(url))).message;
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
  const [first, second] = namesOf(admission);
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
  const contents = () => filesIn(store.folder);
  /** @returns what is beside the ledger, of which reading it has changed nothing */
  const readUntouched = async (id: number) => {
    const before = contents();
    expect(await inspectStore(url())).to.equal('ready');
    expectToldAndTakenOver(await storyIn(url(), id));
    return { before, after: contents() };
  };

  beforeEach(() => {
    store = createSqliteStore();
  });

  afterEach(() => store.close());

  it('sees what the service beside it has just written, and leaves every byte as it is', async () => {
    const { id } = await fill(store);
    const { before, after } = await readUntouched(id);
    expect(after).to.deep.equal(before);
  });

  it('sees it through a symbolic link, too', async () => {
    const { id } = await fill(store);
    const link = join(tempFolder(), 'link.db');
    symlinkSync(store.file, link);
    expectToldAndTakenOver(await storyIn(`sqlite:${link}`, id));
  });

  it('reads the ledger of a service that has stopped, and makes no file beside it', async () => {
    const { ledger, id } = await fill(store);
    await ledger.close(CLOSED_WITHIN_MS);
    const { before, after } = await readUntouched(id);
    // The driver ends a closed file's statements when they are collected, and an empty log goes with the last of them.
    expect(before).to.deep.include.members(after);
    copyFileSync(store.file, join(store.folder, 'copy.db'));
    expectToldAndTakenOver(await storyIn(`sqlite:${store.folder}/copy.db`, id));
  });

  it('finds that a file can be made, and makes none, nor its folders', async () => {
    for (const path of ['botbell.db', 'a/b/botbell.db'])
      expect(await inspectStore(`sqlite:${join(store.folder, path)}`)).to.equal('none');
    expect(await inspectStore('sqlite::memory:')).to.equal('none');
    expect(contents()).to.deep.equal([]);
  });

  it('finds what is no file, or in no folder', async () => {
    const at = (name: string) => troubleWith(`sqlite:${store.folder}/${name}`, inspectStore);
    writeFileSync(join(store.folder, 'text.db'), 'this is not a database at all');
    mkdirSync(join(store.folder, 'folder.db'));
    expect(await at('text.db')).to.contain('not a database: give Botbell a store of its own');
    expect(await at('folder.db')).to.contain('it is not a file');
    expect(await at('text.db/botbell.db')).to.contain('ENOTDIR');
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
      await ledger.close(CLOSED_WITHIN_MS);
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
    expect(contents().map(([name, , bytes]) => [name, bytes])).to.deep.equal([
      ['botbell.db', Buffer.alloc(0)],
    ]);
    expect(await troubleWith('sqlite::memory:')).to.contain('in memory');
  });

  if (process.getuid?.() !== 0) {
    it('says that it may not read files of somebody else, nor write where it may not', async () => {
      const { ledger } = await fill(store);
      await ledger.close(CLOSED_WITHIN_MS);
      chmodSync(store.file, 0o000);
      expect(await troubleWith(url())).to.match(/permission denied, access/);
      chmodSync(store.folder, 0o555);
      expect(await troubleWith(`sqlite:${store.folder}/new.db`, inspectStore)).to.contain('EACCES');
      chmodSync(store.folder, 0o755);
    });
  }

  it('keeps nothing locked while somebody who acts beside the service thinks', async () => {
    const { ledger } = await fill(store);
    const beside = await openBeside(url());
    await beside.archive.tally({});
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
    expect(await inspectStore(store.url)).to.equal('none');
    expect(
      await store.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
    ).to.deep.equal([]);
  });

  it('sees what services have written, as a user who may only read, and writes nothing', async () => {
    const { ledger, id } = await fill(store);
    await ledger.close(CLOSED_WITHIN_MS);
    await store.query('create role reader login; grant select on all tables in schema public to reader');
    const all = () => store.query(`select schema_to_xml('public', true, false, '')::text as tables`);
    const before = await all();
    expect(await inspectStore(store.url)).to.equal('ready');
    expectToldAndTakenOver(await storyIn(store.url.replace('postgres@', 'reader@'), id));
    expect(await all()).to.deep.equal(before);
    expect(await store.query('select * from processes')).to.deep.equal([]);
  });

  for (const { what, look, begins } of [
    { what: 'looked at', look: inspectStore, begins: '' },
    { what: 'read', look: openArchive, begins: 'store.url: ' },
    {
      what: 'opened',
      look: (url: string) => openLedger(url, { ...OPTIONS, clock: systemClock, owner: 'one' }),
      begins: 'store.url: ',
    },
  ])
    it(`says, ${what}, that the server is not there or does not answer, and no password`, async () => {
      const port = Number(new URL(store.url).port);
      const silent = await startTcpProxy({ host: '127.0.0.1', port });
      silent.fallSilent();
      for (const [server, trouble] of [
        ['127.0.0.1:1', /ECONNREFUSED/],
        ['localhost:1', /ECONNREFUSED/],
        [`127.0.0.1:${silent.port}`, /time/],
      ] as const) {
        const said = await troubleWith(`postgres://u:s3cret@${server}/none`, look);
        expect(said).to.match(trouble).and.not.include('s3cret');
        expect(said.startsWith(begins), said).to.equal(true);
      }
      await silent.close();
    });
});
