/** What waits for a SQLite ledger is one transaction, and none of it stands in another's way. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import sql from 'sql-template-tag';
import type { Tx } from '../../src/ledger/database.ts';
import { OperationFailed } from '../../src/ledger/failures.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { SqliteConnection } from '../../src/ledger/sqlite/connection.ts';
import { openSqlite, SqliteTransactions } from '../../src/ledger/sqlite/transactions.ts';
import { systemClock } from '../../src/time/clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

/** Another thread that writes for a moment. */
const WRITER = `
  import('@photostructure/sqlite').then(({ DatabaseSync }) => {
    const { parentPort, workerData } = require('node:worker_threads');
    const database = new DatabaseSync(workerData);
    database.exec('begin immediate');
    parentPort.postMessage('writing');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    database.exec('rollback');
    database.close();
  });`;

const count = (name: string) => (tx: Tx) =>
  tx.all(sql`INSERT INTO paces (key, next_at) VALUES (${name}, ${tx.now})`);

describe('Transactions in a SQLite file', () => {
  let store: SqliteStore;
  let connection: SqliteConnection;
  let transactions: SqliteTransactions;

  beforeEach(async () => {
    store = createSqliteStore();
    const settings = { owner: 'one', clock: store.clock };
    await (await openSqlite({ path: store.file, ...settings })).close();
    connection = new SqliteConnection(store.file);
    transactions = new SqliteTransactions({ connection, ...settings });
  });

  afterEach(async () => {
    await transactions.close();
    await store.close();
  });

  const counted = async () => (await store.rows('paces', 'key')).map(({ key }) => key);
  const locked = () => {
    const other = store.connect();
    other.exec('begin immediate');
    return () => other.exec('rollback');
  };

  it('are not begun for a call whose time is over when its turn comes', async () => {
    const late = transactions.run(count('late'), { withinMs: 0 });
    expect(await rejectionOf(late)).to.be.instanceOf(LedgerUnavailable);
    expect(await counted()).to.deep.equal([]);
  });

  it('have what they have read to themselves until they write', async () => {
    const other = store.connect();
    other.exec('pragma busy_timeout = 0');
    await transactions.run(async (tx) => {
      await tx.all(sql`SELECT * FROM paces`);
      expect(() => other.exec("insert into paces (key, next_at) values ('b', 1)")).to.throw(/locked/);
      await count('a')(tx);
    });
    expect(await counted()).to.deep.equal(['a']);
  });

  it('let the event loop turn where they take long, and nothing else is begun meanwhile', async () => {
    let time = 0;
    const clock = { ...systemClock, monotonic: () => (time += 30) };
    const slow = new SqliteTransactions({ connection, owner: 'one', clock });
    const seen: string[] = [];
    const long = slow.run(async (tx) => {
      setImmediate(() => {
        seen.push('a turn');
        void slow.run(() => Promise.resolve(seen.push('another call')), { withinMs: 1e9 });
      });
      await count('a')(tx);
      await count('b')(tx);
      seen.push('its end');
    });
    await Promise.all([long, slow.run(() => Promise.resolve(), { withinMs: 1e9 })]);
    await slow.run(() => Promise.resolve(), { withinMs: 1e9 });
    expect(seen).to.deep.equal(['a turn', 'its end', 'another call']);
  });

  it('write nothing more once they are taken back', async () => {
    let time = 0;
    const clock = { ...systemClock, monotonic: () => (time += 30) };
    const slow = new SqliteTransactions({ connection, owner: 'one', clock });
    await rejectionOf(
      slow.run((tx) =>
        Promise.all([tx.all(sql`SELECT nothing FROM nowhere`), count('a')(tx).then(() => count('b')(tx))]),
      ),
    );
    await slow.run(() => Promise.resolve(), { withinMs: 1e9 });
    expect(await counted()).to.deep.equal([]);
  });

  it('wait for another process that writes', async () => {
    const writer = new Worker(WRITER, { eval: true, workerData: store.file });
    await once(writer, 'message');
    await store.clock.runAlong(transactions.run(count('a')));
    expect(await counted()).to.deep.equal(['a']);
  });

  it('are given up each at its deadline, and not before, while another program writes', async () => {
    const unlock = locked();
    const hasty = transactions.run(count('a'), { withinMs: 2000 });
    const patient = transactions.run(count('b'), { withinMs: 8000 });
    const late = transactions.run(count('c'), { withinMs: 8000 });
    const error = store.clock.runUntil(rejectionOf(hasty));
    expect(String(await error)).to.contain('not unlocked by another program in time');
    unlock();
    await store.clock.runUntil(Promise.all([patient, late]));
    expect(await counted()).to.deep.equal(['b', 'c']);
  });

  it('fail together where the disk is full, and work again when there is room', async () => {
    const pages = store.connect().prepare('pragma page_count').get() as { page_count: number };
    connection.exec(`pragma max_page_count = ${pages.page_count}`);
    const large = (tx: Tx) => count('x'.repeat(1_000_000))(tx);
    const calls = [transactions.run(count('a')), transactions.run(large)];
    for (const error of await Promise.all(calls.map(rejectionOf))) {
      expect(error.message).to.equal('the ledger cannot be used: database or disk is full');
      expect(error).not.to.be.instanceOf(OperationFailed);
    }
    connection.exec('pragma max_page_count = 1000000');
    await Promise.all([transactions.run(count('a')), transactions.run(large)]);
    expect(await counted()).to.have.length(2);
  });
});
