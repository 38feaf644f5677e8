/** Whether a file is, or could become, a ledger in SQLite. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../time/clock.ts';
import { MEMORY } from '../store-url.ts';
import { type StoreState, stateOf } from '../version.ts';
import { openOnlooker, tellingTables } from './open.ts';

/** How every SQLite file begins (sqlite.org/fileformat.html, "Magic Header String"). */
const HEADER = 'SQLite format 3\0';

/** @throws {Error} why it cannot be used */
export async function inspectSqlite(path: string, clock: Clock): Promise<StoreState> {
  if (path === MEMORY) return 'new';
  const file = resolve(path);
  // Beside the file SQLite keeps its log.
  checkFolder(dirname(file));
  if (!existsSync(file)) return 'new';
  checkFile(file);
  if (statSync(file).size === 0) return 'new';
  const transactions = openOnlooker(file, clock);
  try {
    return await transactions.run(async (tx) => stateOf(tx, await tellingTables(tx)));
  } finally {
    await transactions.close();
  }
}

/** A folder that is missing is made at the start, in the next one above that is there. */
function checkFolder(folder: string): void {
  if (!existsSync(folder)) {
    checkFolder(dirname(folder));
    return;
  }
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  checkAccess(folder, constants.W_OK | constants.X_OK, 'nothing can be written in the folder');
}

function checkFile(file: string): void {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  checkAccess(file, constants.R_OK | constants.W_OK, 'the file cannot be read and written');
  if (statSync(file).size > 0 && beginningOf(file) !== HEADER)
    throw new Error(`${file} is not a SQLite file`);
}

function checkAccess(path: string, mode: number, trouble: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw new Error(`${trouble}: ${path} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause: error,
    });
  }
}

function beginningOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(HEADER.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}
