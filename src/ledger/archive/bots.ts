/** Reads BOTs: the last success and failure of each, and last runs. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import { cleanText } from '../../text/clean.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../callbacks/keys.ts';
import { EXECUTING } from '../deliveries/rows.ts';
import type { ArchivedBot, CameOfBot, Run } from './archive.ts';

/** A condition: rows of `callbacks` of a BOT. @param botId as callbacks name it, or as the archive does */
export function isOfBot(botId: string): Sql {
  return sql`bot_key IN (${join(keysFor(botId))})`;
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

/** Skips from BOT to BOT through the index, without reading all callbacks of one. */
const EACH_BOT = sql`
  WITH RECURSIVE each_bot(bot_key) AS (
    SELECT min(bot_key) FROM callbacks WHERE kind = 'callback'
    UNION ALL
    SELECT (SELECT min(bot_key) FROM callbacks WHERE kind = 'callback' AND callbacks.bot_key > each_bot.bot_key)
    FROM each_bot WHERE each_bot.bot_key IS NOT NULL
  )
  SELECT bot_key AS key FROM each_bot WHERE bot_key IS NOT NULL`;

/** BOTs in the order of their ids. @param after the last id of the previous page */
export function botsAfter(tx: Tx, after: string, most: number): Promise<readonly ArchivedBot[]> {
  return botsAmong(tx, EACH_BOT, sql`bot_key > ${cleanText(after)}`, most);
}

/** @param botId as callbacks name it, or as the archive does */
export async function botNamed(tx: Tx, botId: string): Promise<ArchivedBot | undefined> {
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

/** Each BOT's last runs, at most `most`; each has a callback when it begins and one when it ends. */
export async function lastRuns(tx: Tx, bots: readonly Pick<ArchivedBot, 'botId'>[], most: number) {
  const runs = new Map<string, readonly Run[]>();
  for (const { botId } of bots) {
    const callbacks = await tx.all<Run>(sql`
      SELECT id AS callback_id, job_id, status, started_at, received_at, elapsed AS elapsed_seconds, error AS gist
      FROM callbacks WHERE bot_key = ${botId} AND kind = 'callback' ORDER BY id DESC LIMIT ${2 * most}`);
    runs.set(botId, runsIn(callbacks).slice(0, most));
  }
  return runs;
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
