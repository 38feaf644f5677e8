/** A ledger in one SQLite file: WAL, prepared statements kept, flushed to disk by another thread. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
} from 'kysely';
import type { DialectTraits, OpenStore, StoreSize } from '../dialect.ts';
import {
  forKysely,
  isSqliteBusy,
  keepFilesFromOthers,
  makeFile,
  readerOver,
  sizeOf,
  WatchedFile,
} from './connection.ts';
import { LogConnection, openFiles, WriteAheadLog, writeNothing } from './log.ts';
import { openDatabase } from './open-database.ts';
import { SqliteStatements } from './statements.ts';
import { openThreadedReader } from './threaded-reader.ts';
import type { Tables } from '../tables.ts';

/** Distinct statements of a running service stay far below this; the bound keeps odd batch sizes from piling up. */
const KEPT_STATEMENTS = 500;

/** Blocks the event loop while it waits, so the longer waiting for a lock is done between tries instead. */
const BUSY_TIMEOUT_MS = 5;

/** Nobody is served yet, and a process that is just closing the file holds it for a moment. */
const OPENING_TIMEOUT_MS = 2000;

/** SQLITE_READONLY, in SQLite's own words: the driver gives no code with what a statement that returns rows throws. */
const READ_ONLY = /readonly database/;

/** Every transaction of the ledger writes: taking the lock at once, it cannot find later that its snapshot is too old. */
const BEGIN = 'begin immediate';

const MEMORY = ':memory:';

/** What keeps a ledger on disk; one in memory has none. */
interface Durability {
  readonly log: WriteAheadLog;
  /** The file and its log. */
  readonly watched: readonly [WatchedFile, WatchedFile];
}

interface OpenFile {
  readonly database: DatabaseSyncInstance;
  readonly durability: Durability | undefined;
  readonly close: () => void;
}

/** @throws {Error} a file that cannot be opened or created, with the reason */
export function openSqlite(path: string): OpenStore {
  const { database, durability, close } = explained(
    path,
    path === MEMORY ? openMemory : () => openFile(path),
  );
  const kept = keptStatements(database, close);
  const db = new Kysely<Tables>({ dialect: new LedgerDialect(kept) });
  const measure = sizeOf(kept, durability?.watched[1]);
  return {
    db,
    measure,
    traits: traitsOver(kept, measure, durability),
    statements: new SqliteStatements(kept),
    openReader: () => (path === MEMORY ? readerOver(db) : openThreadedReader(path)),
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

function explained(path: string, open: () => OpenFile): OpenFile {
  try {
    return open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`store.url: the SQLite file ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

function openMemory(): OpenFile {
  const database = openDatabase(MEMORY);
  database.exec('pragma foreign_keys = on');
  return { database, durability: undefined, close: () => database.close() };
}

function openFile(path: string): OpenFile {
  makeFile(path);
  const database = openDatabase(path);
  database.exec(`pragma busy_timeout = ${OPENING_TIMEOUT_MS}`);
  database.exec('pragma journal_mode = wal');
  keepFilesFromOthers(path);
  database.exec('pragma synchronous = full');
  database.exec('pragma foreign_keys = on');
  database.exec('pragma wal_autocheckpoint = 0');
  // What a crash has left: large as it may be, nobody waits for it yet.
  moveLog(database, 'passive');
  refuseReadOnly(database);
  const { durability, close } = keepOnDisk(database, path);
  database.exec('pragma synchronous = off');
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return { database, durability, close };
}

function keepOnDisk(database: DatabaseSyncInstance, path: string): Omit<OpenFile, 'database'> {
  const file = fileOf(database);
  const connection = new LogConnection(database, file);
  connection.pin();
  // From here on, whoever else has the file open and closes it leaves the log as long as it is.
  const watched = [new WatchedFile(path), new WatchedFile(`${file}-wal`)] as const;
  const log = new WriteAheadLog(openFiles(file), {
    pin: () => connection.pin(),
    copy: () => connection.copy(),
    empty: () => {
      for (const each of watched) each.expectAnySize();
      return connection.empty();
    },
  });
  const close = () => {
    // SQLite empties and deletes the log when it closes the file, whosever that is by now.
    if (!log.stop() || watched.some((each) => !each.isThere)) return;
    connection.close();
    closeDatabase(database);
    log.close();
  };
  return { durability: { log, watched }, close };
}

/** SQLite follows links, so only it knows where the log is. */
function fileOf(database: DatabaseSyncInstance): string {
  const files = database.prepare('pragma database_list').all() as { name: string; file: string }[];
  return files.find(({ name }) => name === 'main')?.file ?? '';
}

/** With its flushes: for when nobody is served. */
function moveLog(database: DatabaseSyncInstance, mode: 'passive' | 'truncate'): void {
  try {
    database.exec(`pragma wal_checkpoint(${mode})`);
  } catch {
    // Somebody else reads it, or the disk is full: the log stays, and nothing is lost.
  }
}

function closeDatabase(database: DatabaseSyncInstance): void {
  // SQLite does so by itself only once every statement has been collected as garbage, and whoever copies a file forgets
  // the log beside it.
  database.exec('pragma synchronous = full');
  moveLog(database, 'truncate');
  database.close();
}

/** A connection to a file that may only be read stays so, even when the file may be written again. */
function refuseReadOnly(database: DatabaseSyncInstance): void {
  try {
    writeNothing(database);
  } catch (error) {
    if (error instanceof Error && READ_ONLY.test(error.message)) throw error;
  }
}

function keptStatements(database: DatabaseSyncInstance, close: () => void): SqliteDatabase {
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
      close();
    },
  };
}

function traitsOver(
  database: SqliteDatabase,
  measure: () => StoreSize,
  durability: Durability | undefined,
): DialectTraits {
  const run = (text: string) => void database.prepare(text).run([]);
  return {
    isShared: false,
    idType: 'integer',
    isCompressing: false,
    // `integer primary key` is the rowid itself and counts up by itself.
    asGeneratedId: (column) => column,
    transact: async (db, _settings, work) => {
      await durability?.log.writable();
      return db.connection().execute(async (connection) => {
        durability?.watched.forEach((file) => file.look());
        const result = await inTransaction(run, () => work(connection));
        if (durability !== undefined) durability.log.committed(durability.watched[1].bytes);
        return result;
      });
    },
    flush: async () => {
      if (durability === undefined) return;
      const { log, watched } = durability;
      watched.forEach((file) => file.look());
      await log.flush();
      watched.forEach((file) => file.look());
    },
    read: (db, _deadline, work) => work(db),
    now: (localNow) => localNow,
    // One connection writes at a time: there is nobody to be locked out.
    lockRows: (query) => query,
    lockJobs: () => Promise.resolve(),
    // Whoever writes holds all of them.
    lockCallbacks: () => Promise.resolve(),
    lockDeliveries: () => Promise.resolve(),
    lockForgotten: (_trx, callbackIds) => Promise.resolve(callbackIds),
    bytesUsed: () => {
      const { used, log } = measure();
      return Promise.resolve(used + log);
    },
    withGivenIds: sql``,
    giveIdsAbove: () => Promise.resolve(),
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
