/** SQLite's log is flushed and moved into the file between two callbacks. */
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { LogMover } from '../../src/ledger/sqlite-log.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describe("SQLite's log", () => {
  let events: string[];
  /** Ends the flushes that have begun, in order. */
  let flushes: (() => void)[];
  let mover: LogMover;

  beforeEach(() => {
    events = [];
    flushes = [];
    const log = {
      flush: (done: () => void) => {
        events.push('flush');
        flushes.push(done);
      },
      close: () => void events.push('close'),
    };
    mover = new LogMover(log, () => void events.push('move'));
  });

  const commit = (times: number) => {
    for (let time = 0; time < times; time += 1) mover.committed();
  };

  it('stays where it is while it is short', () => {
    commit(149);
    expect(events).to.deep.equal([]);
  });

  it('is moved after a hundred and fifty commits, once it has been flushed', () => {
    commit(150);
    expect(events).to.deep.equal(['flush']);
    flushes[0]?.();
    expect(events).to.deep.equal(['flush', 'move']);
  });

  it('is not flushed twice at once, and again when it has grown', () => {
    commit(400);
    expect(events).to.deep.equal(['flush']);
    flushes[0]?.();
    commit(1);
    expect(events).to.deep.equal(['flush', 'move', 'flush']);
  });

  it('is not moved any more once the ledger is closed', () => {
    commit(150);
    mover.close();
    expect(events, 'still in use').to.deep.equal(['flush']);
    flushes[0]?.();
    expect(events).to.deep.equal(['flush', 'close']);
  });

  it('is closed at once when nobody uses it', () => {
    mover.close();
    expect(events).to.deep.equal(['close']);
  });

  it('of a real ledger is in the file long before SQLite would move it', async () => {
    const clock = new ManualClock();
    const store = createSqliteStore(clock);
    const ledger = await store.open({ clock, owner: 'me', leaseMs: 18_000, takeOverAfterMs: 60_000 });
    for (let number = 0; number < 160; number += 1) {
      await ledger.admit(arrivalOf(callbackWith({ job_id: `job-${number}` }), [], clock.now()));
    }
    const withoutLog = `${store.file}.copy`;
    await until('callbacks in the file itself', () => {
      copyFileSync(store.file, withoutLog);
      const copy = new DatabaseSync(withoutLog);
      try {
        return copy.prepare('select id from callbacks').all().length >= 150;
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
