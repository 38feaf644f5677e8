/** The files of a SQLite ledger: for their owner alone, of nobody else's, and missed when they are gone. */
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { storeTroubleOf } from '../../src/app/heartbeat.ts';
import { NO_ANSWER } from '../../src/incident/store-trouble.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { checkDisk, explainedBySystem } from '../../src/ledger/sqlite/file.ts';
import { arrivalOf, claimedOf, OPS } from '../contract/arrivals.ts';
import { HANDS } from '../contract/ledger-bench.ts';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { noise } from '../support/noise.ts';
import { refusalOf, rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, filesIn } from '../support/sqlite-store.ts';
import { OPTIONS } from '../support/store-under-test.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MEGABYTE = 1024 * 1024;
const MORE_THAN_READY_MS = 15_001;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const madeBy = (statements: string) => (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
};

/** What a program that was killed has left of its files. */
const inItsLog = (left: readonly string[]) => (path: string) => {
  const original = join(tempFolder(), 'original');
  const database = new DatabaseSync(original);
  database.exec('pragma journal_mode = wal; create table theirs (a); pragma user_version = 42');
  for (const ending of left) copyFileSync(original + ending, path + ending);
  database.close();
};

describe('The files of a SQLite ledger', () => {
  const store = anew(() => createSqliteStore());
  let ledger: DatabaseLedger;

  const openAt = (path: string) =>
    openLedger(`sqlite:${path}`, { ...OPTIONS, clock: store.clock, owner: 'one', isInProcess: true });
  const arrive = (job_id: string, by = ledger) => by.admit(arrivalOf(callbackWith({ job_id }), [OPS]));
  const crash = (name: string) => {
    const path = join(store.folder, name);
    for (const ending of ['', '-wal']) copyFileSync(store.file + ending, path + ending);
    return path;
  };

  it('can be read by nobody but their owner, nor the folder made for them, whatever the umask says', async () => {
    const umask = process.umask(0);
    const path = join(store.folder, 'var', 'lib', 'botbell.db');
    ledger = await openAt(path);
    process.umask(umask);
    await arrive('job-1');
    expect(['', '-wal', '-shm'].map((ending) => modeOf(path + ending))).to.deep.equal(['600', '600', '600']);
    expect([dirname(path), dirname(dirname(path))].map(modeOf)).to.deep.equal(['700', '700']);
    await ledger.close();
  });

  describe('are not made of what is none of them', () => {
    const refusal = (path: string) => refusalOf(openAt(path));

    const holding = (text: string) => (path: string) => writeFileSync(path, text, { mode: 0o644 });
    for (const [what, make] of [
      ['a text', holding('notes of somebody')],
      // SQLite itself takes it for an empty file.
      ['a file of one byte', holding('x')],
      ['a database that only its mark shows to be another program’s', madeBy('pragma application_id = 42')],
      ['one whose version only is set', madeBy('pragma user_version = 42')],
      ['one whose tables are in its log alone', inItsLog(['', '-wal', '-shm'])],
      ['one whose log has lost its index', inItsLog(['', '-wal'])],
    ] as const)
      it(`${what} stays as it is, byte for byte`, async () => {
        const path = join(store.folder, 'other.db');
        make(path);
        const files = () => filesIn(store.folder).filter(([name]) => !name.endsWith('-shm'));
        const before = files();
        expect(await refusal(path)).to.match(
          /^store\.url: .*other\.db cannot be used: .*give Botbell a store of its own$/,
        );
        expect(files()).to.deep.equal(before);
      });

    it('a folder, a pipe or a device is refused, and stays as it is', async () => {
      const pipe = join(store.folder, 'pipe');
      spawnSync('mkfifo', ['-m', '666', pipe]);
      for (const path of [store.folder, pipe]) {
        const before = modeOf(path);
        expect(await refusal(relative('.', path))).to.equal(
          `store.url: the SQLite file ${path} cannot be used: it is not a file`,
        );
        expect(modeOf(path)).to.equal(before);
      }
    });
  });

  describe('are missed when somebody else', () => {
    beforeEach(async () => {
      ledger = await store.open();
      await arrive('job-1');
    });

    const log = () => `${store.file}-wal`;
    const aside = () => join(store.folder, 'aside');
    const troubles = async () => {
      const calls = [arrive('job-2'), ledger.upkeep.heartbeat({ hash: '', channels: new Map() })];
      const errors = await Promise.all(calls.map(rejectionOf));
      for (const error of errors) expect(error).to.be.instanceOf(LedgerUnavailable);
      return errors[0]?.message ?? '';
    };

    it('locks the file, which is then why the store cannot be written', async () => {
      const settings = { current: { redact: String } };
      const parts = { clock: store.clock, ledger, settings } as unknown as Parameters<
        typeof storeTroubleOf
      >[0];
      const other = store.connect();
      other.exec('begin immediate');
      await store.clock.runUntil(troubles());
      await store.clock.advance(MORE_THAN_READY_MS);
      expect(storeTroubleOf(parts)).to.equal('the SQLite file was not unlocked by another program in time');
      other.exec('rollback');
      await arrive('job-2');
      expect(storeTroubleOf(parts)).to.equal(undefined);
      await store.clock.advance(MORE_THAN_READY_MS);
      expect(storeTroubleOf(parts)).to.equal(NO_ANSWER);
    });

    for (const { which, path } of [
      { which: 'the file', path: () => store.file },
      { which: 'its log', path: log },
    ]) {
      it(`moves ${which} away; and it works again once that is put back`, async () => {
        renameSync(path(), aside());
        expect(await troubles())
          .to.contain(path())
          .and.to.match(/deleted or moved away: put back .* or restart Botbell/);
        expect(ledger.writtenAt, 'not ready').to.equal(undefined);
        renameSync(aside(), path());
        expect((await arrive('job-2')).isNew, 'nothing of it had been written').to.equal(true);
        expect(ledger.writtenAt, 'ready').to.equal(store.clock.monotonic());
      });

      it(`puts another one in the place of ${which}`, async () => {
        copyFileSync(path(), aside());
        renameSync(aside(), path());
        expect(await troubles()).to.contain('replaced by another file');
      });
    }

    it('puts others in their place: those are left alone when the ledger is closed', async () => {
      for (const path of [store.file, log()]) {
        rmSync(path);
        writeFileSync(path, 'restored');
      }
      await troubles();
      await ledger.close();
      for (const path of [store.file, log()]) expect(readFileSync(path, 'utf8')).to.equal('restored');
    });
  });

  it('that a crash has left are gone on with, without a transaction that was cut off, and what the dead process held is free', async () => {
    ledger = await store.open();
    await arrive('job-1');
    const [whole, cut] = [crash('whole.db'), crash('cut.db')];
    truncateSync(`${cut}-wal`, statSync(`${cut}-wal`).size - 10);
    const [reopened, other] = [await openAt(whole), await openAt(cut)];
    expect(claimedOf(await arrive('job-1', reopened))).to.deep.equal([]);
    await reopened.upkeep.repair(HANDS);
    expect(claimedOf(await arrive('job-1', reopened))).to.deep.equal([OPS.destination]);
    expect((await arrive('job-1', other)).isNew).to.equal(true);
    for (const each of [reopened, other]) await each.close();
  });

  it('say, where SQLite knows only that the disk failed, what the system says of a file that nobody can touch', () => {
    const failed = new Error('disk I/O error');
    const there = join(store.folder, 'there');
    writeFileSync(there, '');
    expect(explainedBySystem(failed, there)).to.equal(failed);
    const gone = join(store.folder, 'gone');
    expect(String(explainedBySystem(failed, gone))).to.include('ENOENT');
    expect(String(explainedBySystem(new Error('constraint failed'), gone))).to.include('constraint');
  });

  it('need a disk with room for their log', () => {
    expect(() => checkDisk(join(tempFolder(), 'new/botbell.db'))).to.not.throw();
    // A file system without any.
    const full = existsSync('/proc') ? '/proc/botbell.db' : '/dev/botbell.db';
    expect(() => checkDisk(full)).to.throw('its disk has 0 MB left');
  });

  it('have a log that stays small, once whoever kept it from being taken over is gone', async () => {
    ledger = await store.open();
    const reader = store.connect();
    await arrive('job-1');
    reader.exec('begin; select count(*) from callbacks');
    for (let number = 0; number < 20; number += 1) {
      const callback = callbackWith({ job_id: `large-${number}`, message: noise(2 * MEGABYTE) });
      await ledger.admit(arrivalOf(callback, []));
    }
    expect(statSync(`${store.file}-wal`).size).to.be.greaterThan(16 * MEGABYTE);
    reader.exec('rollback');
    // The first one moves the log into the file, the second one begins it anew.
    for (const job of ['job-2', 'job-3']) await arrive(job);
    expect(statSync(`${store.file}-wal`).size).to.be.at.most(4 * MEGABYTE);
  });
});
