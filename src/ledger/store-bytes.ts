/** How much a store holds, as its database tells. */
import sql from 'sql-template-tag';
import type { Tx } from './database.ts';

/** Pages in use; the log comes on top. */
export async function sqliteBytes(tx: Tx): Promise<number> {
  const row = await tx.first<{ bytes: number }>(sql`
    SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`);
  return row?.bytes ?? 0;
}

/** Tables, indexes and what is stored beside them, of the ledger's schema. */
export async function postgresBytes(tx: Tx): Promise<number> {
  const row = await tx.first<{ bytes: number | null }>(sql`
    SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('callbacks'))`);
  return row?.bytes ?? 0;
}
