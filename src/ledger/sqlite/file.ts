/** A SQLite file: made for its owner alone, and watched, since SQLite goes on writing to one that is gone. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What a store's URL of SQLite begins with. */
export const SQLITE = 'sqlite:';

/** A ledger that ends with its process, and that no other connection sees. */
export const MEMORY = ':memory:';

/** The path in a `sqlite:` URL, which may have the slashes of an absolute URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_THE_OWNER = 0o700;

/**
 * Makes the folder and an empty file where they are missing; SQLite gives its log and its index the mode of the file. What is
 * there stays as it is.
 * @throws {Error} a folder or file that cannot be made, or something else than a file
 */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_OF_THE_OWNER });
  // Only who makes it opens it: closing a file that SQLite has open would release SQLite's locks.
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  else if (!statSync(path).isFile()) throw new Error('it is not a file');
}

/** @throws {Error} the file cannot be written, or nothing can be made where it would be */
export function checkWritable(file: string): void {
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  // The slash: it has to be a folder.
  accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
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
}
