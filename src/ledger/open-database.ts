/** From a store URL to a database: SQLite in threads of its own, PostgreSQL over pools in this process. */
import { statSync } from 'node:fs';
import type { Clock } from '../time/clock.ts';
import type { OpenDatabase } from './database-ledger.ts';
import { type Database, databaseOver } from './database.ts';
import { type LedgerOperations, registry } from './registry.ts';
import type { StoreEvent } from './sqlite/space.ts';
import { ThreadDatabase } from './sqlite/thread-database.ts';
import { MEMORY, SQLITE, sqlitePathOf } from './store-url.ts';

export interface DatabaseOptions {
  readonly clock: Clock;
  /** Names this process among all that may share the store. */
  readonly owner: string;
  /** Of SQLite: pages in use and log. Undefined: no limit. */
  readonly maxBytes?: number | undefined;
  /** Where days begin and end that callbacks are counted by; default: UTC. */
  readonly timezone?: string;
  readonly onStoreEvent?: ((event: StoreEvent) => void) | undefined;
  /** The store is out of reach while nobody asks for it, e.g. its server was restarted. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
  /** SQLite without a thread: for commands, and for tests, whose clocks no thread shares. */
  readonly isInProcess?: boolean | undefined;
  /** PostgreSQL's clock is not asked: for tests, who cannot move it. */
  readonly isClockShared?: boolean | undefined;
}

/** @throws {Error} a store that cannot be opened, or that another version or program has written: what to do */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<OpenDatabase> {
  if (!url.startsWith(SQLITE)) return openPostgresDatabase(url, options);
  const path = sqlitePathOf(url);
  return options.isInProcess === true ? openSqliteHere(path, options) : openSqliteThreads(path, options);
}

/** Opened by the first call, which hears whether that can be done. */
function openSqliteThreads(
  path: string,
  { owner, maxBytes, timezone, onStoreEvent: onEvent }: DatabaseOptions,
): OpenDatabase {
  const settings = { path, owner, maxBytes, timezone, onEvent };
  const writing = new ThreadDatabase({ ...settings, isReader: false });
  const reading = path === MEMORY ? sharing(writing) : new ThreadDatabase({ ...settings, isReader: true });
  return { writing, reading, isShared: false, bytesUsed: sqliteBytesUsed(path, reading) };
}

/** Each waits for the disk in the thread that asks. */
async function openSqliteHere(
  path: string,
  { clock, owner, maxBytes, timezone, onStoreEvent: onEvent }: DatabaseOptions,
): Promise<OpenDatabase> {
  const { openSqlite } = await import('./sqlite/open.ts');
  const times = { now: () => clock.now(), monotonic: () => clock.monotonic() };
  const settings = { path, owner, maxBytes, timezone, ...(onEvent && { onEvent }), ...times };
  const writing = databaseOver(await openSqlite(settings), registry);
  const reading =
    path === MEMORY
      ? sharing(writing)
      : databaseOver(await openSqlite({ ...settings, isReader: true }), registry);
  return { writing, reading, isShared: false, bytesUsed: sqliteBytesUsed(path, reading) };
}

/** A ledger in memory has one connection. */
function sharing({ call }: Database<LedgerOperations>): Database<LedgerOperations> {
  return { call, close: () => Promise.resolve() };
}

function sqliteBytesUsed(path: string, { call }: Database<LedgerOperations>): () => Promise<number> {
  return async () => {
    const log = path === MEMORY ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false });
    return (await call('sqliteBytes', [])) + (log?.size ?? 0);
  };
}

async function openPostgresDatabase(
  url: string,
  { clock, owner, onTrouble, isClockShared }: DatabaseOptions,
): Promise<OpenDatabase> {
  // Loaded only where it is used, since most ledgers are files.
  const { connectPostgres, openPostgres } = await import('./postgres/open.ts');
  const settings = { url, clock, owner, onTrouble, isClockShared };
  const transactions = await openPostgres(settings);
  const reading = databaseOver(connectPostgres({ ...settings, isReader: true }), registry);
  return {
    writing: databaseOver(transactions, registry),
    reading,
    isShared: true,
    bytesUsed: () => reading.call('postgresBytes', []),
    measureClock: () => transactions.measureClock(),
  };
}
