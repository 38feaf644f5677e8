/** A store is looked at, and a ledger read, without a service and beside one, and nothing of it is touched. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { withArchive } from '../../src/cli/with-ledger.ts';
import type { Config } from '../../src/config/config.ts';
import { OperationFailed } from '../../src/ledger/failures.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import {
  checkRights,
  inspectStore,
  openArchive,
  openBesideService,
  openLedger,
} from '../../src/ledger/open-ledger.ts';
import { FIRST_VERSION, MIGRATIONS } from '../../src/ledger/shared/schema.ts';
import { systemClock } from '../../src/time/clock.ts';
import { arrivalOf, LOG, OPS } from '../contract/arrivals.ts';
import { settleAll, settlementsOf } from '../contract/settlements.ts';
import { delivered, namesOf, putOff } from '../contract/updates.ts';
import { anew, forAll } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { execute, startOwnPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { refusalOf, rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, filesIn } from '../support/sqlite-store.ts';
import { CLOSED_WITHIN_MS, OPTIONS, type StoreUnderTest } from '../support/store-under-test.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TLS = 'test/fixtures/tls/remote.test';

function troubleWith(url: string, look: (url: string) => Promise<unknown> = openArchive) {
  return refusalOf(look(url));
}

const openAt = (url: string) => openLedger(url, { ...OPTIONS, clock: systemClock, owner: 'one' });

/** Whoever connects to this database hears that from `version()`. */
const callsItself = (version: string) =>
  `create schema other; create function other.version() returns text return '${version} on x86_64';
   do $$ begin execute format('alter database %I set search_path = other, pg_catalog, public', current_database()); end $$`;

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
  await settleAll(ledger, settlementsOf(updates, admission.callbackId));
  return { ledger, id: admission.callbackId };
}

function expectToldAndTakenOver(story: CallbackStory | undefined): void {
  const [told, missing] = story?.deliveries ?? [];
  expect(told).to.include({ destination: OPS.destination, state: 'delivered' });
  expect(missing).to.include({ destination: LOG.destination, state: 'pending', isTakenOver: true });
  expect(missing?.dueInMs).to.be.within(30_000, 60_000);
}

describe('reading a ledger in SQLite', () => {
  const store = anew(() => createSqliteStore());
  const url = () => `sqlite:${store.file}`;
  const contents = () => filesIn(store.folder);
  /** @returns what is beside the ledger, of which reading it has changed nothing */
  const readUntouched = async (id: number) => {
    const before = contents();
    expect(await inspectStore(url())).to.equal('ready');
    expectToldAndTakenOver(await storyIn(url(), id));
    return { before, after: contents() };
  };

  it('sees what the service beside it has just written, also through a symbolic link, and leaves every byte as it is', async () => {
    const { id } = await fill(store);
    const { before, after } = await readUntouched(id);
    expect(after).to.deep.equal(before);
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

  it('finds that a file can be made, says that there is none, and makes none, nor its folders', async () => {
    for (const path of ['botbell.db', 'a/b/botbell.db'])
      expect(await inspectStore(`sqlite:${join(store.folder, path)}`)).to.equal('none');
    expect(await troubleWith(url())).to.match(/no ledger yet at store\.url.*botbell serve/);
    expect(contents()).to.deep.equal([]);
    writeFileSync(store.file, '');
    expect(await troubleWith(url())).to.match(/no ledger yet/);
    const left = contents().map(([name, , bytes]) => [name, bytes]);
    expect(left).to.deep.equal([['botbell.db', Buffer.alloc(0)]]);
  });

  it('finds what is no file, or in no folder', async () => {
    const at = (name: string) => troubleWith(`sqlite:${store.folder}/${name}`, inspectStore);
    writeFileSync(join(store.folder, 'text.db'), 'this is not a database at all');
    mkdirSync(join(store.folder, 'folder.db'));
    expect(await at('text.db')).to.contain('not a database: give Botbell a store of its own');
    expect(await at('folder.db')).to.contain('it is not a file');
    expect(await at('text.db/botbell.db')).to.contain('ENOTDIR');
  });

  it('says of a damaged file that a copy is to be restored', async () => {
    const { ledger } = await fill(store);
    await ledger.close(CLOSED_WITHIN_MS);
    truncateSync(store.file, 4096);
    for (const look of [openArchive, inspectStore, openAt])
      expect(await troubleWith(url(), look)).to.match(
        /the file is damaged \(.*malformed\): restore a copy of it$/,
      );
  });

  it('is named where a command cannot use it any more', async () => {
    const { ledger } = await fill(store);
    await ledger.close(CLOSED_WITHIN_MS);
    const locked = new LedgerUnavailable('the ledger cannot be used', { cause: new Error('lock timeout') });
    for (const [error, said] of [
      [locked, `store.url: the SQLite file ${store.file} cannot be used: lock timeout`],
      [new OperationFailed('no such column'), 'no such column'],
    ] as const) {
      const read = withArchive({ store: { url: `sqlite:${store.file}` } as Config['store'] }, () =>
        Promise.reject(error),
      );
      expect((await rejectionOf(read)).message).to.equal(said);
    }
  });

  it('sees what is in the log alone that a killed service has left, but makes no index of a log that has lost it', async () => {
    const { ledger, id } = await fill(store);
    const leave = () => {
      const left = tempFolder();
      for (const name of readdirSync(store.folder)) copyFileSync(join(store.folder, name), join(left, name));
      return left;
    };
    expectToldAndTakenOver(await storyIn(`sqlite:${leave()}/botbell.db`, id));
    await ledger.close(CLOSED_WITHIN_MS);
    const again = await store.open({ clock: systemClock });
    const last = await again.admit(arrivalOf(callbackWith({ job_id: 'last' }), [OPS]));
    const left = leave();
    rmSync(join(left, 'botbell.db-shm'));
    const names = readdirSync(left);
    expectToldAndTakenOver(await storyIn(`sqlite:${left}/botbell.db`, id));
    expect(await storyIn(`sqlite:${left}/botbell.db`, last.callbackId)).to.equal(undefined);
    expect(readdirSync(left)).to.deep.equal(names);
  });

  if (process.getuid?.() !== 0) {
    it('says that it may not read files of somebody else, nor write where it may not', async () => {
      const { ledger } = await fill(store);
      await ledger.close(CLOSED_WITHIN_MS);
      chmodSync(store.file, 0o000);
      expect(await troubleWith(url())).to.match(/permission denied, access/);
      chmodSync(store.file, 0o600);
      // As another account leaves it that has once been in its place.
      writeFileSync(`${store.file}-wal`, '', { mode: 0o400 });
      expect(await troubleWith(url(), inspectStore)).to.match(/EACCES.*-wal/);
      chmodSync(store.folder, 0o555);
      expect(await troubleWith(`sqlite:${store.folder}/new.db`, inspectStore)).to.contain('EACCES');
      chmodSync(store.folder, 0o755);
    });
  }

  it('keeps nothing locked while somebody who acts beside the service thinks', async () => {
    const { ledger } = await fill(store);
    const beside = await openBesideService(url());
    await beside.archive.tally({}, 'dismissed');
    for (let number = 0; number < 100; number += 1) {
      const callback = callbackWith({ job_id: `job-${number}`, message: 'x'.repeat(100_000) });
      await ledger.admit(arrivalOf(callback, []));
    }
    expect(statSync(`${store.file}-wal`).size).to.be.lessThan(8 * 1024 * 1024);
    await beside.close();
  });
});

describe('reading a ledger in PostgreSQL', () => {
  const server = forAll(() => startOwnPostgres());
  const store = anew(() => createPostgresStore(server));

  it('says that there is none, and makes none', async () => {
    expect(await troubleWith(store.url)).to.match(/no ledger yet at store\.url/);
    expect(await inspectStore(store.url)).to.equal('none');
    const made = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
    expect(await store.query(made)).to.deep.equal([]);
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

  it('is refused by what calls itself something else, is too old, or holds not every text', async () => {
    const at = async (settings: string, statements: string) => {
      const name = `kind_${randomBytes(4).toString('hex')}`;
      await execute(server.url, `create database ${name} ${settings}`);
      const url = Object.assign(new URL(server.url), { pathname: name }).href;
      await execute(url, statements);
      // What has been set for a database is so from the next connection on.
      const [looked, opened] = [await troubleWith(url, inspectStore), await troubleWith(url, openAt)];
      expect(opened).to.equal(`store.url: the PostgreSQL database cannot be used: ${looked}`);
      return looked;
    };
    for (const version of [
      'CockroachDB CCL v25.4.1',
      'PostgreSQL 14.19',
      'PostgreSQL 15.12-YB-2025.2.0.0-b131',
    ])
      expect(await at('', callsItself(version))).to.equal(
        `the server is ${version} on x86_64: Botbell needs PostgreSQL 15 or newer, and works on nothing else that speaks its protocol`,
      );
    expect(await at(`encoding 'LATIN1' template template0`, 'select 1')).to.contain('encoding is LATIN1');
  });

  it('finds any text in the encoding SQL_ASCII', async () => {
    await execute(server.url, `create database ascii encoding 'SQL_ASCII' template template0`);
    const ledger = await openAt(Object.assign(new URL(server.url), { pathname: 'ascii' }).href);
    const { callbackId } = await ledger.admit(arrivalOf(callbackWith({ bot_name: '請求書取込' }), []));
    const { items } = await ledger.archive.callbacks({ search: '取込' }, { limit: 2 });
    expect(items.map(({ id }) => id)).to.deep.equal([callbackId]);
    await ledger.close(CLOSED_WITHIN_MS);
  });

  it('is looked at for what its role may do there, without doing it', async () => {
    const url = await server.createDatabase();
    const query = (text: string) => execute(url, text);
    const as = (role: string) => url.replace('postgres@', `${role}@`);
    const trouble = (role: string, options?: object) =>
      troubleWith(as(role), (it) => inspectStore(it, options));
    await query('create role guest login; create role owner login; create role lost login');
    await query('alter role lost set search_path = nowhere');
    const granted = /: (GRANT .*)$/;
    const told = await trouble('guest');
    expect(told).to.contain('the role guest may not create tables in the schema public');
    const open = (role: string) => openAt(as(role));
    expect(await troubleWith('guest', open), 'when it is opened').to.contain(told);
    expect(await trouble('lost')).to.contain('search_path is there for the role lost');
    await query(granted.exec(told)?.[1] ?? '');
    expect(await inspectStore(as('guest'))).to.equal('none');
    await query('grant create on schema public to owner');
    await (await open('owner')).close();
    await query('grant select, insert, update on all tables in schema public to guest');
    const unwritten = /the role guest may not write botbell_schema and \d+ more: .*GRANT/;
    expect(await trouble('guest')).to.match(unwritten);
    await query('grant delete on all tables in schema public to guest');
    expect(await trouble('guest')).to.contain('may not write callbacks_id_seq');
    await query('grant usage on callbacks_id_seq to guest');
    expect(await inspectStore(as('guest'))).to.equal('ready');
    await checkRights(as('guest'));
    await query('revoke update on incidents from guest');
    expect(await troubleWith(as('guest'), checkRights)).to.contain('may not write incidents');
    await query('revoke insert on processes from guest');
    await checkRights(as('guest'));
    await query('grant all on incidents, processes to guest');
    const migrations = [...MIGRATIONS, { statements: [], oldest: FIRST_VERSION }];
    expect(await trouble('guest', { migrations })).to.contain('does not own botbell_schema and');
    expect(await inspectStore(as('owner'), { migrations })).to.equal('older');
    await query('alter role owner set default_transaction_read_only = on');
    expect(await trouble('owner')).to.contain('it is read-only');
  });

  it('says what to do about a certificate of an unknown authority or for another name, or where there is none, and Node’s process warns of nothing', async () => {
    const [warnings, warn] = [[] as string[], ({ message }: Error) => void warnings.push(message)];
    process.on('warning', warn);
    const server = createServer((socket) => {
      const tls = { isServer: true, key: readFileSync(`${TLS}.key`), cert: readFileSync(`${TLS}.crt`) };
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, tls).on('error', () => undefined);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const saidOf = (query: string) => troubleWith(`postgres://u@127.0.0.1:${port}/db?${query}`, inspectStore);
    for (const mode of ['allow', 'prefer', 'require'])
      expect(await saidOf(`sslmode=${mode}`), mode).to.match(
        /^self-signed certificate: name .*\?sslrootcert=.*\?sslmode=no-verify/,
      );
    const known = await saidOf(`sslmode=require&sslrootcert=${TLS}.crt`);
    expect(known).to.match(
      /127\.0\.0\.1 is not in the cert.*: name the server in store\.url as its certificate does$/s,
    );
    const plain = await troubleWith(`${store.url}?sslmode=prefer`, inspectStore);
    expect(plain).to.contain('does not support SSL connections: ?sslmode=disable');
    process.off('warning', warn);
    expect(warnings).to.deep.equal([]);
    server.close();
  });

  for (const { what, look, begins } of [
    { what: 'looked at', look: inspectStore, begins: '' },
    { what: 'read', look: openArchive, begins: 'store.url: ' },
    { what: 'opened', look: openAt, begins: 'store.url: ' },
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
