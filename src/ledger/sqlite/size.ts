/** How many bytes a SQLite ledger takes. */
import type { SqliteDatabase } from 'kysely';
import type { WatchedFile } from './files.ts';
import type { StoreSize } from '../retention/store-size.ts';

/** Not the file's size: pages that are free are used again. Two pragmas, which take some eight microseconds. */
export function sizeOf(
  database: Pick<SqliteDatabase, 'prepare'>,
  log: Pick<WatchedFile, 'bytes'> | undefined,
): () => StoreSize {
  const pragma = (name: string) => {
    const [row] = database.prepare(`pragma ${name}`).all([]) as Record<string, number>[];
    return row?.[name] ?? 0;
  };
  return () => {
    const pages = pragma('page_count') - pragma('freelist_count');
    return { used: pages * pragma('page_size'), log: log?.bytes ?? 0 };
  };
}
