/** One connection to a SQLite file: prepared statements, and checks that the file is still there. */
import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { PreparedStatement, rowIn, type Statement, storedValue } from '../database.ts';
import { explainedByFile, explainedBySystem, makeFile, watchFile } from './file.ts';
import { type Flush, LogFlush } from './log-flush.ts';

/** More than a running service's distinct statements; bounded since each length of a list makes another statement. */
const KEPT_STATEMENTS = 500;

/** How long a connection that reads, or opens the file, waits for another process. A write does not wait: its caller tries again. */
const BUSY_TIMEOUT_MS = 2000;

/** SQLite's default of 2 MiB does not hold the pages of the indexes that each POST reads, in a ledger of some days. */
const CACHE_KIB = 16 * 1024;

/** A log without a keeper is cut to this size when it is begun anew. */
const SMALL_LOG_BYTES = 4 * 1024 * 1024;

const LARGE_LOG_BYTES = 64 * 1024 * 1024;
/** The log counts towards the limit, and is to leave room for what is not in it. */
const LOG_SHARE = 0.04;

/** A keeper has a log of this size begun anew, for which the writer waits for some flushes each time. @param maxBytes of the store */
export function mostLogBytes(maxBytes = Infinity): number {
  return Math.min(LARGE_LOG_BYTES, maxBytes * LOG_SHARE);
}

export interface ConnectionOptions {
  /** Creates no files; with `mayIndexLog`, none but the index of a log that has none. */
  readonly isReader?: boolean | undefined;
  readonly mayIndexLog?: boolean | undefined;
  /** A keeper moves the log into the file, and this connection never does. */
  readonly isKept?: boolean | undefined;
  /** The most bytes of pages in use and log; undefined: no limit. */
  readonly maxBytes?: number | undefined;
  /** For tests: a disk that fails, or hangs. */
  readonly flush?: Flush | undefined;
}

interface Prepared {
  readonly prepared: StatementSyncInstance;
  /** It gives the id of the row that it inserts, or none. */
  readonly isInsert: boolean;
}

/** What a writer keeps an eye on. */
interface Watched {
  readonly file: () => number;
  readonly log: () => number;
  readonly flush: LogFlush;
}

export class SqliteConnection {
  readonly #path: string;
  readonly #options: ConnectionOptions;
  #database: DatabaseSyncInstance;
  /** By their text, or by the template of a `PreparedStatement`. */
  readonly #statements = new Map<string | TemplateStringsArray, Prepared>();
  /** None for a reader. */
  #watched: Watched | undefined;
  readonly #pageBytes: number;
  /** A flush has failed: what was to be flushed may be lost, though it can be read. */
  #isBroken = false;

  /** @throws {Error} the file cannot be opened or created; says why */
  constructor(path: string, options: ConnectionOptions = {}) {
    this.#path = path;
    this.#options = options;
    if (this.#isWriting) makeFile(path);
    this.#database = this.#open();
    this.#prepare();
    this.#pageBytes = this.#number('page_size');
  }

  /** As `Tx.all` promises. */
  all(statement: Statement): unknown[] {
    const key = statement instanceof PreparedStatement ? statement.strings : statement.sql;
    const { prepared, isInsert } = this.#prepared(key, () => statement.sql);
    const values = statement.values as ReturnType<typeof storedValue>[];
    // In place, since a statement runs once.
    for (let at = 0; at < values.length; at += 1) values[at] = storedValue(values[at]);
    if (!isInsert) return (prepared.all(...values) as Record<string, unknown>[]).map(rowIn);
    const { changes, lastInsertRowid: id } = prepared.run(...values);
    return changes === 0 ? [] : [{ id }];
  }

  exec(text: string): void {
    this.#prepared(text).prepared.run();
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Resolves when all that was committed before is on disk. Rejects if the flush fails: `look` then opens the file anew. */
  async flushed(): Promise<void> {
    await this.#watched?.flush.flushed().catch((error: unknown) => {
      this.#isBroken = true;
      throw error;
    });
  }

  /**
   * Opens the file anew if a flush has failed. Not to be called within a transaction.
   * @returns an upper limit of `size`, in bytes; it costs less. @throws {Error} the file or its log was deleted or replaced
   */
  look(): number {
    if (this.#watched === undefined) return Infinity;
    const { file, log } = this.#watched;
    // A page in use is in the file or in the log, and the log counts once more for itself.
    const mostBytes = file() + 2 * log();
    if (this.#isBroken) this.#openAnew();
    return mostBytes;
  }

  /** Bytes. `used`: pages in use, since free pages are reused; `log`: the write-ahead log. */
  size() {
    const pages = this.#number('page_count') - this.#number('freelist_count');
    return { used: pages * this.#pageBytes, log: this.#watched?.log() ?? 0 };
  }

  /** Why something failed, where SQLite does not know. */
  explained(error: unknown): unknown {
    return explainedByFile(this.#isWriting ? explainedBySystem(error, this.#path) : error);
  }

  close(): void {
    this.#statements.clear();
    try {
      if (this.#watched !== undefined) this.look();
    } catch {
      // Closing would make SQLite checkpoint and delete the log, which may belong to another file by now.
      return;
    }
    try {
      // SQLite moves the log only after all statements are garbage collected, and people who copy the file forget its log.
      if (this.#watched !== undefined && this.#options.isKept !== true) this.#moveLog();
    } catch {
      // The disk is full: the log stays, and nothing is lost.
    }
    this.#watched?.flush.close();
    this.#database.close();
  }

  get #isWriting(): boolean {
    return this.#options.isReader !== true;
  }

  #open(): DatabaseSyncInstance {
    const { isReader: readOnly = false, mayIndexLog = false } = this.#options;
    const location = readOnly ? withoutTrace(realpathSync(this.#path), mayIndexLog) : this.#path;
    const database = new DatabaseSync(location, { readOnly, timeout: BUSY_TIMEOUT_MS });
    const folded = (text: unknown) =>
      typeof text === 'string' ? text.normalize('NFKC').toLowerCase() : null;
    database.function('folded', { deterministic: true }, folded);
    return database;
  }

  #prepare(): void {
    // By default SQLite spills large intermediate results to a temporary folder, where it may not be allowed to write
    // (sqlite.org/tempfiles.html).
    this.#database.exec('pragma temp_store = memory');
    // Before anything is changed: SQLite reads nothing of a file before it is asked for something, and may find that it is no database.
    this.#number('schema_version');
    if (this.#isWriting) this.#prepareFile();
  }

  /** Pages that could not be flushed are in the kernel's memory, where SQLite reads them: writes them into the file, and begins the log anew. */
  #openAnew(): void {
    this.#statements.clear();
    this.#watched?.flush.close();
    if (this.#database.isOpen) this.#database.close();
    this.#database = this.#open();
    this.#prepare();
    if (!this.#moveLog())
      throw new Error('a flush has failed, and the log cannot be written out: it is being read');
    this.#isBroken = false;
  }

  /** @returns whether all of it was moved. @throws {Error} the disk is full, or fails */
  #moveLog(): boolean {
    const { busy } = this.#prepared('pragma wal_checkpoint(truncate)').prepared.get() as { busy: number };
    return busy === 0;
  }

  #prepareFile(): void {
    this.#database.exec('pragma journal_mode = wal');
    const { isKept = false, maxBytes } = this.#options;
    // Cutting the log takes as long as several flushes: a keeper's is cut only after much came at once, or a reader held it for long.
    const cutFrom = isKept ? Math.floor(2 * mostLogBytes(maxBytes)) : SMALL_LOG_BYTES;
    this.#database.exec(`pragma journal_size_limit = ${cutFrom}`);
    this.#database.exec('pragma synchronous = normal');
    this.#database.exec(`pragma cache_size = -${CACHE_KIB}`);
    if (isKept) this.#database.exec('pragma wal_autocheckpoint = 0');
    // A write that changes nothing, since a ledger's `user_version` is 0: fails now if the file is read-only.
    this.#database.exec('pragma user_version = 0');
    this.#database.exec('pragma busy_timeout = 0');
    // SQLite follows symbolic links, and keeps the log beside the target.
    const path = `${realpathSync(this.#path)}-wal`;
    const log = watchFile(path);
    this.#watched = { file: watchFile(this.#path), log, flush: new LogFlush(path, log, this.#options.flush) };
  }

  #number(pragma: string): number {
    const [row] = this.#prepared(`pragma ${pragma}`).prepared.all() as Record<string, number>[];
    return row?.[pragma] ?? 0;
  }

  /** @param key what always has the same text */
  #prepared(key: string | TemplateStringsArray, text = () => key as string): Prepared {
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const [, insert] = (typeof key === 'string' ? null : RETURNS_ITS_ID.exec(text())) ?? [];
    const made = {
      prepared: this.#database.prepare(insert ?? text()),
      isInsert: insert !== undefined,
    };
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
    this.#statements.set(key, made);
    return made;
  }
}

/** A fixed INSERT of one row. For RETURNING, SQLite makes a table, which costs a third of the statement, though it knows the row's id anyway. */
const RETURNS_ITS_ID = /^(\s*INSERT [^]*VALUES [^]*)RETURNING id\s*$/;

/**
 * To read a file with a log, SQLite creates the log's index (-shm) if it is missing. Opening the file as immutable avoids that,
 * but reads nothing that is in the log alone.
 */
function withoutTrace(file: string, mayIndexLog: boolean): string | URL {
  if (existsSync(`${file}-wal`) && (mayIndexLog || existsSync(`${file}-shm`))) return file;
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

/** Whether another connection is writing, so that the same succeeds later. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && /^database (?:table )?is locked/.test(error.message);
}
