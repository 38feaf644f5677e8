/** Connections to a SQLite file: what they are asked, what their errors mean, and how large the file is. */
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { WatchedFile } from './files.ts';
import type { StoreSize } from '../dialect.ts';
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import type { StoreReader } from '../dialect.ts';
import type { Tables } from '../tables.ts';

/** SQLite primary result codes (sqlite.org/rescode.html): SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY_CODES = new Set([5, 6]);

/** SQLite's own words for them: the driver gives no code with what a statement that returns rows throws. */
const BUSY = /^database (?:table )?is locked/;

export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return BUSY_CODES.has(primaryCodeOf(error)) || BUSY.test(error.message) || isSqliteBusy(error.cause);
}

function primaryCodeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}

/** Not the file's size: pages that are free are used again. Two pragmas, which take some eight microseconds. */
export function sizeOf(
  database: Pick<SqliteDatabase, 'prepare'>,
  log: Pick<WatchedFile, 'bytes'> | undefined,
): () => StoreSize {
  const pragma = (name: string) => {
    const [row] = database.prepare(`pragma ${name}`).all([]) as Record<string, number>[];
    return row?.[name] ?? 0;
  };
  return () => {
    const pages = pragma('page_count') - pragma('freelist_count');
    return { used: pages * pragma('page_size'), log: log?.bytes ?? 0 };
  };
}

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
