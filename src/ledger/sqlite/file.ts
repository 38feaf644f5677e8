/** A SQLite file: created for its owner alone, watched, since SQLite goes on writing to a deleted file, and kept within its limit. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  statfsSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { FaultError, faultsOf } from '../../text/fault.ts';
import { makeFolder } from '../../text/new-file.ts';
import type { Clock } from '../../time/clock.ts';
import type { Tx } from '../database.ts';
import { forgetDone } from '../callbacks/forget.ts';

/** The beginning of a SQLite store's URL. */
export const SQLITE = 'sqlite:';

/** The path in a `sqlite:` URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length);
}

// prettier-ignore
const fault = faultsOf({
  'no database': ['the file is not a database: give Botbell a store of its own', 'データベースのファイルではありません。Botbell専用の場所を指定してください'],
  damaged: ['the file is damaged ({words}): restore a copy of it', 'ファイルが壊れています（{words}）。控えを復元してください'],
  'no file': ['it is not a file', 'ファイルではありません'],
  'no room': ['its disk has {megabytes} MB left, and SQLite\'s log alone takes some 50 MB: make room', 'ディスクの空きが {megabytes} MBしかありません。SQLiteのログだけで50 MBほど使います。空き容量を作ってください'],
});

const NOT_A_DATABASE = fault('no database');

/** What SQLite has found in the file, with what to do; any other error as it is. */
export function explainedByFile(error: unknown): unknown {
  const words = error instanceof Error ? error.message : '';
  if (words.includes('not a database')) return new FaultError(NOT_A_DATABASE, { cause: error });
  if (words.includes('malformed')) return new FaultError(fault('damaged', { words }), { cause: error });
  return error;
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_THE_OWNER = 0o700;

/** @returns false: there is no file, or an empty one. @throws {Error} there is something that is no database; says what to do */
export function hasBytes(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new FaultError(fault('no file'));
  // SQLite takes a file of one byte for an empty one, and writes over it.
  if (found?.size === 1) throw new FaultError(NOT_A_DATABASE);
  return (found?.size ?? 0) > 0;
}

/** Creates the folder and an empty file if they are missing. @throws {Error} they cannot be created */
export function makeFile(path: string): void {
  makeFolder(dirname(path), FOLDER_OF_THE_OWNER);
  // An existing file is not opened: closing it would release the locks of a SQLite connection of this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
}

/** @throws {Error} the file, or its log, cannot be written, or could not be created */
export function checkWritable(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(each)) accessSync(each, constants.R_OK | constants.W_OK);
  // With the slash, access fails for anything but a folder.
  accessSync(`${folderOf(file)}/`, constants.W_OK | constants.X_OK);
}

/** The nearest folder that exists. */
function folderOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

const LOG_BYTES = 64 * 1024 * 1024;

/** Changes nothing. @throws {Error} the disk has no room for SQLite's log, or what is written cannot be flushed to it; says which */
export function checkDisk(file: string): void {
  const folder = folderOf(file);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < LOG_BYTES)
    throw new FaultError(fault('no room', { megabytes: Math.floor((bavail * bsize) / 1e6) }));
  // Windows flushes nothing that is open to be read alone.
  if (process.platform === 'win32') return;
  const flushed = openSync(existsSync(file) ? file : folder, 'r');
  try {
    fsyncSync(flushed);
  } finally {
    closeSync(flushed);
  }
}

/**
 * SQLite has the same words for whatever a disk does. Where the file cannot even be touched, the system says why: a file system
 * became read-only, for example. @returns that, or else the error itself
 */
export function explainedBySystem(error: unknown, path: string): unknown {
  if (!String(error).includes('disk I/O error')) return error;
  try {
    const { atime, mtime } = statSync(path);
    utimesSync(path, atime, mtime);
    return error;
  } catch (cause) {
    return cause;
  }
}

const PUT_BACK =
  'put back the file that was there, and Botbell goes on by itself; or restart Botbell, which then uses what is there';

/**
 * Looks at the file by `stat` alone, since opening and closing it would release SQLite's locks.
 * @returns gives the file's size in bytes, and throws if it was deleted or replaced since, saying what to do
 */
export function watchFile(path: string): () => number {
  const opened = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now === undefined) throw new Error(`${path} was deleted or moved away: ${PUT_BACK}`);
    if (now.ino === opened.ino && now.dev === opened.dev) return now.size;
    throw new Error(`${path} was replaced by another file: ${PUT_BACK}`);
  };
}

export type StoreEvent =
  /** Callbacks were deleted before their time. */
  | { readonly what: 'forgotten_early'; readonly count: number }
  /** The limit is reached, and no finished callback is left to delete. */
  | { readonly what: 'full' };

/** Share of the limit from which each batch deletes some of the oldest finished callbacks. */
const HIGH_WATER = 0.9;

/** The most steps with one batch while past the limit: they free more than a batch adds. */
const MOST_STEPS = 10;

/** After a sweep that found nothing to delete, the next one waits so long. */
const REST_MS = 1000;

type InTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

interface SpaceOptions {
  readonly maxBytes: number;
  readonly connection: { size(): { readonly used: number; readonly log: number } };
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent: (event: StoreEvent) => void;
}

export class Space {
  readonly #options: SpaceOptions;
  #isFull = false;
  /** The id of the last callback that was looked at. */
  #after = 0;
  #restedAt = -Infinity;

  constructor(options: SpaceOptions) {
    this.#options = options;
  }

  /** Before each batch. @returns whether the store is past its limit, and no finished callback is left to delete */
  async makeRoom(inTransaction: InTransaction, mostBytes = Infinity): Promise<boolean> {
    const { maxBytes, onEvent } = this.#options;
    if (mostBytes <= maxBytes * HIGH_WATER) return (this.#isFull = false);
    let hasForgotten = true;
    let most = maxBytes * HIGH_WATER;
    for (let steps = 0; steps < MOST_STEPS && hasForgotten && this.#bytes() > most; steps += 1) {
      hasForgotten = await this.#forget(inTransaction);
      most = maxBytes;
    }
    const isFull = !hasForgotten && this.#bytes() > maxBytes;
    if (isFull && !this.#isFull) onEvent({ what: 'full' });
    this.#isFull = isFull;
    return isFull;
  }

  /** Takes one step of deletion. @returns whether there may be more to delete */
  async #forget(inTransaction: InTransaction): Promise<boolean> {
    const { clock, onEvent } = this.#options;
    const now = clock.now();
    if (Math.abs(now - this.#restedAt) < REST_MS) return false;
    const { forgotten, next, isThrough } = await inTransaction((tx) => forgetDone(tx, this.#after));
    this.#after = isThrough ? 0 : next;
    if (forgotten > 0) onEvent({ what: 'forgotten_early', count: forgotten });
    else if (isThrough) this.#restedAt = now;
    return forgotten > 0 || !isThrough;
  }

  #bytes(): number {
    const { used, log } = this.#options.connection.size();
    return used + log;
  }
}
