/** The thread beside a SQLite ledger: it reads for people, keeps the log short, and nobody waits for it in vain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DatabaseLedger, ledgerOver } from '../../src/ledger/database-ledger.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { databaseOver } from '../../src/ledger/registry.ts';
import { Keeper } from '../../src/ledger/sqlite/keeper.ts';
import { LogMover } from '../../src/ledger/sqlite/log-mover.ts';
import { openSqlite } from '../../src/ledger/sqlite/transactions.ts';
import { systemClock } from '../../src/time/clock.ts';
import { arrivalOf, OPS } from '../contract/arrivals.ts';
import { callbackWith } from '../support/callbacks.ts';
import { noise } from '../support/noise.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { OPTIONS } from '../support/store-under-test.ts';

const HANGING = new URL('../support/hanging-keeper.ts', import.meta.url);
const ROOT = join(import.meta.dirname, '../..');
const MEGABYTE = 1024 * 1024;
const MOST_LOG_BYTES = 8 * MEGABYTE;

/** Opens the ledger of the file named by its argument, does what the script says, closes it, and ends. */
const PROGRAM = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { Keeper, endDespiteHangingStore } from '${ROOT}/src/ledger/sqlite/keeper.ts';
  import { openSqlite } from '${ROOT}/src/ledger/sqlite/transactions.ts';
  import { systemClock as clock, waitAtMost } from '${ROOT}/src/time/clock.ts';
  const [path, entry, disk] = process.argv.slice(2);
  const writer = await openSqlite({ path, owner: 'me', clock, isKept: true });
  const keeper = new Keeper({ path, writer, entry: new URL(entry), looksAtLoopMs: 50 });
  await keeper.call('countOpen', [], { withinMs: 60_000 });
  if (disk === 'stands') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (disk === 'hangs') {
    writeFileSync(path + '.hangs', '');
    while (!existsSync(path + '.hung')) await clock.sleep(10);
  }
  await writer.close();
  await waitAtMost(disk === 'hangs' ? 500 : 60_000, keeper.close(), clock);
  endDespiteHangingStore((text) => console.error(text));`;

describe('The keeper of a SQLite ledger', () => {
  let store: SqliteStore;
  let ledger: DatabaseLedger;
  let keeper: Keeper;

  const mark = (what: 'hangs' | 'dies') => writeFileSync(`${store.file}.${what}`, '');
  const hang = async () => {
    mark('hangs');
    await until('the keeper hangs', () => existsSync(`${store.file}.hung`));
  };
  const recover = () => rmSync(`${store.file}.hangs`, { force: true });
  const arrive = (job_id: string, bytes = 10) =>
    ledger.admit(arrivalOf(callbackWith({ job_id, message: noise(bytes) }), [OPS]));
  const reads = () => keeper.call('countOpen', []).then(Boolean, () => false);
  const logBytes = () => statSync(`${store.file}-wal`).size;

  beforeEach(async () => {
    store = createSqliteStore();
    const path = store.file;
    const writer = await openSqlite({ path, owner: 'one', clock: systemClock, isKept: true });
    keeper = new Keeper({ path, writer, entry: HANGING, maxBytes: 25 * MOST_LOG_BYTES });
    ledger = ledgerOver(databaseOver(writer), keeper, { ...OPTIONS, clock: systemClock });
    // On a busy machine a thread loads the sources for longer than a call waits.
    await until('the thread runs', reads);
  });

  afterEach(async () => {
    recover();
    await ledger.close(60_000);
    await store.close();
  });

  it('gives up whoever reads in the time they gave while the disk hangs, and the ledger goes on writing', async () => {
    await hang();
    const read = keeper.call('countOpen', [], { withinMs: 50 });
    expect(await rejectionOf(read)).to.be.instanceOf(LedgerUnavailable);
    expect(await arrive('job')).to.include({ isNew: true });
  });

  it('is followed by another one when it ends', async () => {
    mark('dies');
    await until('it has ended', () => !existsSync(`${store.file}.dies`));
    await until('another one reads', reads);
    expect(await arrive('job')).to.include({ isNew: true });
  });

  it('moves the log, and the ledger leaves one file', async () => {
    for (let number = 0; number < 10; number += 1) await arrive(`a${number}`, MEGABYTE);
    // It moves four megabytes at least, of which some pages stand in the log twice.
    await until('the log has been moved', () => statSync(store.file).size > 3 * MEGABYTE);
    await ledger.close(60_000);
    expect(existsSync(`${store.file}-wal`) ? logBytes() : 0).to.equal(0);
  });

  it('moves the log into a file that was replaced, too, so that the one in its place does not take it for its own', async () => {
    await arrive('job-1');
    renameSync(store.file, `${store.file}.before`);
    writeFileSync(store.file, 'restored');
    await ledger.close(60_000);
    expect([logBytes(), readFileSync(store.file, 'utf8')]).to.deep.equal([0, 'restored']);
  });

  it('leaves the log to whoever reads it for long, and the ledger goes on writing', async () => {
    const reader = store.connect();
    reader.exec('begin');
    reader.prepare('select count(*) from callbacks').get();
    for (let number = 0; number < 20; number += 1) await arrive(`a${number}`, 1_000_000);
    expect(logBytes()).to.be.greaterThan(MOST_LOG_BYTES);
    reader.exec('rollback');
  });

  for (const { disk, code, signal, says } of [
    { disk: 'hangs', code: null, signal: 'SIGKILL', says: /^the store hangs: .*SIGKILL/ },
    { disk: 'stands', code: null, signal: 'SIGKILL', says: /event loop has stood for a minute: .*SIGKILL/ },
    { disk: 'works', code: 0, signal: null, says: /^$/ },
  ]) {
    it(`lets its process end where the ${disk === 'stands' ? 'event loop' : 'disk'} ${disk}: by ${signal ?? 'itself'}`, async () => {
      const program = join(store.folder, 'program.mjs');
      writeFileSync(program, PROGRAM);
      const importer = `--import=${ROOT}/test/support/import-tests.mjs`;
      const file = join(store.folder, 'other.db');
      const ending = spawn(process.execPath, [importer, program, file, HANGING.href, disk], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      ending.stderr.on('data', (data: Buffer) => (said += data.toString()));
      expect(await once(ending, 'close'), said).to.deep.equal([code, signal]);
      expect(said).to.match(says);
    });
  }
});

describe('The log of a SQLite ledger', () => {
  it('has the writer rest where it is long and never all of it is moved, and is begun anew then', async () => {
    const store = createSqliteStore();
    const [writer, reader] = [store.connect(), store.connect()];
    writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table noise (bytes blob)');
    const write = () => writer.exec('insert into noise values (randomblob(600000))');
    const logBytes = () => statSync(`${store.file}-wal`).size;
    const mover = new LogMover(store.file, MEGABYTE);
    write();
    // What comes after its snapshot is not moved, like what is written meanwhile.
    reader.exec('begin; select count(*) from noise');
    write();
    expect(mover.look()).to.equal('rest');
    reader.exec('rollback');
    mover.finish();
    const length = logBytes();
    write();
    expect(logBytes()).to.equal(length);
    expect(mover.look()).to.equal(undefined);
    await store.close();
  });
});
