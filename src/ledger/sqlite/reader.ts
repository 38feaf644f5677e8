/** A SQLite ledger for those who only read, on a connection of their own. */
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { StoreReader } from '../dialect.ts';
import type { Tables } from '../tables.ts';

/** What SQLite can bind; the ledger's rows hold nothing else. */
type Bindable = string | number | bigint | null | Uint8Array;

export function forKysely(statement: StatementSyncInstance): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters): unknown[] => statement.all(...(parameters as Bindable[])),
    run: (parameters) => statement.run(...(parameters as Bindable[])),
    iterate: (parameters): IterableIterator<unknown> => statement.iterate(...(parameters as Bindable[])),
  };
}

/**
 * Opens the file when it is first asked. Each statement is a transaction: one that stays open would keep the log from
 * being emptied.
 */
export function openSqliteReader(path: string): StoreReader {
  let opened: { readonly db: Kysely<Tables> } | undefined;
  const open = () => {
    const database = new DatabaseSync(path, { readOnly: true });
    const statements: SqliteDatabase = {
      prepare: (text) => forKysely(database.prepare(text)),
      close: () => database.close(),
    };
    return { db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: statements }) }) };
  };
  return {
    read: async (_deadline, work) => work((opened ??= open()).db),
    close: async () => opened?.db.destroy(),
  };
}

/** Of a ledger in memory, which no other connection sees. */
export function readerOver(db: Kysely<Tables>): StoreReader {
  return { read: (_deadline, work) => work(db), close: () => Promise.resolve() };
}
