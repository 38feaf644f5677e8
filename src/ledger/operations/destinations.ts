/** How each destination did last: written every few seconds by whoever sends, since a write for each message would cost more than it tells. */
import sql, { bulk, raw, type RawValue } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { DestinationFigures } from '../ledger.ts';
import { kept } from '../rows.ts';

const UPDATED = raw(
  [
    later('last_delivered_at', 'last_delivered_at'),
    later('last_failed_at', 'last_failed_at'),
    later('last_error', 'last_failed_at'),
  ].join(', '),
);

function later(name: string, by: string): string {
  return `${name} = CASE WHEN excluded.${by} > destinations.${by} THEN excluded.${name} ELSE destinations.${name} END`;
}

/** @param figures at least one */
export async function recordDestinations(tx: Tx, figures: readonly DestinationFigures[]): Promise<void> {
  // In the order in which all lock them.
  const rows = figures.toSorted((a, b) => (a.destination < b.destination ? -1 : 1)).map(valuesOf);
  await tx.all(sql`
    INSERT INTO destinations (destination, last_delivered_at, last_failed_at, last_error) VALUES ${bulk(rows)}
    ON CONFLICT (destination) DO UPDATE SET ${UPDATED}`);
}

function valuesOf({ destination, lastDeliveredAt, lastFailedAt, lastError }: DestinationFigures): RawValue[] {
  return [destination, lastDeliveredAt, lastFailedAt, kept(lastError)];
}
