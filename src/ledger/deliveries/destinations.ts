/** Each destination's last success and failure. Each process writes them every few seconds: a write per message would cost too much. */
import sql, { bulk } from 'sql-template-tag';
import type { ArchivedDestination } from '../archive/archive.ts';
import type { Tx } from '../database.ts';
import { kept } from './rows.ts';

/** What a process has seen of a destination since its last write. */
export type SeenDestination = Pick<ArchivedDestination, 'destination'> & Partial<ArchivedDestination>;

export async function recordDestinations(tx: Tx, seen: readonly SeenDestination[]): Promise<void> {
  // Sorted, so that all writers lock the rows in the same order.
  const rows = seen.toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
  await tx.all(sql`
    INSERT INTO destinations (destination, last_delivered_at, last_failed_at, last_error)
    VALUES ${bulk(rows.map((row) => [row.destination, row.lastDeliveredAt, row.lastFailedAt, kept(row.lastError)]))}
    ON CONFLICT (destination) DO UPDATE SET
      last_delivered_at = coalesce(excluded.last_delivered_at, destinations.last_delivered_at),
      last_failed_at = coalesce(excluded.last_failed_at, destinations.last_failed_at),
      last_error = coalesce(excluded.last_error, destinations.last_error)`);
}
