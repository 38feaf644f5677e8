/** One connection to a SQLite file: prepared statements, and checks that the file is still there. */
import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { Fixed, rowIn, type Statement, storedValue } from '../database.ts';
import { makeFile, MEMORY, NOT_A_DATABASE, watchFile } from './file.ts';

/** More than a running service's distinct statements; bounded since each length of a list makes another statement. */
const KEPT_STATEMENTS = 500;

/** How long one statement waits for another process that is writing; a call's deadline may come earlier. */
const BUSY_TIMEOUT_MS = 2000;

/** SQLite's default of 2 MiB does not hold the pages of the indexes that each POST reads, in a ledger of some days. */
const CACHE_KIB = 16 * 1024;

/** SQLite checkpoints its log from 1000 pages on; a log that has grown beyond this is truncated when it restarts. */
const LARGE_LOG_BYTES = 4 * 1024 * 1024;

export class SqliteConnection {
  readonly #database: DatabaseSyncInstance;
  /** By their text, or by the template of a `Fixed`. */
  readonly #statements = new Map<string | TemplateStringsArray, StatementSyncInstance>();
  /** The sizes of a writer's file and log; none for a reader or a ledger in memory. */
  readonly #watched: readonly (() => number)[];
  readonly #pageBytes: number;
  #isFlushing = false;

  /** @param isReader creates no files. @throws {Error} the file cannot be opened or created; says why */
  constructor(path: string, isReader: boolean) {
    const isWriting = !isReader && path !== MEMORY;
    if (isWriting) makeFile(path);
    const location = isReader ? withoutTrace(realpathSync(path)) : path;
    this.#database = new DatabaseSync(location, { readOnly: isReader, timeout: BUSY_TIMEOUT_MS });
    // By default SQLite spills large intermediate results to a temporary folder, where it may not be allowed to write
    // (sqlite.org/tempfiles.html).
    this.#database.exec('pragma temp_store = memory');
    this.#checkFormat();
    if (isWriting) this.#prepareFile();
    this.#pageBytes = this.#number('page_size');
    // SQLite follows symbolic links, and keeps the log beside the target.
    this.#watched = isWriting ? [path, `${realpathSync(path)}-wal`].map(watchFile) : [];
  }

  /** As `Tx.all` promises. */
  all(statement: Statement): unknown[] {
    const key = statement instanceof Fixed ? statement.strings : statement.sql;
    const rows = this.#prepared(key, () => statement.sql).all(...statement.values.map(storedValue));
    return (rows as Record<string, unknown>[]).map(rowIn);
  }

  exec(text: string): void {
    this.#prepared(text).run();
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Sets whether later commits are on disk when they return. Not to be called within a transaction. */
  flushCommits(isFlushing: boolean): void {
    if (isFlushing === this.#isFlushing) return;
    this.#database.exec(`pragma synchronous = ${isFlushing ? 'full' : 'normal'}`);
    this.#isFlushing = isFlushing;
  }

  /** @returns an upper limit of `size`, in bytes; it costs less. @throws {Error} the file or its log was deleted or replaced */
  look(): number {
    const [file, log] = this.#watched;
    // A page in use is in the file or in the log, and the log counts once more for itself.
    return file === undefined || log === undefined ? Infinity : file() + 2 * log();
  }

  /** Bytes. `used`: pages in use, since free pages are reused; `log`: the write-ahead log. */
  size() {
    const pages = this.#number('page_count') - this.#number('freelist_count');
    return { used: pages * this.#pageBytes, log: this.#watched[1]?.() ?? 0 };
  }

  /** Moves the log into the file, unless another process is reading it. */
  emptyLog(): void {
    try {
      this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Another process is reading, or the disk is full: the log stays, and nothing is lost.
    }
  }

  close(): void {
    this.#statements.clear();
    try {
      this.look();
    } catch {
      // Closing would make SQLite checkpoint and delete the log, which may belong to another file by now.
      return;
    }
    // SQLite would do so only after all statements are garbage collected; people who copy the file forget its log.
    if (this.#watched.length > 0) this.emptyLog();
    this.#database.close();
  }

  /** SQLite reads nothing of a file before it is asked for something. */
  #checkFormat(): void {
    try {
      this.#number('schema_version');
    } catch (error) {
      throw String(error).includes('not a database') ? new Error(NOT_A_DATABASE, { cause: error }) : error;
    }
  }

  #prepareFile(): void {
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(`pragma journal_size_limit = ${LARGE_LOG_BYTES}`);
    this.#database.exec('pragma synchronous = normal');
    this.#database.exec(`pragma cache_size = -${CACHE_KIB}`);
    // A write that changes nothing, since a ledger's is 0: fails now if the file is read-only.
    this.#database.exec('pragma user_version = 0');
  }

  #number(pragma: string): number {
    const [row] = this.#prepared(`pragma ${pragma}`).all() as Record<string, number>[];
    return row?.[pragma] ?? 0;
  }

  /** @param key what always has the same text */
  #prepared(key: string | TemplateStringsArray, text = () => key as string): StatementSyncInstance {
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text());
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
    this.#statements.set(key, statement);
    return statement;
  }
}

/**
 * To read a file with a log, SQLite creates the log's index (-shm) if it is missing. Opening the file as immutable avoids that,
 * but reads nothing that is in the log alone.
 */
function withoutTrace(file: string): string | URL {
  if (existsSync(`${file}-wal`) && existsSync(`${file}-shm`)) return file;
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}

/** SQLite's messages, since the driver's errors of statements that return rows have no code. */
const TROUBLE =
  /^database (?:table )?is locked|disk I\/O error|database or disk is full|unable to open|readonly database|malformed|not a database|out of memory|locking protocol/;

/** Whether the error concerns the store as a whole, not one statement. */
export function isTrouble(error: unknown): boolean {
  return error instanceof Error && TROUBLE.test(error.message);
}
