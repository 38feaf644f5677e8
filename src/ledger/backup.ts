/** A whole copy of a SQLite ledger, made while a service writes to it. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { systemClock } from '../time/clock.ts';
import { reasonOf } from './failures.ts';
import { openReadings } from './look.ts';
import { SQLITE, sqlitePathOf } from './sqlite/file.ts';

const OWNER_ONLY = 0o600;
const BUSY_TIMEOUT_MS = 2000;

/**
 * As of one moment, in one file, on disk when it resolves.
 * @param file is not there yet
 * @throws {Error} there is no ledger at `url`, it is PostgreSQL's, or the file is there or cannot be written: what to do
 */
export async function backUp(url: string, file: string): Promise<void> {
  if (!url.startsWith(SQLITE))
    throw new Error('store.url names a PostgreSQL database: back it up with pg_dump');
  await (await openReadings(url, systemClock)).close();
  const copy = resolve(file);
  makeEmpty(copy, file);
  try {
    copyInto(resolve(sqlitePathOf(url)), copy);
    flush(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw new Error(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** SQLite writes over no file but an empty one. */
function makeEmpty(path: string, name: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error(`${name} is there already, and stays as it is: name another file`, { cause: error });
    throw new Error(`${name} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

function copyInto(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

/** A power cut soon after would leave a part of it (sqlite.org/lang_vacuum.html). */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
