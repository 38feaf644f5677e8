/** What is asked beside the way of a callback: how much is open. */
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
