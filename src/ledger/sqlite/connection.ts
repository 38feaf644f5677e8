/** A SQLite file: for its owner alone, watched, since SQLite keeps writing to one that is gone, and the connections to it. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { StoreReader, StoreSize } from '../dialect.ts';
import type { Tables } from '../tables.ts';
import { openDatabase } from './open-database.ts';

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
export type Bindable = string | number | bigint | null | Uint8Array;

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
export function openSqliteReader(
  path: string,
  openFile: (path: string) => DatabaseSyncInstance,
): StoreReader {
  let opened: { readonly db: Kysely<Tables> } | undefined;
  const open = () => {
    const database = openFile(path);
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

/** Who only looks waits for a process that is just opening or closing the file; there is nobody else to serve. */
const PATIENCE_MS = 2000;

/**
 * Even to read a file with a log, SQLite makes an index of the log where there is none: then only the file is read, and
 * what stands in the log alone is not seen.
 */
export function openWithoutTrace(file: string): DatabaseSyncInstance {
  if (existsSync(`${file}-wal`) && existsSync(`${file}-shm`)) {
    return openDatabase(file, { readOnly: true, timeout: PATIENCE_MS });
  }
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return openDatabase(url, { readOnly: true });
}

/** Of a ledger in memory, which no other connection sees. */
export function readerOver(db: Kysely<Tables>): StoreReader {
  return { read: (_deadline, work) => work(db), close: () => Promise.resolve() };
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_THE_OWNER = 0o700;
const GROUP_AND_OTHERS = 0o077;

/**
 * Makes the folder and an empty file where they are missing; SQLite gives its log and its index the mode of the file. What is
 * there stays as it is.
 * @throws {Error} a folder or file that cannot be made, or something else than a file
 */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_OF_THE_OWNER });
  if (!existsSync(path)) createFile(path);
  else if (!statSync(path).isFile()) throw new Error('it is not a file');
}

/** Files of an earlier version lose what group and others may do. To be called when SQLite has found that they are its own. */
export function keepFilesFromOthers(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) keepFromOthers(each);
}

function createFile(path: string): void {
  try {
    // Only who makes it closes it: closing a file that SQLite has open would release SQLite's locks.
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function keepFromOthers(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & GROUP_AND_OTHERS) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch {
    // Somebody else owns it and lets this process write: what others may do is theirs to say.
  }
}

interface Seen {
  readonly device: number;
  readonly inode: number;
  readonly bytes: number;
}

/**
 * Tells whether a file that is open is still the one at its path. SQLite does not ask: it would go on writing where
 * nobody finds it after a restart. By `stat` alone, since opening and closing the file would release SQLite's locks.
 */
export class WatchedFile {
  readonly #path: string;
  #seen: Seen;
  /** Even put back, its content is not what SQLite has in mind. */
  #isTruncated = false;

  /** @throws {Error} no such file */
  constructor(path: string) {
    this.#path = path;
    this.#seen = seenIn(statSync(path));
  }

  /** When it was last looked at. */
  get bytes(): number {
    return this.#seen.bytes;
  }

  get isThere(): boolean {
    try {
      this.look();
      return true;
    } catch {
      return false;
    }
  }

  /** @throws {Error} deleted, replaced or truncated: says what to do */
  look(): void {
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now === undefined) throw new Error(`${this.#path} was deleted or moved away: ${PUT_BACK}`);
    if (now.ino !== this.#seen.inode || now.dev !== this.#seen.device) {
      throw new Error(`${this.#path} was replaced by another file: ${PUT_BACK}`);
    }
    this.#isTruncated ||= now.size < this.#seen.bytes;
    if (this.#isTruncated) throw new Error(`${this.#path} was truncated: ${RESTORE}`);
    this.#seen = seenIn(now);
  }

  /** After a change that may have made it smaller. */
  expectAnySize(): void {
    this.#seen = { ...this.#seen, bytes: 0 };
  }
}

const PUT_BACK =
  'put back the file that was there, and Botbell goes on by itself; or restart Botbell, which then uses what is there';

const RESTORE = 'stop Botbell, restore the files of the ledger from a copy, and start it again';

function seenIn({ dev, ino, size }: Stats): Seen {
  return { device: dev, inode: ino, bytes: size };
}
