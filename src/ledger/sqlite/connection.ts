/** One connection to a SQLite file, with its prepared statements and what it takes to notice that the file is gone. */
import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { Sql } from 'sql-template-tag';
import { rowIn, storedValue } from '../database.ts';
import { makeFile, MEMORY, WatchedFile } from './file.ts';

/** Distinct statements of a running service stay below this; the bound keeps lists of odd lengths from piling up. */
const KEPT_STATEMENTS = 500;

/** How long one statement waits for another process that is writing; whoever asked is told by the deadline all the same. */
const BUSY_TIMEOUT_MS = 2000;

/** SQLite moves its log into the file from a thousand pages on; one that grew larger all the same is cut when it begins anew. */
const LARGE_LOG_BYTES = 4 * 1024 * 1024;

export class SqliteConnection {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  /** The file and its log, of who writes; a ledger in memory has none. */
  readonly #watched: readonly WatchedFile[];
  readonly #pageBytes: number;
  #isFlushing = false;

  /**
   * @param isReader leaves no trace, whoever has the file open
   * @throws {Error} a file that cannot be opened or created, with the reason
   */
  constructor(path: string, isReader: boolean) {
    const isWriting = !isReader && path !== MEMORY;
    if (isWriting) makeFile(path);
    const location = isReader ? withoutTrace(path) : path;
    this.#database = new DatabaseSync(location, { readOnly: isReader, timeout: BUSY_TIMEOUT_MS });
    // What is larger than its cache SQLite keeps in files in a temporary folder otherwise, where it may not be allowed to write
    // (sqlite.org/tempfiles.html).
    this.#database.exec('pragma temp_store = memory');
    if (isWriting) this.#prepareFile();
    this.#pageBytes = this.#number('page_size');
    // SQLite follows links, and keeps the log beside the file itself.
    this.#watched = isWriting ? [path, `${realpathSync(path)}-wal`].map((each) => new WatchedFile(each)) : [];
  }

  /** As `Tx.all` promises. */
  all(statement: Sql): unknown[] {
    const rows = this.#prepared(statement.sql).all(...statement.values.map(storedValue));
    return (rows as Record<string, unknown>[]).map(rowIn);
  }

  exec(text: string): void {
    this.#prepared(text).run();
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Whether what is committed from now on is on disk when the commit returns. Not within a transaction. */
  flushCommits(isFlushing: boolean): void {
    if (isFlushing === this.#isFlushing) return;
    this.#database.exec(`pragma synchronous = ${isFlushing ? 'full' : 'normal'}`);
    this.#isFlushing = isFlushing;
  }

  /** @throws {Error} the file or its log was deleted or replaced */
  look(): void {
    for (const file of this.#watched) file.look();
  }

  /** used: pages in use; free ones are used again. */
  size() {
    const pages = this.#number('page_count') - this.#number('freelist_count');
    return { used: pages * this.#pageBytes, log: this.#watched[1]?.look() ?? 0 };
  }

  /** Moves the log into the file, unless another process is reading it. */
  emptyLog(): void {
    try {
      this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Another process reads it, or the disk is full: the log stays, and nothing is lost.
    }
  }

  close(): void {
    this.#statements.clear();
    try {
      this.look();
    } catch {
      // SQLite empties and deletes the log when it closes the file, also one that is another's by now.
      return;
    }
    // SQLite does so by itself only once every statement is collected as garbage; who copies the file forgets the log beside it.
    if (this.#watched.length > 0) this.emptyLog();
    this.#database.close();
  }

  #prepareFile(): void {
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(`pragma journal_size_limit = ${LARGE_LOG_BYTES}`);
    this.#database.exec('pragma synchronous = normal');
    // A write that changes nothing: a file that may only be read is refused now.
    this.#database.exec('pragma user_version = 0');
  }

  #number(pragma: string): number {
    const [row] = this.#prepared(`pragma ${pragma}`).all() as Record<string, number>[];
    return row?.[pragma] ?? 0;
  }

  #prepared(text: string): StatementSyncInstance {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
    this.#statements.set(text, statement);
    return statement;
  }
}

/**
 * Even to read a file with a log, SQLite makes an index of the log where there is none: then only the file is read, and
 * what stands in the log alone is not seen.
 */
function withoutTrace(file: string): string | URL {
  if (existsSync(`${file}-wal`) && existsSync(`${file}-shm`)) return file;
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}

/** SQLite's own words: the driver gives no code with what a statement that returns rows throws. */
const TROUBLE =
  /^database (?:table )?is locked|disk I\/O error|database or disk is full|unable to open|readonly database|malformed|not a database|out of memory|locking protocol/;

/** The store cannot be used, whatever is asked of it. */
export function isTrouble(error: unknown): boolean {
  return error instanceof Error && TROUBLE.test(error.message);
}
