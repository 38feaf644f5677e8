/** How each destination did last: written every few seconds by whoever sends, since a write for each message would cost more than it tells. */
import sql, { bulk, raw, type RawValue } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { DestinationFigures } from '../ledger.ts';
import { keptError } from '../rows.ts';

const AT_ONCE = 500;

const COLUMNS = 'destination, last_delivered_at, last_failed_at, last_error';

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

export async function recordDestinations(tx: Tx, figures: readonly DestinationFigures[]): Promise<void> {
  // In the order in which all lock them.
  const rows = figures.toSorted((a, b) => (a.destination < b.destination ? -1 : 1)).map(valuesOf);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await tx.all(sql`
      INSERT INTO destinations (${raw(COLUMNS)}) VALUES ${bulk(rows.slice(from, from + AT_ONCE))}
      ON CONFLICT (destination) DO UPDATE SET ${UPDATED}`);
  }
}

function valuesOf({ lastError, ...figures }: DestinationFigures): RawValue[] {
  return [
    figures.destination,
    figures.lastDeliveredAt,
    figures.lastFailedAt,
    lastError && keptError(lastError),
  ];
}
