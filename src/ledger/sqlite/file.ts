/** A SQLite file: created for its owner alone, and watched, since SQLite goes on writing to a deleted file. */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The beginning of a SQLite store's URL. */
export const SQLITE = 'sqlite:';

/** The path of a ledger that ends with its process, and that no other connection sees. */
export const MEMORY = ':memory:';

/** The path in a `sqlite:` URL, which may have the slashes of an absolute URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_THE_OWNER = 0o700;

/** Creates the folder and an empty file if they are missing. @throws {Error} they cannot be created, or the path is not a file */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_OF_THE_OWNER });
  // An existing file is not opened: closing it would release the locks of a SQLite connection of this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  else if (!statSync(path).isFile()) throw new Error('it is not a file');
}

/** @throws {Error} the file cannot be written, or could not be created */
export function checkWritable(file: string): void {
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  // With the slash, access fails for anything but a folder.
  accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
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
