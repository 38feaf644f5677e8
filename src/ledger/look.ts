/** Looks into a store: nothing is created, released or claimed, and a service beside it goes on. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Transactions, Tx } from './database.ts';
import { reasonOf } from './failures.ts';
import { type Database, databaseOver } from './registry.ts';
import { checkReadable, checkWritable, MEMORY, SQLITE, sqlitePathOf } from './sqlite/file.ts';

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
  try {
    if (!url.startsWith(SQLITE)) {
      const { connectPostgres, isPostgresLedger } = await import('./postgres/open.ts');
      return await ifLedger(connectPostgres({ url, clock, owner: '', isReader: true }), isPostgresLedger);
    }
    const file = resolve(sqlitePathOf(url));
    if (!statSync(file, { throwIfNoEntry: false })?.size) return undefined;
    checkReadable(file);
    const { openOnlooker, isSqliteLedger } = await import('./sqlite/open.ts');
    return await ifLedger(openOnlooker(file, clock), isSqliteLedger);
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

async function ifLedger(
  transactions: Transactions,
  isLedger: (tx: Tx) => Promise<boolean>,
): Promise<Transactions | undefined> {
  let isFound = false;
  try {
    isFound = await transactions.run(isLedger);
    return isFound ? transactions : undefined;
  } finally {
    if (!isFound) await transactions.close();
  }
}
