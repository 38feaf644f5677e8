/** What a store's URL says, and whether it could hold a ledger: found out without creating, migrating or claiming anything. */
import { systemClock } from '../time/clock.ts';
import type { StoreState } from './migrations/migrate.ts';

export const SQLITE = 'sqlite:';

/** The path in a `sqlite:` URL, which may have the slashes of an absolute URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
}

/** @throws {UnfinishedCopy} @throws {Error} why it cannot be used, and what to do about it */
export async function inspectStore(url: string): Promise<StoreState> {
  if (url.startsWith(SQLITE)) {
    const { inspectSqlite } = await import('./sqlite/inspect.ts');
    return inspectSqlite(sqlitePathOf(url));
  }
  // Loaded only where it is used, since most ledgers are files.
  const { inspectPostgres } = await import('./postgres/inspect.ts');
  return inspectPostgres(url, systemClock);
}
