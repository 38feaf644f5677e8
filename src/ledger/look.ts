/** Looks into a store: nothing is created, released or claimed, and a service beside it goes on. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Transactions, Tx } from './database.ts';
import { reasonOf } from './failures.ts';
import { type Database, databaseOver } from './registry.ts';
import type { StoreState } from './schema.ts';
import { checkReadable, checkWritable, MEMORY, SQLITE, sqlitePathOf } from './sqlite/file.ts';

/**
 * Whether a store holds, or could hold, a ledger.
 * @throws {Error} why it cannot be used, and what to do about it
 */
export async function inspectStore(url: string): Promise<StoreState> {
  if (url === `${SQLITE}${MEMORY}`) return 'new';
  try {
    if (url.startsWith(SQLITE)) checkWritable(resolve(sqlitePathOf(url)));
    const { transactions, state } = await look(url, systemClock);
    await transactions?.close();
    return state;
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

const NO_LEDGER =
  'there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?';

/** @throws {Error} there is no ledger, it is of another version, or it cannot be read: why, and what to do */
export async function openReadings(url: string, clock: Clock): Promise<Database> {
  if (url === `${SQLITE}${MEMORY}`) throw new Error('a ledger in memory is known to its service alone');
  const { transactions, state } = await look(url, clock).catch((error: unknown) => {
    throw new Error(reasonOf(error), { cause: error });
  });
  if (transactions !== undefined && state === 'ready') return databaseOver(transactions);
  await transactions?.close();
  throw new Error(url.startsWith(SQLITE) ? `${NO_LEDGER} (${resolve(sqlitePathOf(url))})` : NO_LEDGER);
}

interface Look {
  /** Undefined: there is no file yet. */
  readonly transactions: Transactions | undefined;
  readonly state: StoreState;
}

/** @throws {Error} it cannot be used: why, and what to do */
async function look(url: string, clock: Clock): Promise<Look> {
  if (!url.startsWith(SQLITE)) {
    const { connectPostgres, postgresState } = await import('./postgres/open.ts');
    return stateIn(connectPostgres({ url, clock, owner: '', isReader: true }), postgresState);
  }
  const file = resolve(sqlitePathOf(url));
  if (!statSync(file, { throwIfNoEntry: false })?.size) return { transactions: undefined, state: 'new' };
  checkReadable(file);
  const { openOnlooker, sqliteState } = await import('./sqlite/open.ts');
  return stateIn(openOnlooker(file, clock), sqliteState);
}

async function stateIn(transactions: Transactions, stateOf: (tx: Tx) => Promise<StoreState>): Promise<Look> {
  try {
    return { transactions, state: await transactions.run(stateOf) };
  } catch (error) {
    await transactions.close();
    throw error;
  }
}
