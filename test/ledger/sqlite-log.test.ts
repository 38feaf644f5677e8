/** SQLite's log is flushed and moved into the file by another thread, in the order that survives a power cut. */
import { copyFileSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { openFiles, WriteAheadLog } from '../../src/ledger/sqlite/log.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { noise } from '../support/noise.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const MEGABYTE = 1024 * 1024;
const LONG = 4 * MEGABYTE;

interface Flush {
  end(): void;
  fail(): void;
}

describe("SQLite's log", () => {
  let events: string[];
  /** Those that have begun, in order. */
  let flushes: Flush[];
  let isRead: boolean;
  let log: WriteAheadLog;

  beforeEach(() => {
    events = [];
    flushes = [];
    isRead = false;
    const flush = (what: string) => () => {
      events.push(`flush ${what}`);
      return new Promise<void>((resolve, reject) => {
        flushes.push({ end: resolve, fail: () => reject(new Error('EIO')) });
      });
    };
    const note = (what: string) => () => void events.push(what);
    log = new WriteAheadLog(
      { flushLog: flush('log'), flushFile: flush('file'), close: note('close') },
      {
        pin: note('pin'),
        copy: note('copy'),
        empty: () => {
          events.push('empty');
          return !isRead;
        },
      },
    );
  });

  /** Ends the oldest flush that is under way, and lets what waited for it go on. */
  const end = async (how: keyof Flush = 'end') => {
    flushes.shift()?.[how]();
    await nextTurn();
  };
  const settled = async (promise: Promise<void>) => {
    let state = 'waiting';
    promise.then(
      () => (state = 'done'),
      () => (state = 'failed'),
    );
    await nextTurn();
    return state;
  };

  describe('is flushed', () => {
    it('before whoever asked for it goes on', async () => {
      const asked = log.flush();
      expect(await settled(asked)).to.equal('waiting');
      await end();
      expect(await settled(asked)).to.equal('done');
    });

    it('once more for all who asked while a flush was under way, since it may not have what they wrote', async () => {
      const asked = [log.flush(), log.flush(), log.flush()];
      await end();
      expect(await Promise.all(asked.map(settled))).to.deep.equal(['done', 'waiting', 'waiting']);
      expect(events).to.deep.equal(['flush log', 'flush log']);
      await end();
      expect(await Promise.all(asked.map(settled))).to.deep.equal(['done', 'done', 'done']);
    });

    it('or whoever asked for it hears that it was not, and who waits behind does not trust it either', async () => {
      const failed = rejectionOf(log.flush());
      const behind = log.flush();
      await end('fail');
      expect((await failed).message).to.equal('EIO');
      expect(await settled(behind)).to.equal('waiting');
      expect(events).to.deep.equal(['flush log', 'pin', 'flush log']);
    });

    it('and after a flush that failed is trusted again only when all of it is in the file', async () => {
      const failed = rejectionOf(log.flush());
      await end('fail');
      expect((await failed).message).to.equal('EIO');
      const asked = log.flush();
      for (let flush = 0; flush < 4; flush += 1) {
        expect(await settled(asked), String(events)).to.equal('waiting');
        await end();
      }
      expect(await settled(asked)).to.equal('done');
      expect(events.slice(1)).to.deep.equal([
        'pin',
        'flush log',
        'copy',
        'flush file',
        'empty',
        'flush log',
        'flush log',
      ]);
    });
  });

  describe('is moved into the file', () => {
    it('not while it is short', async () => {
      log.committed(LONG - 1);
      await nextTurn();
      expect(events).to.deep.equal([]);
    });

    it('each step only when the one before is on disk, and nobody writes meanwhile', async () => {
      log.committed(LONG);
      const writable = log.writable();
      await nextTurn();
      const steps = [['pin', 'flush log'], ['copy', 'flush file'], ['empty', 'flush log'], []];
      for (const [index, expected] of steps.entries()) {
        expect(events.splice(0)).to.deep.equal(expected);
        expect(await settled(writable)).to.equal(index < 3 ? 'waiting' : 'done');
        await end();
      }
    });

    it('again only when it has grown by as much, if somebody who reads it kept it from being emptied', async () => {
      isRead = true;
      log.committed(LONG);
      await nextTurn();
      await end();
      await end();
      expect(events.splice(0)).to.deep.equal(['pin', 'flush log', 'copy', 'flush file', 'empty']);
      await log.writable();
      log.committed(2 * LONG - 1);
      await nextTurn();
      expect(events).to.deep.equal([]);
      log.committed(2 * LONG);
      await nextTurn();
      expect(events).to.deep.equal(['pin', 'flush log']);
    });

    it('and stays as it is when it cannot be flushed', async () => {
      log.committed(LONG);
      await nextTurn();
      await end('fail');
      await log.writable();
      expect(events).to.deep.equal(['pin', 'flush log']);
    });

    it('and is never emptied once the disk has refused the file: nothing is written until a restart', async () => {
      log.committed(LONG);
      await nextTurn();
      await end();
      await end('fail');
      expect((await rejectionOf(log.writable())).message).to.contain('restart Botbell');
      expect(events).to.not.include('empty');
      expect(log.stop(), 'SQLite may empty it').to.equal(false);
    });

    it('no further once the ledger is closed', async () => {
      log.committed(LONG);
      await nextTurn();
      expect(log.stop(), 'SQLite may empty it').to.equal(true);
      log.close();
      await end();
      expect(events).to.deep.equal(['pin', 'flush log', 'close']);
    });
  });

  it('is not flushed any more once its files are closed, and what is being flushed is closed after that', async () => {
    const store = createSqliteStore();
    const ledger = await store.open({
      clock: new ManualClock(),
      owner: 'me',
      leaseMs: 18_000,
      takeOverAfterMs: 60_000,
    });
    const files = openFiles(store.file);
    const flushing = Promise.all([files.flushLog(), files.flushFile()]);
    files.close();
    expect((await rejectionOf(files.flushLog())).message).to.contain('closed');
    await flushing;
    await ledger.close();
    await store.close();
  });

  it('is begun anew by nobody else, who would not know what has been flushed of it', async () => {
    const clock = new ManualClock();
    const store = createSqliteStore(clock);
    const ledger = await store.open({ clock, owner: 'me', leaseMs: 18_000, takeOverAfterMs: 60_000 });
    const other = store.connect();
    other.exec('pragma busy_timeout = 5');
    const admit = (job_id: string) => ledger.admit(arrivalOf(callbackWith({ job_id }), [], clock.now()));
    for (const job of ['one', 'two', 'three']) {
      await admit(job);
      const { size } = statSync(`${store.file}-wal`);
      expect(other.prepare('pragma wal_checkpoint(truncate)').get()).to.include({ busy: 1 });
      await admit(`${job}, again`);
      expect(statSync(`${store.file}-wal`).size).to.be.greaterThan(size);
    }
    await store.close();
  });

  it('of a real ledger is in the file when it has grown long', async () => {
    const clock = new ManualClock();
    const store = createSqliteStore(clock);
    const ledger = await store.open({ clock, owner: 'me', leaseMs: 18_000, takeOverAfterMs: 60_000 });
    for (let number = 0; number < 20; number += 1) {
      const message = noise(MEGABYTE / 3);
      await ledger.admit(arrivalOf(callbackWith({ job_id: `job-${number}`, message }), [], clock.now()));
    }
    const withoutLog = `${store.file}.copy`;
    await until('callbacks in the file itself', () => {
      copyFileSync(store.file, withoutLog);
      const copy = new DatabaseSync(withoutLog);
      try {
        return copy.prepare('select id from callbacks').all().length >= 10;
      } catch {
        // The migrations are in the log, too.
        return false;
      } finally {
        copy.close();
      }
    });
    await store.close();
  });
});
