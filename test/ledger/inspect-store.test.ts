/** Whether a store can be used is found out without leaving anything in it. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { inspectStore } from '../../src/ledger/open-ledger.ts';
import { arrivalOf, OPS } from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function troubleWith(url: string): Promise<string> {
  return (await rejectionOf(inspectStore(url))).message;
}

describe('looking at a SQLite store', () => {
  let folder: string;

  beforeEach(() => {
    folder = tempFolder();
  });

  it('finds that a file can be made, and makes none, nor its folders', async () => {
    for (const path of ['botbell.db', 'a/b/botbell.db']) {
      expect(await inspectStore(`sqlite:${join(folder, path)}`)).to.equal('none');
    }
    expect(await inspectStore('sqlite::memory:')).to.equal('none');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('finds what is no SQLite file, no file, in no folder, or somebody else’s', async () => {
    writeFileSync(join(folder, 'text.db'), 'this is not a database at all');
    mkdirSync(join(folder, 'folder.db'));
    const foreign = new DatabaseSync(join(folder, 'foreign.db'));
    foreign.exec('create table callbacks (a)');
    foreign.close();
    expect(await troubleWith(`sqlite:${folder}/text.db`)).to.contain('is not a database');
    expect(await troubleWith(`sqlite:${folder}/folder.db`)).to.contain('disk I/O error');
    expect(await troubleWith(`sqlite:${folder}/text.db/botbell.db`)).to.contain('ENOTDIR');
    expect(await troubleWith(`sqlite:${folder}/foreign.db`)).to.match(
      /table callbacks .*not of this Botbell/,
    );
  });

  if (process.getuid?.() !== 0) {
    it('finds what may not be written', async () => {
      chmodSync(folder, 0o555);
      expect(await troubleWith(`sqlite:${folder}/botbell.db`)).to.contain('EACCES');
      chmodSync(folder, 0o755);
    });
  }

  describe('that holds a ledger', () => {
    let store: SqliteStore;

    beforeEach(() => {
      store = createSqliteStore();
    });

    afterEach(() => store.close());

    /** Of the log's index only that it is there: it notes who reads. */
    const contents = () =>
      readdirSync(store.folder).map((name) => [
        name,
        name.endsWith('-shm') || readFileSync(join(store.folder, name)),
      ]);

    it('leaves every byte as it is, whether the program runs or not', async () => {
      const ledger = await store.open();
      await ledger.admit(arrivalOf(callbackWith({}), [OPS]));
      const running = contents();
      expect(await inspectStore(`sqlite:${store.file}`)).to.equal('ready');
      expect(contents()).to.deep.equal(running);
      await ledger.close();
      const stopped = contents();
      expect(await inspectStore(`sqlite:${store.file}`)).to.equal('ready');
      expect(contents()).to.deep.equal(stopped);
    });
  });
});

describe('looking at a PostgreSQL store', () => {
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

  const tablesIn = () =>
    store.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`);

  it('finds that a ledger can be made, and makes none', async () => {
    expect(await inspectStore(store.url)).to.equal('none');
    expect(await tablesIn()).to.deep.equal([]);
  });

  it('finds tables of somebody else’s', async () => {
    await store.query('create table callbacks (a int)');
    expect(await troubleWith(store.url)).to.match(/table callbacks .*not of this Botbell/);
    await store.query('drop table callbacks');
  });

  it('finds a ledger, and writes nothing to it', async () => {
    await (await store.open()).close();
    const contents = () => store.query(`select schema_to_xml('public', true, false, '')::text as tables`);
    const before = await contents();
    expect(await inspectStore(store.url)).to.equal('ready');
    expect(await contents()).to.deep.equal(before);
  });

  it('finds a server that is not there, and one that does not answer', async () => {
    expect(await troubleWith('postgres://u:s3cret@127.0.0.1:1/none')).to.contain('ECONNREFUSED');
    const silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(store.url).port) });
    silent.fallSilent();
    const begun = performance.now();
    expect(await troubleWith(`postgres://postgres@127.0.0.1:${silent.port}/none`)).to.contain('timeout');
    expect(performance.now() - begun).to.be.below(20_000);
    await silent.close();
  });
});
