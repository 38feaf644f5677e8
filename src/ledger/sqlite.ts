/** A ledger in one SQLite file: WAL, prepared statements kept, flushed to disk only where a commit asks for it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import type { DialectTraits, OpenStore } from './dialect.ts';
import { fillJobKeys } from './job-keys.ts';
import { LogMover, openLog } from './sqlite-log.ts';
import { SqliteStatements } from './sqlite-statements.ts';
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

/** SQLITE_READONLY, in the same way. */
const READ_ONLY = /readonly database/;

/** Every transaction of the ledger writes: taking the lock at once, it cannot find later that its snapshot is too old. */
const BEGIN = 'begin immediate';

const MEMORY = ':memory:';

/** SQLite's default: at so many pages it moves the log by itself, as it must where few commits are large ones. */
const LARGEST_LOG_PAGES = 1000;

/** What the write-ahead log may keep on disk once its content is in the file. */
const LOG_BYTES = 8 * 1024 * 1024;

/** @throws {Error} a file that cannot be opened or created, with the reason */
export function openSqlite(path: string): OpenStore {
  const database = openFile(path);
  const log = logMoverOf(database);
  const kept = keptStatements(database, log);
  const db = new Kysely<Tables>({ dialect: new LedgerDialect(kept) });
  return {
    db,
    traits: traitsOver(kept, log),
    statements: new SqliteStatements(kept),
    close: () => db.destroy(),
  };
}

class LedgerDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver() {
    return new WritingDriver({ database: this.#database });
  }

  override createAdapter() {
    return new TransactionalAdapter();
  }
}

/** For the migrations. */
class WritingDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(BEGIN));
  }
}

/** A migration that a crash cuts off leaves nothing behind. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function openFile(path: string): DatabaseSyncInstance {
  try {
    if (path !== MEMORY) mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(`pragma busy_timeout = ${OPENING_TIMEOUT_MS}`);
    database.exec('pragma journal_mode = wal');
    database.exec('pragma synchronous = normal');
    database.exec('pragma foreign_keys = on');
    database.exec(`pragma wal_autocheckpoint = ${LARGEST_LOG_PAGES}`);
    database.exec(`pragma journal_size_limit = ${LOG_BYTES}`);
    refuseReadOnly(database);
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`store.url: the SQLite file ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

/** A connection to a file that may only be read stays so, even when the file may be written again. */
function refuseReadOnly(database: DatabaseSyncInstance): void {
  try {
    // The cheapest write that changes nothing: nobody else uses that number.
    database.exec('pragma user_version = 0');
  } catch (error) {
    if (error instanceof Error && READ_ONLY.test(error.message)) throw error;
  }
}

function keptStatements(database: DatabaseSyncInstance, log: LogMover | undefined): SqliteDatabase {
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
      log?.close();
      // SQLite does so by itself only once every statement has been collected as garbage, and whoever copies a file
      // forgets the log beside it.
      moveLog(database, 'truncate');
      database.close();
    },
  };
}

function logMoverOf(database: DatabaseSyncInstance): LogMover | undefined {
  // SQLite follows links, so only it knows where the log is.
  const files = database.prepare('pragma database_list').all() as { name: string; file: string }[];
  const file = files.find(({ name }) => name === 'main')?.file ?? '';
  try {
    return new LogMover(openLog(`${file}-wal`), () => moveLog(database, 'passive'));
  } catch {
    // In memory there is none. Whatever else it is, SQLite moves the log as well, only later.
    return undefined;
  }
}

function moveLog(database: DatabaseSyncInstance, mode: 'passive' | 'truncate'): void {
  try {
    database.exec(`pragma wal_checkpoint(${mode})`);
  } catch {
    // Somebody else reads it, or the disk is full: the log stays, and nothing is lost.
  }
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

function traitsOver(database: SqliteDatabase, log: LogMover | undefined): DialectTraits {
  const run = (text: string) => void database.prepare(text).run([]);
  return {
    isShared: false,
    idType: 'integer',
    // `integer primary key` is the rowid itself and counts up by itself.
    asGeneratedId: (column) => column,
    fillJobKeys,
    transact: (db, { isDurable }, work) =>
      db.connection().execute(async (connection) => {
        // The level cannot change inside a transaction; in WAL mode FULL also flushes every commit before this one.
        if (isDurable) run('pragma synchronous = full');
        try {
          const result = await inTransaction(run, () => work(connection));
          log?.committed();
          return result;
        } finally {
          if (isDurable) run('pragma synchronous = normal');
        }
      }),
    read: (db, _deadline, work) => work(db),
    now: (localNow) => localNow,
    // One connection writes at a time: there is nobody to be locked out.
    lockRows: (query) => query,
    lockJobs: () => Promise.resolve(),
    // Whoever writes holds all of them.
    lockDeliveries: () => Promise.resolve(),
    lockForgotten: (_trx, callbackIds) => Promise.resolve(callbackIds),
    lockTables: () => Promise.resolve(),
    isBusy: isSqliteBusy,
    // Of a store that nobody can write now, each piece of work alone would be refused just as late.
    isRefusal: (error) => !isSqliteBusy(error),
  };
}

/** Kysely's own transactions take several times longer over what two statements do. */
async function inTransaction<T>(run: (text: string) => void, work: () => Promise<T>): Promise<T> {
  run(BEGIN);
  try {
    const result = await work();
    run('commit');
    return result;
  } catch (error) {
    rollBack(run);
    throw error;
  }
}

/** After some errors, a full disk for one, SQLite has done it by itself (sqlite.org/lang_transaction.html). */
function rollBack(run: (text: string) => void): void {
  try {
    run('rollback');
  } catch {
    // What failed before says more.
  }
}

export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return BUSY_CODES.has(primaryCodeOf(error)) || BUSY.test(error.message) || isSqliteBusy(error.cause);
}

function primaryCodeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}
