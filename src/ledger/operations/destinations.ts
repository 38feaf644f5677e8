/** How each destination did last: written every few seconds by whoever sends, since a write for each message would cost more than it tells. */
import sql, { bulk } from 'sql-template-tag';
import type { ArchivedDestination } from '../archive/archive.ts';
import type { Tx } from '../database.ts';
import { kept } from '../rows.ts';

/** What a process has seen of a destination since it last wrote. */
export type SeenDestination = Pick<ArchivedDestination, 'destination'> & Partial<ArchivedDestination>;

/** @param seen at least one */
export async function recordDestinations(tx: Tx, seen: readonly SeenDestination[]): Promise<void> {
  // In the order in which all lock them.
  const rows = seen.toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
  await tx.all(sql`
    INSERT INTO destinations (destination, last_delivered_at, last_failed_at, last_error)
    VALUES ${bulk(rows.map((row) => [row.destination, row.lastDeliveredAt, row.lastFailedAt, kept(row.lastError)]))}
    ON CONFLICT (destination) DO UPDATE SET
      last_delivered_at = coalesce(excluded.last_delivered_at, destinations.last_delivered_at),
      last_failed_at = coalesce(excluded.last_failed_at, destinations.last_failed_at),
      last_error = coalesce(excluded.last_error, destinations.last_error)`);
}
