/** Looks into a store: nothing is created, released or claimed, and a service beside it goes on. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Transactions } from './database.ts';
import { reasonOf } from './failures.ts';
import { type Database, databaseOver } from './registry.ts';
import { isLedger } from './schema.ts';
import type { SqliteOptions } from './sqlite/open.ts';
import { checkWritable, MEMORY, SQLITE, sqlitePathOf } from './sqlite/file.ts';

/**
 * Whether a store holds, or could hold, a ledger.
 * @throws {Error} why it cannot be used, and what to do about it
 */
export async function inspectStore(url: string): Promise<'new' | 'ready'> {
  if (url === `${SQLITE}${MEMORY}`) return 'new';
  if (url.startsWith(SQLITE)) checkWritable(resolve(sqlitePathOf(url)));
  const found = await look(url, systemClock);
  await found?.close();
  return found === undefined ? 'new' : 'ready';
}

const NO_LEDGER =
  'there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?';

/** @throws {Error} there is no ledger, it is of another version, or it cannot be read: why, and what to do */
export async function openReadings(url: string, clock: Clock): Promise<Database> {
  if (url === `${SQLITE}${MEMORY}`) throw new Error('a ledger in memory is known to its service alone');
  const found = await look(url, clock);
  if (found !== undefined) return databaseOver(found);
  throw new Error(url.startsWith(SQLITE) ? `${NO_LEDGER} (${resolve(sqlitePathOf(url))})` : NO_LEDGER);
}

/** @returns undefined: there is no ledger yet. @throws {Error} it cannot be used: why, and what to do */
async function look(url: string, clock: Clock): Promise<Transactions | undefined> {
  let found: Transactions | undefined;
  try {
    found = await openToRead(url, clock);
    if (found !== undefined && (await found.run(isLedger))) return found;
  } catch (error) {
    await found?.close();
    throw new Error(reasonOf(error), { cause: error });
  }
  await found?.close();
  return undefined;
}

/** @returns undefined: there is no file, or nothing in it */
async function openToRead(url: string, clock: Clock): Promise<Transactions | undefined> {
  if (url.startsWith(SQLITE)) {
    const path = resolve(sqlitePathOf(url));
    if (!statSync(path, { throwIfNoEntry: false })?.size) return undefined;
    accessSync(path, constants.R_OK);
  }
  return openTransactions(url, { clock, owner: '', isReader: true });
}

/** In this process; each database's code is loaded only where it is used. @throws {LedgerUnavailable} it cannot be used */
export async function openTransactions(
  url: string,
  settings: Omit<SqliteOptions, 'path' | 'clock'> & { readonly clock: Clock },
): Promise<Transactions> {
  if (!url.startsWith(SQLITE)) return (await import('./postgres/open.ts')).openPostgres({ url, ...settings });
  return (await import('./sqlite/open.ts')).openSqlite({ path: sqlitePathOf(url), ...settings });
}
