/** How BOTs do: what came of each last, and its last runs. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import { cleanText } from '../../text/clean.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../keys.ts';
import { EXECUTING } from '../rows.ts';
import type { ArchivedBot, CameOfBot, LateBot, Run } from './archive.ts';

/** Rows of `callbacks` of a BOT. @param botId as callbacks name it, or as the archive does */
export function isOfBot(botId: string): Sql {
  return sql`bot_key IN (${join(keysFor(botId))})`;
}

type BotRow = Omit<ArchivedBot, 'lastResultAt' | 'isFailing'>;

/** @param keys `key`: the `bot_key` of each. @param condition on a row of `callbacks`, the last one of a BOT */
async function botsAmong(tx: Tx, keys: Sql, condition: Sql, most: number): Promise<readonly ArchivedBot[]> {
  const lastAt = (status: StatusCode) => sql`(
    SELECT received_at FROM callbacks AS own
    WHERE kind = 'callback' AND own.bot_key = bots.key AND own.status = ${status} ORDER BY id DESC LIMIT 1)`;
  const rows = await tx.all<BotRow>(sql`
    SELECT last.bot_key AS bot_id, last.bot_name, last.id AS last_callback_id, last.received_at AS last_received_at,
      ${lastAt(0)} AS last_succeeded_at, ${lastAt(1)} AS last_failed_at
    FROM (${keys}) AS bots JOIN callbacks AS last ON last.id = (
      SELECT max(id) FROM callbacks AS own WHERE kind = 'callback' AND own.bot_key = bots.key)
    WHERE ${condition} ORDER BY last.bot_key LIMIT ${most}`);
  return rows.map((row) => {
    const [succeededAt, failedAt] = [row.lastSucceededAt ?? 0, row.lastFailedAt ?? 0];
    return {
      ...row,
      lastResultAt: Math.max(succeededAt, failedAt) || undefined,
      isFailing: failedAt > succeededAt,
    };
  });
}

/** From one to the next by the index: what came of one of them is not gone through. */
const EACH_BOT = sql`
  WITH RECURSIVE each_bot(bot_key) AS (
    SELECT min(bot_key) FROM callbacks WHERE kind = 'callback'
    UNION ALL
    SELECT (SELECT min(bot_key) FROM callbacks WHERE kind = 'callback' AND callbacks.bot_key > each_bot.bot_key)
    FROM each_bot WHERE each_bot.bot_key IS NOT NULL
  )
  SELECT bot_key AS key FROM each_bot WHERE bot_key IS NOT NULL`;

/** In the order of their ids. @param after the id of the last one of the page before */
export function botsAfter(tx: Tx, after: string, most: number): Promise<readonly ArchivedBot[]> {
  return botsAmong(tx, EACH_BOT, sql`bot_key > ${cleanText(after)}`, most);
}

/** @param botId as a callback, or as the archive names it */
export async function botNamed(tx: Tx, botId: string): Promise<ArchivedBot | undefined> {
  const keys = sql`SELECT DISTINCT bot_key AS key FROM callbacks WHERE kind = 'callback' AND ${isOfBot(botId)}`;
  return (await botsAmong(tx, keys, sql`1 = 1`, 1))[0];
}

/** No more are looked for. */
const MOST_LATE = 1000;

/** The one that was told last first, each once for each time it was told. */
export function lateBots(tx: Tx): Promise<readonly LateBot[]> {
  return tx.all<LateBot>(sql`
    SELECT bot_key AS bot_id, bot_name, kind, id AS notice_id, received_at AS told_at FROM callbacks AS own
    WHERE kind <> 'callback' AND kind IN ('missed', 'overdue') AND (
      SELECT id FROM callbacks AS result
      WHERE kind = 'callback' AND result.bot_key = own.bot_key AND result.id > own.id AND result.status <> ${EXECUTING}
      ORDER BY id LIMIT 1) IS NULL
    ORDER BY id DESC LIMIT ${MOST_LATE}`);
}

/** No more are counted, the newest. */
const MOST_COUNTED = 100_000;

/** How many came of each BOT and status since then. */
export async function cameSince(
  tx: Tx,
  since: number,
): Promise<{ readonly came: readonly CameOfBot[]; readonly isComplete: boolean }> {
  const newest = await tx.first<{ id: number | undefined }>(sql`SELECT max(id) AS id FROM callbacks`);
  const lowest = (newest?.id ?? 0) - MOST_COUNTED;
  const came = await tx.all<CameOfBot>(sql`
    SELECT bot_key AS bot_id, status, count(*) AS callbacks FROM callbacks
    WHERE id > ${lowest} AND kind = 'callback' AND received_at >= ${since}
    GROUP BY bot_key, status ORDER BY bot_key, status`);
  const before = await tx.first<{ receivedAt: number }>(
    sql`SELECT received_at FROM callbacks WHERE id <= ${lowest} ORDER BY id DESC LIMIT 1`,
  );
  return { came, isComplete: before === undefined || before.receivedAt < since };
}

/** Each run has a callback when it begins and one when it ends. */
const CALLBACKS_A_RUN = 2;
const MOST_BOTS = 200;

type RunRow = Run & { readonly botKey: string };

/** The newest first. */
function callbacksOf(botKey: string, limit: number): Sql {
  return sql`
    SELECT id AS callback_id, bot_key, job_id, status, started_at, received_at, elapsed AS elapsed_seconds
    FROM callbacks WHERE bot_key = ${botKey} AND kind = 'callback' ORDER BY id DESC LIMIT ${limit}`;
}

/** Of each the last ones, at most so many. @param bots at most 200 */
export async function lastRuns(
  tx: Tx,
  bots: readonly Pick<ArchivedBot, 'botId'>[],
  most: number,
): Promise<ReadonlyMap<string, readonly Run[]>> {
  const keys = bots.slice(0, MOST_BOTS).map(({ botId }) => botId);
  if (keys.length === 0) return new Map();
  const each = keys.map((key) => sql`SELECT * FROM (${callbacksOf(key, most * CALLBACKS_A_RUN)}) AS own`);
  const rows = await tx.all<RunRow>(join(each, ' UNION ALL '));
  const byBot = new Map(keys.map((key): [string, RunRow[]] => [key, []]));
  for (const row of rows) byBot.get(row.botKey)?.push(row);
  return new Map([...byBot].map(([key, own]) => [key, runsIn(own).slice(0, most)]));
}

/** Of each job its result, else its beginning; the one that came last first. */
function runsIn(callbacks: readonly RunRow[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { botKey: _botKey, ...run } of callbacks) {
    const known = runs.get(run.jobId);
    if (known !== undefined && (known.status !== EXECUTING || run.status === EXECUTING)) continue;
    runs.set(run.jobId, run);
  }
  return [...runs.values()];
}
