/** Looks into a store: nothing is created, released or claimed, and a service beside it goes on. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../time/clock.ts';
import { type Database, databaseOver, type Transactions, type Tx } from './database.ts';
import { reasonOf } from './failures.ts';
import { reads } from './registry.ts';
import type { StoreState } from './schema.ts';
import { MEMORY, SQLITE, sqlitePathOf } from './store-url.ts';

interface Look {
  readonly transactions: Transactions;
  readonly stateOf: (tx: Tx) => Promise<StoreState>;
  /** The same, and whether it can be written. */
  readonly inspect: (tx: Tx) => Promise<StoreState>;
}

/** What it needs is loaded only where it is used. @returns undefined: there is no file yet */
async function openToLook(url: string, clock: Clock): Promise<Look | undefined> {
  if (!url.startsWith(SQLITE)) {
    const { connectPostgres, postgresState: stateOf } = await import('./postgres/open.ts');
    const { inspectPostgres: inspect } = await import('./postgres/inspect.ts');
    return { transactions: connectPostgres({ url, clock, owner: '', isReader: true }), stateOf, inspect };
  }
  const file = resolve(sqlitePathOf(url));
  if (isMemory(url) || !existsSync(file) || statSync(file).size === 0) return undefined;
  const { openOnlooker, sqliteState: stateOf } = await import('./sqlite/open.ts');
  return { transactions: openOnlooker(file, clock), stateOf, inspect: stateOf };
}

function isMemory(url: string): boolean {
  return sqlitePathOf(url) === MEMORY;
}

/**
 * Whether a store holds, or could hold, a ledger.
 * @throws {Error} why it cannot be used, and what to do about it
 */
export async function inspectStore(url: string): Promise<StoreState> {
  try {
    if (url.startsWith(SQLITE) && !isMemory(url))
      (await import('./sqlite/inspect.ts')).checkWritable(resolve(sqlitePathOf(url)));
    const look = await openToLook(url, systemClock);
    if (look === undefined) return 'new';
    try {
      return await look.transactions.run(look.inspect);
    } finally {
      await look.transactions.close();
    }
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

const NO_LEDGER =
  'there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?';

/** @throws {Error} there is no ledger, it is of another version, or it cannot be read: why, and what to do */
export async function openReadings(url: string, clock: Clock): Promise<Database<typeof reads>> {
  if (isMemory(url)) throw new Error('a ledger in memory is known to its service alone');
  if (url.startsWith(SQLITE)) (await import('./sqlite/inspect.ts')).checkReadable(resolve(sqlitePathOf(url)));
  const look = await openToLook(url, clock);
  if (look === undefined) throw new Error(`${NO_LEDGER} (${resolve(sqlitePathOf(url))})`);
  const { transactions, stateOf } = look;
  try {
    if ((await transactions.run(stateOf)) === 'new') throw new Error(NO_LEDGER);
    return databaseOver(transactions, reads);
  } catch (error) {
    await transactions.close();
    throw new Error(reasonOf(error), { cause: error });
  }
}
