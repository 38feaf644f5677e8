/** Overviews for people: dead letters by their cause, counts of open work, the store's size, refused bodies, destinations. */
import { statSync } from 'node:fs';
import sql, { bulk, type Sql } from 'sql-template-tag';
import { isSqlite, type Tx } from '../database.ts';
import type { ArchivedDestination, ArchivedRefusal, DeadLetters, PageRequest } from './archive.ts';
import { DOWN_AFTER_MS } from '../deliveries/failing.ts';
import { boundsOf } from './find-callbacks.ts';
import { EARLIER } from '../deliveries/rows.ts';

export function deadLetters(tx: Tx): Promise<readonly DeadLetters[]> {
  return tx.all<DeadLetters>(sql`
    SELECT destination, coalesce(error_class, '') AS error_class, coalesce(error_code, '') AS error_code,
      count(*) AS count, min(received_at) AS oldest_at, max(received_at) AS newest_at
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE state = 'dead' GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`);
}

const NOTHING_OPEN = { pending: 0, dead: 0, held: 0, oldestDueMs: 0 };

/** What Botbell should have attempted: it is behind nothing, and its destination is neither paused nor known to be in trouble. */
const IS_LEFT_LYING = sql`state = 'pending' AND owner IS NULL AND NOT EXISTS (${EARLIER})
  AND NOT EXISTS (SELECT 1 FROM incidents WHERE kind = 'destination' AND subject = deliveries.destination AND over_at IS NULL)`;

/** Counts what waits for Botbell and for people, each from an index of its own. held: what will be told. oldestDueMs: how long what waits for nothing has been due. */
export async function countOpen(tx: Tx) {
  const count = (rows: Sql) => sql`(SELECT count(*) FROM ${rows})`;
  const counts = await tx.first<typeof NOTHING_OPEN>(sql`SELECT
    ${count(sql`deliveries WHERE state = 'pending'`)} AS pending,
    ${count(sql`deliveries WHERE state = 'dead'`)} AS dead,
    ${count(sql`deliveries WHERE held_until IS NOT NULL`)}
      + ${count(sql`deliveries WHERE summary_id IS NOT NULL AND state = 'held' AND EXISTS (
        SELECT 1 FROM deliveries AS summary WHERE summary.callback_id = deliveries.summary_id AND summary.state = 'pending')`)} AS held,
    coalesce((SELECT ${tx.now} - min(due_at) FROM deliveries WHERE due_at <= ${tx.now} AND ${IS_LEFT_LYING} AND NOT EXISTS (
      SELECT 1 FROM paces WHERE key IN (destination, channel) AND paused_until > ${tx.now})), 0) AS oldest_due_ms`);
  return counts ?? NOTHING_OPEN;
}

const SQLITE_BYTES = sql`
  SELECT (page_count - freelist_count) * page_size AS bytes, file
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size, pragma_database_list WHERE name = 'main'`;

const POSTGRES_BYTES = sql`
  SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('callbacks'))`;

/** On SQLite, pages in use and log. */
export async function storeBytes(tx: Tx): Promise<number> {
  const row = await tx.first<{ bytes: number; file?: string }>(isSqlite(tx) ? SQLITE_BYTES : POSTGRES_BYTES);
  const log = row?.file && statSync(`${row.file}-wal`, { throwIfNoEntry: false });
  return (row?.bytes ?? 0) + (log ? log.size : 0);
}

/** Few, since each may have 64 KiB. */
const REFUSALS_A_PAGE = 50;

export async function refusals(tx: Tx, page: PageRequest = {}) {
  const { before, limit } = boundsOf(page);
  const most = Math.min(limit, REFUSALS_A_PAGE);
  const items = await tx.all<ArchivedRefusal>(sql`
    SELECT id, received_at, status, detail, errors, remote_address AS "from", body FROM refused
    WHERE id < ${before} ORDER BY id DESC LIMIT ${most}`);
  return { items, next: items.length < most ? undefined : items.at(-1)?.id };
}

/** These destinations, in the order of `names`, of which a database takes some ten thousand. */
export async function destinationsNamed(tx: Tx, names: readonly string[]) {
  if (names.length === 0) return [];
  const rows = await tx.all<ArchivedDestination>(sql`
    WITH sought(destination) AS (VALUES ${bulk(names.map((name) => [name]))})
    SELECT sought.destination, last_delivered_at, last_failed_at, last_error,
      CASE WHEN failing_at - failing_since >= ${DOWN_AFTER_MS} THEN failing_since END AS down_since
    FROM sought LEFT JOIN destinations ON destinations.destination = sought.destination`);
  const byName = new Map(rows.map((row) => [row.destination, row]));
  return names.flatMap((name) => byName.get(name) ?? []);
}
