/** Whether a store could hold a ledger, found out without writing to it: nothing is created, migrated or claimed. */
import { systemClock } from '../time/clock.ts';
import { SQLITE, sqlitePathOf } from './store-url.ts';
import type { StoreState } from './tables-found.ts';

/** @throws {Error} why it cannot be used, and what to do about it */
export async function inspectStore(url: string): Promise<StoreState> {
  if (url.startsWith(SQLITE)) {
    const { inspectSqlite } = await import('./sqlite/inspect.ts');
    return inspectSqlite(sqlitePathOf(url));
  }
  // Loaded only where it is used, since most ledgers are files.
  const { inspectPostgres } = await import('./postgres/inspect.ts');
  return inspectPostgres(url, systemClock);
}
