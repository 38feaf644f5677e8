/** A consistent copy of a SQLite ledger, made while a service writes to it. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { reasonOf } from '../failures.ts';
import { FaultError, faultsOf } from '../../text/fault.ts';
import { openArchive } from '../open-ledger.ts';
import { SQLITE, sqlitePathOf } from './file.ts';

// prettier-ignore
const fault = faultsOf({
  postgres: ['store.url names a PostgreSQL database: back it up with pg_dump', 'store.url はPostgreSQLのデータベースです。pg_dump で控えを取ってください'],
  there: ['{file} is there already, and stays as it is: name another file', '{file} はすでにあり、そのままです。別のファイル名を指定してください'],
  unwritable: ['{file} cannot be written: {why}', '{file} に書き込めません：{why}'],
});

const FOR_ITS_OWNER = 0o600;
const BUSY_TIMEOUT_MS = 2000;

/**
 * Writes one file with the state of one moment, on disk when this resolves.
 * @param file must not exist yet
 * @throws {Error} there is no ledger at `url`, it is PostgreSQL's, or the file exists or cannot be written; says what to do
 */
export async function backUp(url: string, file: string): Promise<void> {
  if (!url.startsWith(SQLITE)) throw new FaultError(fault('postgres'));
  await (await openArchive(url)).close();
  const copy = resolve(file);
  let descriptor: number;
  try {
    // Exclusive: also a link that leads nowhere counts as a file. SQLite fills the empty one.
    descriptor = openSync(copy, 'wx', FOR_ITS_OWNER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error);
    throw new FaultError(fault('there', { file }), { cause: error });
  }
  try {
    copyInto(resolve(sqlitePathOf(url)), copy);
    // VACUUM INTO does not flush: a power cut could leave a partial copy (sqlite.org/lang_vacuum.html).
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(copy, { force: true });
    throw unwritable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

function unwritable(file: string, error: unknown): Error {
  return new FaultError(fault('unwritable', { file, why: reasonOf(error) }), { cause: error });
}

function copyInto(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}
