/** A ledger in one SQLite file: WAL, prepared statements kept, flushed to disk only where a commit asks for it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { Kysely, SqliteDialect, sql, type SqliteDatabase, type SqliteStatement } from 'kysely';
import type { DialectTraits, OpenStore } from './dialect.ts';
import type { Tables } from './tables.ts';

/** Distinct statements of a running service stay far below this; the bound keeps odd batch sizes from piling up. */
const KEPT_STATEMENTS = 500;

/** Blocks the event loop while it waits, so the longer waiting for a lock is done between tries instead. */
const BUSY_TIMEOUT_MS = 5;

/** Nobody is served yet, and a process that is just closing the file holds it for a moment. */
const OPENING_TIMEOUT_MS = 2000;

/** SQLite primary result codes (sqlite.org/rescode.html): SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY_CODES = new Set([5, 6]);

/** SQLite's own words for them: the driver gives no code with what a statement that returns rows throws. */
const BUSY = /^database (?:table )?is locked/;

const MEMORY = ':memory:';

/** @throws {Error} a file that cannot be opened or created, with the reason */
export function openSqlite(path: string): OpenStore {
  const database = openFile(path);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: keptStatements(database) }) });
  return { db, traits: sqliteTraits };
}

function openFile(path: string): DatabaseSyncInstance {
  try {
    if (path !== MEMORY) mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(`pragma busy_timeout = ${OPENING_TIMEOUT_MS}`);
    database.exec('pragma journal_mode = wal');
    database.exec('pragma synchronous = normal');
    database.exec('pragma foreign_keys = on');
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`store.url: the SQLite file ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

function keptStatements(database: DatabaseSyncInstance): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    prepare(text) {
      const known = kept.get(text);
      if (known !== undefined) return known;
      const statement = forKysely(database.prepare(text));
      if (kept.size >= KEPT_STATEMENTS) kept.clear();
      kept.set(text, statement);
      return statement;
    },
    close() {
      kept.clear();
      database.close();
    },
  };
}

/** What SQLite can bind; the ledger's rows hold nothing else. */
type Bindable = string | number | bigint | null | Uint8Array;

function forKysely(statement: StatementSyncInstance): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters): unknown[] => statement.all(...(parameters as Bindable[])),
    run: (parameters) => statement.run(...(parameters as Bindable[])),
    iterate: (parameters): IterableIterator<unknown> => statement.iterate(...(parameters as Bindable[])),
  };
}

const sqliteTraits: DialectTraits = {
  idType: 'integer',
  // `integer primary key` is the rowid itself and counts up by itself.
  asGeneratedId: (column) => column,
  transact: (db, isDurable, work) =>
    db.connection().execute(async (connection) => {
      // The level cannot change inside a transaction; in WAL mode FULL also flushes every commit before this one.
      if (isDurable) await sql`pragma synchronous = full`.execute(connection);
      try {
        return await connection.transaction().execute(work);
      } finally {
        if (isDurable) await sql`pragma synchronous = normal`.execute(connection);
      }
    }),
  now: (localNow) => sql<number>`${localNow}`,
  // One connection writes: there is nobody to be locked out.
  lockRows: (query) => query,
  isBusy: (error) =>
    BUSY_CODES.has(primaryCodeOf(error)) || (error instanceof Error && BUSY.test(error.message)),
};

function primaryCodeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}
