/** A ledger's SQLite file in a folder of its own, with a way to look into it and to get in its way. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { LedgerOptions } from '../../src/ledger/sql-ledger.ts';
import type { StoreUnderTest } from '../contract/ledger-contract.ts';
import { ManualClock } from './manual-clock.ts';

export interface SqliteStore extends StoreUnderTest {
  readonly folder: string;
  readonly file: string;
  /** A second connection, closed with the store. */
  connect(): DatabaseSyncInstance;
}

export function createSqliteStore(clock = new ManualClock()): SqliteStore {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-ledger-'));
  const file = join(folder, 'botbell.db');
  const closers: (() => Promise<void> | void)[] = [];
  const connect = () => {
    const database = new DatabaseSync(file);
    closers.push(() => database.close());
    return database;
  };
  return {
    folder,
    file,
    connect,
    async open(options: LedgerOptions): Promise<OpenLedger> {
      const ledger = await openLedger(`sqlite:${file}`, options);
      closers.push(() => ledger.close());
      return ledger;
    },
    run: (statement) => Promise.resolve(connect().exec(statement)),
    passTime: (ms) => clock.advance(ms),
    rows: (table, orderedBy) => Promise.resolve(rowsOf(connect(), table, orderedBy)),
    async close() {
      for (const close of closers.splice(0).toReversed()) await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function rowsOf(database: DatabaseSyncInstance, table: string, orderedBy = 'id'): Record<string, unknown>[] {
  return database.prepare(`select * from ${table} order by ${orderedBy}`).all() as Record<string, unknown>[];
}
