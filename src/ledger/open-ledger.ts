/** From a store URL to a ledger: for the service, for whoever only reads, and for whoever acts beside the service. */
import { type Clock, systemClock } from '../time/clock.ts';
import { DatabaseLedger, type LedgerSettings, type OpenLedger } from './database-ledger.ts';
import type { ConfigStore } from './ledger.ts';
import { openReadings } from './look.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';
import { ownerName } from './owner.ts';
import { type Actions, type Archive, createActions, createArchive } from './people.ts';

export type LedgerOptions = LedgerSettings & DatabaseOptions;

/** A process that is just closing the file, or a server that is just starting, is waited for. */
const OPEN_WITHIN_MS = 10_000;

/** @throws {Error} a store that cannot be opened, or that another version or program has written: what to do */
export async function openLedger(url: string, options: LedgerOptions): Promise<OpenLedger> {
  const database = await openDatabase(url, options);
  const ledger = new DatabaseLedger(database, options);
  try {
    await database.writing.call('releaseOrphans', [], { withinMs: OPEN_WITHIN_MS });
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

export interface OpenArchive {
  readonly archive: Archive;
  close(): Promise<void>;
}

/** Read-only: nothing is created, released or claimed. @throws {Error} there is no ledger, or it cannot be read: what to do */
export async function openArchive(url: string, clock: Clock = systemClock): Promise<OpenArchive> {
  const readings = await openReadings(url, clock);
  return { archive: createArchive(readings), close: () => readings.close() };
}

export interface LedgerBeside extends OpenArchive {
  readonly actions: Actions;
  readonly processes: ConfigStore['processes'];
}

/**
 * For people who act on a command line while the service runs: each call is a transaction of its own.
 * @throws {Error} there is no ledger, or it cannot be written: what to do
 */
export async function openBeside(url: string, clock: Clock = systemClock): Promise<LedgerBeside> {
  // Refuses what is no ledger of this version, before anything is opened that could make it one.
  await (await openReadings(url, clock)).close();
  const database = await openDatabase(url, { clock, owner: ownerName(clock.now()), isInProcess: true });
  return {
    archive: createArchive(database.reading),
    actions: createActions(database),
    processes: () => database.writing.call('processes', []),
    close: async () => {
      await database.writing.close();
      await database.reading.close();
    },
  };
}
