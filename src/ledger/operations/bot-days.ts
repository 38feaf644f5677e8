/** What came of each BOT, also day by day: summed a minute behind, since rows are not committed in the order of their ids. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { dayIn } from '../keys.ts';
import { positionOf, writePosition } from './locks.ts';

/** Nobody's transaction takes so long. */
const BEHIND_MS = 60_000;

const AT_ONCE = 100;

/** When each BOT last came, and to what, among some callbacks. */
export function lastOfBots(callbacks: Sql): Sql {
  return sql`
    SELECT own.bot_key, newest.bot_name, last_callback_id, last_came_at AS last_received_at, last_succeeded_at, last_failed_at
    FROM (
      SELECT bot_key, max(id) AS last_callback_id, max(received_at) AS last_came_at,
        max(CASE WHEN status = 0 THEN received_at END) AS last_succeeded_at,
        max(CASE WHEN status = 1 THEN received_at END) AS last_failed_at
      FROM (${callbacks}) AS each_one GROUP BY bot_key
    ) AS own JOIN callbacks AS newest ON newest.id = last_callback_id`;
}

/** Columns of `bot_days`, of a BOT's callbacks. */
export const BOT_COUNTS = sql`count(CASE WHEN status = 0 THEN 1 END) AS succeeded,
  count(CASE WHEN status = 1 THEN 1 END) AS failed, count(CASE WHEN status = 2 THEN 1 END) AS started, 0 AS retries,
  coalesce(sum(CASE WHEN status <> 2 THEN elapsed END), 0) AS elapsed`;

/** @returns whether there is more */
export async function sumBotDays(tx: Tx, timezone: string): Promise<boolean> {
  const isMore = await sum(tx, CAME, timezone, tx.now - BEHIND_MS);
  return (await sum(tx, CAME_AGAIN, timezone, tx.now - BEHIND_MS)) || isMore;
}

/** On SQLite, where rows are committed in the order of their ids. @returns the id of the last callback that is counted */
export async function sumAtOnce(tx: Tx, timezone: string): Promise<number> {
  await sum(tx, CAME, timezone, Number.POSITIVE_INFINITY);
  return positionOf(tx, CAME.position);
}

interface Summed {
  /** Where it has come to. */
  readonly position: string;
  /** Ids of the next rows, and when they came. */
  readonly nextAfter: (id: number) => Sql;
  readonly countsOf: (ids: Sql) => Sql;
  readonly lastOf?: (ids: Sql) => Sql;
}

const callbacksAmong = (ids: Sql) => sql`SELECT * FROM callbacks WHERE kind = 'callback' AND id IN (${ids})`;

const CAME: Summed = {
  position: 'bot_days',
  nextAfter: (id) => sql`SELECT id, received_at AS at FROM callbacks WHERE id > ${id}`,
  countsOf: (ids) =>
    sql`SELECT bot_key, ${BOT_COUNTS} FROM (${callbacksAmong(ids)}) AS each_one GROUP BY bot_key`,
  lastOf: (ids) => lastOfBots(callbacksAmong(ids)),
};

const CAME_AGAIN: Summed = {
  position: 'bot_days_again',
  nextAfter: (id) => sql`SELECT id, at FROM history WHERE what = 'received' AND id > ${id}`,
  countsOf: (ids) => sql`
    SELECT bot_key, 0 AS succeeded, 0 AS failed, 0 AS started, count(*) AS retries, 0 AS elapsed
    FROM history JOIN callbacks ON callbacks.id = callback_id WHERE history.id IN (${ids}) GROUP BY bot_key`,
};

async function sum(
  tx: Tx,
  { position, nextAfter, countsOf, lastOf }: Summed,
  timezone: string,
  before: number,
): Promise<boolean> {
  const next = await tx.all<{ id: number; at: number }>(
    sql`${nextAfter(await positionOf(tx, position))} ORDER BY id LIMIT ${AT_ONCE}`,
  );
  // One that came, by a clock that was wrong, in the future stands in nobody's way.
  const young = next.findIndex(({ at }) => at > before && at <= tx.now + BEHIND_MS);
  const rows = young === -1 ? next : next.slice(0, young);
  const last = rows.at(-1);
  if (last === undefined) return false;
  const dayOf = dayIn(() => timezone);
  for (const day of new Set(rows.map(({ at }) => dayOf(at)))) {
    const ids = rows.filter(({ at }) => dayOf(at) === day).map(({ id }) => id);
    await addCounts(tx, day, countsOf(join(ids)));
  }
  if (lastOf !== undefined) await writeLast(tx, lastOf(join(rows.map(({ id }) => id))));
  await writePosition(tx, position, last.id);
  return rows.length === AT_ONCE;
}

// Without a condition, SQLite would take ON CONFLICT for that of a join (sqlite.org/lang_upsert.html, "Parsing Ambiguity").
async function addCounts(tx: Tx, day: string, counts: Sql): Promise<void> {
  await tx.all(sql`
    INSERT INTO bot_days (bot_key, day, succeeded, failed, started, retries, elapsed)
    SELECT bot_key, CAST(${day} AS TEXT), succeeded, failed, started, retries, elapsed FROM (${counts}) AS counts WHERE true
    ON CONFLICT (bot_key, day) DO UPDATE SET succeeded = bot_days.succeeded + excluded.succeeded,
      failed = bot_days.failed + excluded.failed, started = bot_days.started + excluded.started,
      retries = bot_days.retries + excluded.retries, elapsed = bot_days.elapsed + excluded.elapsed`);
}

async function writeLast(tx: Tx, last: Sql): Promise<void> {
  await tx.all(sql`
    INSERT INTO bots (bot_key, bot_name, last_callback_id, last_received_at, last_succeeded_at, last_failed_at)
    SELECT * FROM (${last}) AS last WHERE true
    ON CONFLICT (bot_key) DO UPDATE SET bot_name = excluded.bot_name, last_callback_id = excluded.last_callback_id,
      last_received_at = excluded.last_received_at,
      last_succeeded_at = coalesce(excluded.last_succeeded_at, bots.last_succeeded_at),
      last_failed_at = coalesce(excluded.last_failed_at, bots.last_failed_at)`);
}
