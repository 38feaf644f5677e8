/** A consistent copy of a SQLite ledger, made while a service writes to it. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { FaultError, faultSaid } from '../../text/fault.ts';
import { openNew, unwritable } from '../../text/new-file.ts';
import { openArchive } from '../open-ledger.ts';
import { SQLITE, sqlitePathOf } from './file.ts';

const PG_DUMP = faultSaid(
  'store.url names a PostgreSQL database: back it up with pg_dump',
  'store.url はPostgreSQLのデータベースです。pg_dump で控えを取ってください',
);

const FOR_ITS_OWNER = 0o600;
const BUSY_TIMEOUT_MS = 2000;

/**
 * Writes one file with the state of one moment, on disk when this resolves.
 * @param file must not exist yet
 * @throws {Error} there is no ledger at `url`, it is PostgreSQL's, or the file exists or cannot be written; says what to do
 */
export async function backUp(url: string, file: string): Promise<void> {
  if (!url.startsWith(SQLITE)) throw new FaultError(PG_DUMP);
  await (await openArchive(url)).close();
  const copy = resolve(file);
  // Refused before the work, not after it.
  closeSync(openNew(file));
  rmSync(copy);
  // Whoever is killed leaves nothing that looks whole, and another backup to the same file does not meet this one.
  const unfinished = `${copy}.${randomUUID()}.unfinished`;
  // SQLite fills the empty file.
  const descriptor = openNew(unfinished, FOR_ITS_OWNER);
  try {
    copyInto(resolve(sqlitePathOf(url)), unfinished);
    // VACUUM INTO does not flush: a power cut could leave a partial copy (sqlite.org/lang_vacuum.html).
    fsyncSync(descriptor);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw unwritable(file, error);
  } finally {
    closeSync(descriptor);
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
