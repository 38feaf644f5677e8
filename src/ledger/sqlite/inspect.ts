/** Whether a file is, or could become, a ledger in SQLite. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { openWithoutTrace } from './connection.ts';
import { MIGRATIONS_TABLE, stateOf, type StoreState } from '../migrations/migrate.ts';

const MEMORY = ':memory:';

/** How every SQLite file begins (sqlite.org/fileformat.html, "Magic Header String"). */
const HEADER = 'SQLite format 3\0';

/** @throws {Error} why it cannot be used */
export function inspectSqlite(path: string): StoreState {
  if (path === MEMORY) return 'new';
  const file = resolve(path);
  if (!existsSync(file)) {
    checkFolder(dirname(file));
    return 'new';
  }
  checkFile(file);
  // Beside the file SQLite keeps its log.
  checkFolder(dirname(file));
  return statSync(file).size === 0 ? 'new' : stateOfFile(file);
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

function stateOfFile(file: string): StoreState {
  const database = openWithoutTrace(file);
  try {
    const tables = namesFrom(database, `select name from sqlite_master where type = 'table'`);
    const hasMigrations = tables.includes(MIGRATIONS_TABLE);
    const migrations = hasMigrations ? namesFrom(database, `select name from ${MIGRATIONS_TABLE}`) : [];
    return stateOf({ tables, migrations });
  } finally {
    database.close();
  }
}

function namesFrom(database: DatabaseSyncInstance, query: string): string[] {
  return (database.prepare(query).all() as { name: string }[]).map(({ name }) => name);
}
