/** The files of a SQLite ledger: for their owner alone, and missed when they are gone. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Ledger, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import {
  claimAllDue,
  arrivalOf,
  delivered,
  idsOf,
  settlementOf,
  target,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { noise } from '../support/noise.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const OPS = target('slack:#ops');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('The files of a SQLite ledger', () => {
  let store: SqliteStore;
  let clock: ManualClock;
  let ledger: Ledger;

  const options = () => ({ clock, owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 });
  const arrive = (job_id: string) =>
    ledger.admit(arrivalOf(callbackWith({ job_id, message: noise(20_000) }), [OPS], clock.now()));

  beforeEach(() => {
    clock = new ManualClock();
    store = createSqliteStore(clock);
  });

  afterEach(() => store.close());

  describe('can be read by nobody but their owner', () => {
    const filesOf = (path: string) => ['', '-wal', '-shm'].map((ending) => path + ending);

    it('and so can the folder that is made for them, whatever the umask says', async () => {
      const umask = process.umask(0);
      const path = join(store.folder, 'var', 'lib', 'botbell.db');
      ledger = await openLedger(`sqlite:${path}`, options());
      process.umask(umask);
      await arrive('job-1');
      expect(filesOf(path).map(modeOf)).to.deep.equal(['600', '600', '600']);
      expect([dirname(path), dirname(dirname(path))].map(modeOf)).to.deep.equal(['700', '700']);
      await ledger.close();
    });

    it('also those of an earlier version, log included; a folder that was there stays as it is', async () => {
      const folder = join(store.folder, 'shared');
      const path = join(folder, 'botbell.db');
      mkdirSync(folder);
      chmodSync(folder, 0o755);
      ledger = await store.open(options());
      await arrive('job-1');
      for (const ending of ['', '-wal']) {
        copyFileSync(store.file + ending, path + ending);
        chmodSync(path + ending, 0o644);
      }
      const earlier = await openLedger(`sqlite:${path}`, options());
      expect(filesOf(path).map(modeOf)).to.deep.equal(['600', '600', '600']);
      expect(modeOf(folder)).to.equal('755');
      await earlier.close();
    });
  });

  describe('are not made of what is none of them', () => {
    const refusal = async (path: string) =>
      (await rejectionOf(openLedger(`sqlite:${path}`, options()))).message;

    it('a file of something else stays as it is, mode included', async () => {
      const path = join(store.folder, 'notes.txt');
      writeFileSync(path, 'not a ledger at all, but some notes of somebody');
      chmodSync(path, 0o644);
      expect(await refusal(path))
        .to.include(path)
        .and.to.include('not a database');
      expect(modeOf(path)).to.equal('644');
      expect(readFileSync(path, 'utf8')).to.equal('not a ledger at all, but some notes of somebody');
    });

    it('a folder, a pipe or a device is refused, and stays as it is', async () => {
      const pipe = join(store.folder, 'pipe');
      spawnSync('mkfifo', ['-m', '666', pipe]);
      for (const path of [store.folder, pipe]) {
        const before = modeOf(path);
        expect(await refusal(path)).to.equal(
          `store.url: the SQLite file ${path} cannot be opened: it is not a file`,
        );
        expect(modeOf(path)).to.equal(before);
      }
    });
  });

  describe('are missed when somebody else', () => {
    beforeEach(async () => {
      ledger = await store.open(options());
      await arrive('job-1');
    });

    const log = () => `${store.file}-wal`;
    const aside = () => join(store.folder, 'aside');

    /** Neither written nor told that it can be. @returns what an operator reads */
    const expectUnavailable = async (): Promise<string> => {
      const errors = await Promise.all(
        [arrive('job-2'), ledger.probe(), claimAllDue(ledger)].map(rejectionOf),
      );
      for (const error of errors) expect(error).to.be.instanceOf(LedgerUnavailable);
      return errors[0]?.message ?? '';
    };

    for (const { which, path } of [
      { which: 'the file', path: () => store.file },
      { which: 'its log', path: log },
    ]) {
      it(`moves ${which} away; and it works again once that is put back`, async () => {
        renameSync(path(), aside());
        const message = await expectUnavailable();
        expect(message)
          .to.contain(path())
          .and.to.match(/deleted or moved away: put back .* or restart Botbell/);
        renameSync(aside(), path());
        await ledger.probe();
        expect((await arrive('job-2')).isNew, 'nothing of it had been written').to.equal(true);
      });

      it(`puts another one in the place of ${which}`, async () => {
        copyFileSync(path(), aside());
        renameSync(aside(), path());
        expect(await expectUnavailable()).to.contain('replaced by another file');
      });
    }

    it('puts others in their place: those are left alone when the ledger is closed', async () => {
      for (const path of [store.file, log()]) {
        rmSync(path);
        writeFileSync(path, 'restored');
      }
      await expectUnavailable();
      await ledger.close();
      expect([store.file, log()].map((path) => readFileSync(path, 'utf8'))).to.deep.equal([
        'restored',
        'restored',
      ]);
    });

    it('truncates the log; and what comes into its place is not trusted', async () => {
      truncateSync(log(), 0);
      expect(await expectUnavailable()).to.match(/truncated: stop Botbell, restore/);
      writeFileSync(log(), 'x'.repeat(1_000_000));
      expect(await expectUnavailable()).to.contain('truncated');
    });

    it('truncates the file', async () => {
      truncateSync(store.file, 0);
      expect(await expectUnavailable()).to.match(/truncated: stop Botbell, restore/);
    });

    it('deletes both between a commit and its flush: it is not said to be on disk', async () => {
      const admission = await arrive('job-2');
      const settled = ledger.settle({
        ...settlementOf(idsOf(admission).map((id) => ({ ...delivered(id), state: 'pending' as const }))),
        isDurable: true,
      });
      rmSync(store.file);
      rmSync(log());
      expect(await rejectionOf(settled)).to.be.instanceOf(LedgerUnavailable);
    });
  });

  it('may be shortened by SQLite itself, which moves its log into the file', async () => {
    ledger = await store.open(options());
    let longest = 0;
    for (let number = 0; number < 300; number += 1) {
      await arrive(`job-${number}`);
      longest = Math.max(longest, statSync(`${store.file}-wal`).size);
    }
    expect(statSync(`${store.file}-wal`).size).to.be.lessThan(longest);
    await ledger.probe();
  });
});
