/** The files of a SQLite ledger: for their owner alone, and watched, since SQLite keeps writing to a file that is gone. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const FOLDER_OF_THE_OWNER = 0o700;
const GROUP_AND_OTHERS = 0o077;

/**
 * Makes the folder and an empty file where they are missing; SQLite gives its log and its index the mode of the file.
 * Files of an earlier version lose what group and others may do; a folder that is there stays as it is.
 * @throws {Error} a folder or file that cannot be made
 */
export function prepareFiles(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_OF_THE_OWNER });
  if (!existsSync(path)) createFile(path);
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
