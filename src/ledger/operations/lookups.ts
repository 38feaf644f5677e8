/** What is asked beside the way of a callback: how much is open, and how much the store holds. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { OpenCounts } from '../ledger.ts';

/** Each from an index of its own. */
export async function countOpen(tx: Tx): Promise<OpenCounts> {
  return {
    pending: await counted(tx, raw("state = 'pending'")),
    dead: await counted(tx, raw("state = 'dead'")),
    held:
      (await counted(tx, raw("hold_code = 'no longer routed' AND state = 'held'"))) +
      (await counted(tx, raw('hold_until IS NOT NULL'))),
  };
}

async function counted(tx: Tx, which: Sql): Promise<number> {
  const row = await tx.first<{ count: number }>(sql`SELECT count(*) AS count FROM deliveries WHERE ${which}`);
  return row?.count ?? 0;
}

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
