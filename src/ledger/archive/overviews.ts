/** Overviews for people, each of them a read of the archive by its own name: dead letters by their cause, counts of open work, the store's size, refused bodies, destinations, BOTs. */
import { statSync } from 'node:fs';
import sql, { bulk, type Sql } from 'sql-template-tag';
import { distinctValues, isAnyLike, isSqlite, onlyRow, type Tx } from '../database.ts';
import type {
  ArchivedBot,
  ArchivedDestination,
  ArchivedRefusal,
  CameOfBot,
  DeadLetters,
  PageRequest,
  Run,
} from './archive.ts';
import { DOWN_AFTER_MS, isPaused, PACED_PLACE } from '../deliveries/failing.ts';
import { boundsOf, isOfBot, pageOf } from './stories.ts';
import { EARLIER, EXECUTING, isSummaryPending } from '../deliveries/rows.ts';
import { channelOf } from '../ledger.ts';
import type { StatusCode } from '../../callback/callback.ts';
import { cleanText } from '../../text/clean.ts';

export function deadLetters(tx: Tx): Promise<readonly DeadLetters[]> {
  return tx.all<DeadLetters>(sql`
    SELECT grouped.*, last_error FROM (
      SELECT destination, coalesce(error_class, '') AS error_class, coalesce(error_code, '') AS error_code,
        count(*) AS count, min(received_at) AS oldest_at, max(received_at) AS newest_at, max(deliveries.id) AS last_id
      FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
      WHERE state = 'dead' GROUP BY 1, 2, 3) AS grouped JOIN deliveries ON deliveries.id = last_id
    ORDER BY 4 DESC, 1, 2, 3`);
}

type Open = Record<'pending' | 'dead' | 'held' | 'paused' | 'oldestDueMs', number>;

/** A delivery that, once due, only a pause may keep waiting: nothing is ahead of it, and its destination is not known to be in trouble. */
const IS_READY = sql`state = 'pending' AND owner IS NULL AND NOT EXISTS (${EARLIER})
  AND NOT EXISTS (SELECT 1 FROM incidents WHERE kind = 'destination' AND subject = deliveries.destination AND over_at IS NULL)`;

/** Counts what waits for Botbell and for people, each from an index of its own. held: deliveries to be told later. paused: destinations and channels. oldestDueMs: how long the oldest ready delivery has been due. */
export async function countOpen(tx: Tx) {
  const count = (rows: Sql) => sql`(SELECT count(*) FROM ${rows})`;
  const counts = await tx.all<Open>(sql`SELECT
    ${count(sql`deliveries WHERE state = 'pending'`)} AS pending,
    ${count(sql`deliveries WHERE state = 'dead'`)} AS dead,
    ${count(sql`deliveries WHERE held_until IS NOT NULL`)}
      + ${count(sql`deliveries WHERE summary_id IS NOT NULL AND state = 'held' AND ${isSummaryPending('deliveries')}`)} AS held,
    (SELECT count(DISTINCT ${PACED_PLACE}) FROM paces WHERE ${isPaused(tx)}) AS paused,
    coalesce((SELECT ${tx.now} - min(due_at) FROM deliveries WHERE due_at <= ${tx.now} AND ${IS_READY} AND NOT EXISTS (
      SELECT 1 FROM (SELECT ${PACED_PLACE} AS place FROM paces WHERE ${isPaused(tx)}) AS paused
      WHERE place = destination OR place || ':' = substr(destination, 1, length(place) + 1))), 0) AS oldest_due_ms`);
  return onlyRow(counts);
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

export async function refusals(tx: Tx, page: PageRequest = {}) {
  const { before, limit } = boundsOf(page);
  const rows = await tx.all<ArchivedRefusal>(sql`
    SELECT id, received_at, status, detail, errors, remote_address AS "from", body FROM refused
    WHERE id < ${before} ORDER BY id DESC LIMIT ${limit + 1}`);
  return pageOf(rows, limit);
}

/** These destinations, in the order of `names`, of which a database takes some ten thousand. */
export async function destinations(tx: Tx, names: readonly string[]) {
  if (names.length === 0) return [];
  const rows = await tx.all<ArchivedDestination>(sql`
    WITH sought(destination, channel) AS (VALUES ${bulk(names.map((name) => [name, channelOf(name)]))}),
      waiting AS (SELECT destination, count(*) AS count, min(callback_id) AS oldest FROM deliveries
        WHERE state = 'pending' AND destination IN (SELECT destination FROM sought) GROUP BY destination)
    SELECT sought.destination, last_delivered_at, last_failed_at, last_error, coalesce(count, 0) AS waiting,
      (SELECT received_at FROM callbacks WHERE id = oldest) AS waiting_since,
      (SELECT max(paused_until) - ${tx.now} FROM paces WHERE ${PACED_PLACE} IN (sought.destination, channel) AND ${isPaused(tx)}) AS paused_ms,
      CASE WHEN failing_at - failing_since >= ${DOWN_AFTER_MS} THEN failing_since END AS down_since
    FROM sought LEFT JOIN destinations ON destinations.destination = sought.destination
      LEFT JOIN waiting ON waiting.destination = sought.destination`);
  const byName = new Map(rows.map((row) => [row.destination, row]));
  return names.flatMap((name) => byName.get(name) ?? []);
}

/** @param keys a query of `bot_key` AS `key`. @param condition on the BOT's last row of `callbacks` */
async function botsAmong(tx: Tx, keys: Sql, condition: Sql, most: number): Promise<readonly ArchivedBot[]> {
  const lastAt = (status: StatusCode) => sql`(
    SELECT received_at FROM callbacks AS own
    WHERE kind = 'callback' AND own.bot_key = bots.key AND own.status = ${status} ORDER BY id DESC LIMIT 1)`;
  const rows = await tx.all<Omit<ArchivedBot, 'lastResultAt'>>(sql`
    SELECT last.bot_key AS bot_id, last.bot_name, last.id AS last_callback_id, last.received_at AS last_received_at,
      ${lastAt(0)} AS last_succeeded_at, ${lastAt(1)} AS last_failed_at
    FROM (${keys}) AS bots JOIN callbacks AS last ON last.id = (
      SELECT max(id) FROM callbacks AS own WHERE kind = 'callback' AND own.bot_key = bots.key)
    WHERE ${condition} ORDER BY last.bot_key LIMIT ${most}`);
  return rows.map((row) => {
    const { lastSucceededAt = 0, lastFailedAt = 0 } = row;
    const lastResultAt = Math.max(lastSucceededAt, lastFailedAt) || undefined;
    return { ...row, lastResultAt };
  });
}

const EACH_BOT = distinctValues(sql`bot_key`, sql`callbacks WHERE kind = 'callback'`);

/** BOTs in the order of their ids. @param after the last id of the previous page; left out, from the first one on, whose id may be '' @param search as that of callbacks, of their ids and last names */
export function bots(
  tx: Tx,
  after: string | undefined,
  most: number,
  search = '',
): Promise<readonly ArchivedBot[]> {
  const isBehind = after === undefined ? sql`1 = 1` : sql`last.bot_key > ${cleanText(after)}`;
  const isFound = isAnyLike(tx, [sql`last.bot_key`, sql`last.bot_name`], cleanText(search).trim());
  return botsAmong(tx, EACH_BOT, sql`${isBehind} AND ${isFound}`, most);
}

/** @param botId as callbacks name it, or as the archive does */
export async function bot(tx: Tx, botId: string): Promise<ArchivedBot | undefined> {
  const keys = sql`SELECT DISTINCT bot_key AS key FROM callbacks WHERE kind = 'callback' AND ${isOfBot(botId)}`;
  return (await botsAmong(tx, keys, sql`1 = 1`, 1))[0];
}

const MOST_COUNTED = 100_000;

/** Counts callbacks since then by BOT and status. isComplete: not limited by `MOST_COUNTED`. */
export async function cameSince(tx: Tx, since: number) {
  const came = await tx.all<CameOfBot>(sql`
    SELECT bot_key AS bot_id, status, count(*) AS callbacks FROM (
      SELECT bot_key, status, received_at FROM callbacks
      WHERE id > 0 AND kind = 'callback' ORDER BY id DESC LIMIT ${MOST_COUNTED}
    ) AS newest WHERE received_at >= ${since}
    GROUP BY bot_key, status ORDER BY bot_key, status`);
  return { came, isComplete: came.reduce((sum, { callbacks }) => sum + callbacks, 0) < MOST_COUNTED };
}

/** Each BOT's last runs, at most `most`, the one that started last first; each has a callback when it begins and one when it ends. */
export async function lastRuns(tx: Tx, of: readonly Pick<ArchivedBot, 'botId'>[], most: number) {
  const runs = new Map<string, readonly Run[]>();
  for (const { botId } of of) {
    const callbacks = await tx.all<Run>(sql`
      SELECT id AS callback_id, job_id, status, started_at, received_at, elapsed AS elapsed_seconds, error AS gist
      FROM callbacks WHERE bot_key = ${botId} AND kind = 'callback' ORDER BY id DESC LIMIT ${2 * most}`);
    runs.set(botId, runsIn(callbacks).slice(0, most).toSorted(byStart));
  }
  return runs;
}

/** A run started when its callback was received at the latest, whatever the callback says. */
function byStart(a: Run, b: Run): number {
  const [first, second] = [a, b].map(({ startedAt, receivedAt }) => Math.min(startedAt, receivedAt));
  return (second ?? 0) - (first ?? 0);
}

function runsIn(callbacks: readonly Run[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const run of callbacks) {
    const known = runs.get(run.jobId);
    if (known === undefined || (known.status === EXECUTING && run.status !== EXECUTING))
      runs.set(run.jobId, run);
  }
  return [...runs.values()];
}
