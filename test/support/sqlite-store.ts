/** A ledger's SQLite file in a folder of its own, which tests can also read and lock past the ledger. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/transactions.ts';
import { ManualClock } from './manual-clock.ts';
import { callsOver, CLOSED_WITHIN_MS, OPTIONS, type StoreUnderTest } from './store-under-test.ts';
import { tempFolder } from './temp-folder.ts';

export interface SqliteStore extends StoreUnderTest {
  readonly folder: string;
  readonly file: string;
  /** A second connection, closed with the store. */
  connect(): DatabaseSyncInstance;
}

/** Name, mode and bytes of each file; of the log's index no bytes, since every reader changes it. */
export function filesIn(folder: string) {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    const isRead = statSync(path).isFile() && !name.endsWith('-shm');
    return [name, statSync(path).mode, isRead ? readFileSync(path) : undefined] as const;
  });
}

export function createSqliteStore(clock = new ManualClock()): SqliteStore {
  const folder = tempFolder();
  const file = join(folder, 'botbell.db');
  const closers: (() => Promise<void> | void)[] = [];
  const connect = () => {
    const database = new DatabaseSync(file, { timeout: 2000 });
    closers.push(() => database.close());
    return database;
  };
  return {
    folder,
    file,
    clock,
    connect,
    async open(options = {}) {
      const settings = { ...OPTIONS, clock, owner: 'first', isInProcess: true, ...options };
      const ledger = await openLedger(`sqlite:${file}`, settings);
      closers.push(() => ledger.close(CLOSED_WITHIN_MS));
      return ledger;
    },
    call: callsOver(async (owner) => {
      const transactions = await openSqlite({ path: file, owner, clock });
      closers.push(() => transactions.close());
      return transactions;
    }),
    run: (statement) => Promise.resolve(connect().exec(statement)),
    passTime: (ms) => clock.advance(ms),
    rows: (table, orderedBy = 'id') => {
      const all = connect().prepare(`select * from ${table} order by ${orderedBy}`).all();
      return Promise.resolve(all as Record<string, unknown>[]);
    },
    async close() {
      for (const close of closers.splice(0).toReversed()) await close();
    },
  };
}
