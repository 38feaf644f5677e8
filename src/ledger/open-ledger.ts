/** From a store URL to a ledger: for the service, for whoever only reads, and for whoever acts beside the service. */
import { statSync } from 'node:fs';
import { type Clock, systemClock } from '../time/clock.ts';
import {
  type DatabaseLedger,
  ledgerOver,
  type LedgerSettings,
  type OpenDatabase,
} from './database-ledger.ts';
import { openReadings, openTransactions } from './look.ts';
import { type LivingProcess, ownerName } from './operations/processes.ts';
import { type Actions, type Archive, createActions, createArchive } from './people.ts';
import { type Database, databaseOver } from './registry.ts';
import { MEMORY, SQLITE, sqlitePathOf } from './sqlite/file.ts';
import type { StoreEvent } from './sqlite/space.ts';
import { ThreadDatabase } from './sqlite/thread-database.ts';

interface DatabaseOptions {
  readonly clock: Clock;
  /** Names this process among all that may share the store. */
  readonly owner: string;
  /** Of SQLite: pages in use and log. Undefined: no limit. */
  readonly maxBytes?: number | undefined;
  readonly onStoreEvent?: ((event: StoreEvent) => void) | undefined;
  /** SQLite without a thread: for commands, and for tests, whose clocks no thread shares. */
  readonly isInProcess?: boolean | undefined;
}

export type LedgerOptions = LedgerSettings & DatabaseOptions;

/** A process that is just closing the file, or a server that is just starting, is waited for. */
const OPEN_WITHIN_MS = 10_000;

/** @throws {Error} a store that cannot be opened, or that another version or program has written: what to do */
export async function openLedger(url: string, options: LedgerOptions): Promise<DatabaseLedger> {
  const database = await openDatabase(url, options);
  const ledger = ledgerOver(database, options);
  try {
    // Whether it can be written.
    await database.writing.call('processes', [], { withinMs: OPEN_WITHIN_MS });
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

export interface OpenArchive {
  readonly archive: Archive;
  readonly close: () => Promise<void>;
}

/** Read-only: nothing is created, released or claimed. @throws {Error} there is no ledger, or it cannot be read: what to do */
export async function openArchive(url: string, clock: Clock = systemClock): Promise<OpenArchive> {
  const readings = await openReadings(url, clock);
  return { archive: createArchive(readings.call), close: () => readings.close() };
}

export interface LedgerBeside extends OpenArchive {
  readonly actions: Actions;
  readonly processes: () => Promise<readonly LivingProcess[]>;
}

/**
 * For people who act on a command line while the service runs: each call is a transaction of its own.
 * @throws {Error} there is no ledger, or it cannot be written: what to do
 */
export async function openBeside(url: string, clock: Clock = systemClock): Promise<LedgerBeside> {
  // Refuses what is no ledger of this version, before anything is opened that could make it one.
  await (await openReadings(url, clock)).close();
  const { writing, reading } = await openDatabase(url, {
    clock,
    owner: ownerName(clock.now()),
    isInProcess: true,
  });
  return {
    archive: createArchive(reading.call),
    actions: createActions(writing.call, reading.call),
    processes: () => writing.call('processes', []),
    close: async () => {
      await writing.close();
      await reading.close();
    },
  };
}

/** Of SQLite, the service's threads are started by the first call, and it hears whether the file can be opened. */
async function openDatabase(
  url: string,
  { clock, owner, maxBytes, onStoreEvent: onEvent, isInProcess = false }: DatabaseOptions,
): Promise<OpenDatabase> {
  const isSqlite = url.startsWith(SQLITE);
  const path = sqlitePathOf(url);
  const open = async (isReader: boolean): Promise<Database> => {
    const settings = { owner, maxBytes, onEvent, isReader };
    if (isSqlite && !isInProcess) return new ThreadDatabase({ path, ...settings });
    return databaseOver(await openTransactions(url, { clock, ...settings }));
  };
  const writing = await open(false);
  // A ledger in memory has one connection.
  const isOne = isSqlite && path === MEMORY;
  const reading = isOne ? { ...writing, close: () => Promise.resolve() } : await open(true);
  const logBytes = () => (isSqlite && statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) || 0;
  return { writing, reading, logBytes };
}
