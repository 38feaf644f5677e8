/** How destinations stand, and which configs have been in force. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { isPending } from '../pending-rows.ts';
import { errorIn } from '../rows.ts';
import type { DestinationRow, Tables } from '../tables.ts';
import type { ArchivedDestination, LoadedConfig } from './archive.ts';
import type { Ask } from './find-callbacks.ts';

const DESTINATIONS_AT_ONCE = 20;

/** Of one destination: more is "1,000 and more". */
const MOST_PENDING = 1000;

export async function destinationsNamed(
  ask: Ask,
  names: readonly string[],
): Promise<readonly ArchivedDestination[]> {
  const found: ArchivedDestination[] = [];
  for (let from = 0; from < names.length; from += DESTINATIONS_AT_ONCE) {
    const some = names.slice(from, from + DESTINATIONS_AT_ONCE);
    const rows = await ask((db) =>
      db.selectFrom('destinations').selectAll().where('destination', 'in', some).execute(),
    );
    const known = new Map(rows.map((row) => [row.destination, row]));
    const pending = await ask((db) => pendingOf(db, some));
    for (const name of some) found.push(standing(name, known.get(name), pending.get(name) ?? 0));
    await nextTurn();
  }
  return found;
}

function standing(
  destination: string,
  row: DestinationRow | undefined,
  pending: number,
): ArchivedDestination {
  return {
    destination,
    lastDeliveredAt: row?.last_delivered_at || undefined,
    lastFailedAt: row?.last_failed_at || undefined,
    lastError: row && errorIn(row),
    medianMs: row?.median_ms ?? undefined,
    slowMs: row?.slow_ms ?? undefined,
    pending: Math.min(pending, MOST_PENDING),
    isMorePending: pending > MOST_PENDING,
  };
}

/** Counted no further than needed, however much is pending. */
async function pendingOf(
  db: Kysely<Tables>,
  destinations: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const each = destinations.map(
    (destination) => sql`
      select cast(${destination} as text) as destination, (
        select count(*) from (
          select 1 from deliveries where ${isPending} and destination = ${destination} limit ${MOST_PENDING + 1}
        ) as counted
      ) as pending`,
  );
  const { rows } = await sql<{
    destination: string;
    pending: number;
  }>`${sql.join(each, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ destination, pending }) => [destination, pending]));
}

const MOST_CONFIGS = 100;

export async function configsLoaded(db: Kysely<Tables>): Promise<readonly LoadedConfig[]> {
  const rows = await db
    .selectFrom('loaded_configs')
    .select(['hash', 'loaded_at as loadedAt'])
    .orderBy('id', 'desc')
    .limit(MOST_CONFIGS)
    .execute();
  return rows;
}

/** @param at milliseconds since the epoch, by the store's clock */
export async function configHashAt(db: Kysely<Tables>, at: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('loaded_configs')
    .select('hash')
    .where('loaded_at', '<=', at)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.hash;
}
