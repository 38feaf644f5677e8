/** Whether a store holds, or could hold, a ledger: found out without creating or claiming anything. */
import { systemClock } from '../time/clock.ts';
import { reasonOf } from './failures.ts';
import { SQLITE, sqlitePathOf } from './store-url.ts';
import type { StoreState } from './version.ts';

/** @throws {Error} why it cannot be used, and what to do about it */
export async function inspectStore(url: string): Promise<StoreState> {
  try {
    return await inspect(url);
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

async function inspect(url: string): Promise<StoreState> {
  // Each loaded only where it is used.
  if (url.startsWith(SQLITE)) {
    const { inspectSqlite } = await import('./sqlite/inspect.ts');
    return inspectSqlite(sqlitePathOf(url), systemClock);
  }
  const { inspectPostgres } = await import('./postgres/inspect.ts');
  return inspectPostgres(url, systemClock);
}
