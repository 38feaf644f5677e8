/** What has to outlast a power cut waits for a flush of SQLite's log, and nothing else does. */
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import sql from 'sql-template-tag';
import type { Tx } from '../../src/ledger/database.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openSqlite, type SqliteTransactions } from '../../src/ledger/sqlite/transactions.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

/** A flush that has begun; `end` with an error says that it failed. */
interface Begun {
  readonly descriptor: number;
  readonly end: (error?: Error) => void;
}

const DURABLE = { isDurable: true, withinMs: 1000 };
const count = (name: string) => (tx: Tx) =>
  tx.all(sql`INSERT INTO paces (key, next_at) VALUES (${name}, ${tx.now})`);

describe('A flush of the log of SQLite', () => {
  let store: SqliteStore;
  let flushes: Begun[];
  let transactions: SqliteTransactions;

  const counted = async () => (await store.rows('paces', 'key')).map(({ key }) => key);
  const isSettled = async (call: Promise<unknown>) => {
    await transactions.run(count(`after ${Math.random()}`));
    const settled = Promise.allSettled([call]).then(() => true);
    return Promise.race([settled, new Promise((resolve) => setImmediate(resolve))]);
  };
  const begun = (many: number) => until(`${many} flushes have begun`, () => flushes.length >= many);

  beforeEach(async () => {
    store = createSqliteStore();
    flushes = [];
    let isStarted = false;
    const flush = (descriptor: number, onFlushed: (error: Error | null) => void) => {
      if (!isStarted) return onFlushed(null);
      let hasEnded = false;
      const end = (error?: Error) => {
        if (!hasEnded) onFlushed(error ?? null);
        hasEnded = true;
      };
      flushes.push({ descriptor, end });
    };
    transactions = await openSqlite({ path: store.file, owner: 'one', clock: store.clock, flush });
    isStarted = true;
  });

  afterEach(async () => {
    for (const { end } of flushes) end();
    await transactions.close();
    await store.close();
  });

  it('is waited for by all that was committed before it, and delays no other call', async () => {
    const calls = ['a', 'b', 'c'].map((name) => transactions.run(count(name), DURABLE));
    await begun(1);
    expect(await isSettled(Promise.race(calls))).to.equal(undefined);
    expect(flushes).to.have.length(1);
    flushes[0]?.end();
    await Promise.all(calls);
  });

  it('does not count for what is committed after it has begun', async () => {
    const first = transactions.run(count('a'), DURABLE);
    await begun(1);
    const second = transactions.run(count('b'), DURABLE);
    await begun(2);
    expect(flushes[0]?.descriptor, 'each is told of an error').not.to.equal(flushes[1]?.descriptor);
    flushes[0]?.end();
    await first;
    expect(await isSettled(second)).to.equal(undefined);
    flushes[1]?.end();
    await second;
  });

  it('that hangs is given up at the deadline', async () => {
    const call = transactions.run(count('a'), DURABLE);
    await begun(1);
    expect(await store.clock.runUntil(rejectionOf(call))).to.be.instanceOf(LedgerUnavailable);
  });

  it('that fails is not tried again: its calls are rejected, and the file is opened anew with all of it', async () => {
    const call = rejectionOf(transactions.run(count('a'), DURABLE));
    await begun(1);
    flushes[0]?.end(new Error('EIO: i/o error, fdatasync'));
    expect(String(await call)).to.contain('EIO');
    expect(flushes).to.have.length(1);
    expect(statSync(`${store.file}-wal`).size, 'the log').to.be.greaterThan(0);
    await transactions.run(() => Promise.resolve());
    expect(statSync(`${store.file}-wal`).size, 'the log').to.equal(0);
    const next = transactions.run(count('b'), DURABLE);
    await begun(2);
    flushes[1]?.end();
    await next;
    expect(await counted()).to.deep.equal(['a', 'b']);
  });

  it('counts for nothing where the log is another file by then', async () => {
    const call = rejectionOf(transactions.run(count('a'), DURABLE));
    await begun(1);
    renameSync(`${store.file}-wal`, `${store.file}.away`);
    writeFileSync(`${store.file}-wal`, '');
    flushes[0]?.end();
    expect(String(await call)).to.contain('was replaced by another file');
    renameSync(`${store.file}.away`, `${store.file}-wal`);
  });
});
