/** A ledger to be read by whoever runs no service: nothing is created, and a service beside it goes on. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../time/clock.ts';
import { type Database, databaseOver, type Transactions, type Tx } from './database.ts';
import { reasonOf } from './failures.ts';
import { reads } from './registry.ts';
import { MEMORY, SQLITE, sqlitePathOf } from './store-url.ts';
import { stateOf } from './version.ts';

const NO_LEDGER =
  'there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?';

interface Source {
  readonly transactions: Transactions;
  /** Those of `TELLING_TABLES` that are there. */
  readonly tellingTables: (tx: Tx) => Promise<readonly string[]>;
}

/** @throws {Error} there is no ledger, it is of another version, or it cannot be read: why, and what to do */
export async function openReadings(url: string, clock: Clock): Promise<Database<typeof reads>> {
  const { transactions, tellingTables } = url.startsWith(SQLITE)
    ? await openFile(sqlitePathOf(url), clock)
    : await connect(url, clock);
  try {
    const state = await transactions.run(async (tx) => stateOf(tx, await tellingTables(tx)));
    if (state === 'new') throw new Error(NO_LEDGER);
    return databaseOver(transactions, reads);
  } catch (error) {
    await transactions.close();
    throw new Error(reasonOf(error), { cause: error });
  }
}

async function openFile(path: string, clock: Clock): Promise<Source> {
  if (path === MEMORY) throw new Error('a ledger in memory is known to its service alone');
  const file = resolve(path);
  if (!existsSync(file) || statSync(file).size === 0) throw new Error(`${NO_LEDGER} (${file})`);
  checkReadable(file);
  const { openOnlooker, tellingTables } = await import('./sqlite/open.ts');
  return { transactions: openOnlooker(file, clock), tellingTables };
}

/** @throws {Error} of the file, its log or the log's index */
function checkReadable(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))) {
    try {
      accessSync(each, constants.R_OK);
    } catch (error) {
      const advice = 'run this as the user of the service, to whom the files of a ledger belong';
      throw new Error(`${each} may not be read: ${advice}`, { cause: error });
    }
  }
}

async function connect(url: string, clock: Clock): Promise<Source> {
  // Loaded only where it is used, since most ledgers are files.
  const { connectPostgres, tellingTables } = await import('./postgres/open.ts');
  return { transactions: connectPostgres({ url, clock, owner: '', isReader: true }), tellingTables };
}
