/** A SQLite file: made for its owner alone, and watched, since SQLite goes on writing to one that is gone. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

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

function createFile(path: string): void {
  try {
    // Only who makes it closes it: closing a file that SQLite has open would release SQLite's locks.
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Takes from group and others what they may do. Only once SQLite has found that the files are its own. */
export function keepFilesFromOthers(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) keepFromOthers(each);
}

function keepFromOthers(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & GROUP_AND_OTHERS) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch {
    // Another user owns it and lets this process write: what others may do is that user's decision.
  }
}

const PUT_BACK =
  'put back the file that was there, and Botbell goes on by itself; or restart Botbell, which then uses what is there';

/** Tells by `stat` alone, since opening and closing the file would release SQLite's locks. */
export class WatchedFile {
  readonly #path: string;
  readonly #opened: Stats;

  /** @throws {Error} no such file */
  constructor(path: string) {
    this.#path = path;
    this.#opened = statSync(path);
  }

  /** @returns bytes. @throws {Error} deleted or replaced: says what to do */
  look(): number {
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now === undefined) throw new Error(`${this.#path} was deleted or moved away: ${PUT_BACK}`);
    if (now.ino !== this.#opened.ino || now.dev !== this.#opened.dev) {
      throw new Error(`${this.#path} was replaced by another file: ${PUT_BACK}`);
    }
    return now.size;
  }

  get isThere(): boolean {
    try {
      this.look();
      return true;
    } catch {
      return false;
    }
  }
}
