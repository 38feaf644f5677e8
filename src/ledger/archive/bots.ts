/** How BOTs do: as their days are summed, and what came since, so that a failure is seen at once. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../keys.ts';
import { BOT_COUNTS, lastOfBots } from '../operations/bot-days.ts';
import type { ArchivedBot, ArchivedDay, BotStanding, Counts } from './archive.ts';
import { isOfBot } from './named.ts';

const BOTS_A_PAGE = 50;
const MOST_BOTS = 10_000;

/** Of a minute, at most so many; what is more is summed soon. */
const FRESH = sql`
  SELECT id, bot_key, status, received_at, elapsed FROM callbacks
  WHERE kind = 'callback' AND id > coalesce((SELECT value FROM counters WHERE name = 'bot_days'), 0) ORDER BY id LIMIT 5000`;

interface BotRow {
  readonly botId: string;
  readonly botName: string;
  readonly lastCallbackId: number;
  readonly lastReceivedAt: number;
  readonly lastSucceededAt: number | null;
  readonly lastFailedAt: number | null;
}

/** In the order of their ids. */
function botsWhere(tx: Tx, condition: Sql, most: number): Promise<BotRow[]> {
  const columns = ['bot_name', 'last_callback_id', 'last_received_at', 'last_succeeded_at', 'last_failed_at'];
  const latest = columns.map((name) => raw(`coalesce(fresh.${name}, bots.${name}) AS ${name}`));
  return tx.all<BotRow>(sql`
    SELECT bot_key AS "botId", bot_name AS "botName", last_callback_id AS "lastCallbackId",
      last_received_at AS "lastReceivedAt", last_succeeded_at AS "lastSucceededAt", last_failed_at AS "lastFailedAt"
    FROM (
      SELECT coalesce(fresh.bot_key, bots.bot_key) AS bot_key, ${join(latest)}
      FROM bots FULL JOIN (${lastOfBots(FRESH)}) AS fresh ON fresh.bot_key = bots.bot_key
    ) AS every_bot WHERE ${condition} ORDER BY bot_key LIMIT ${most}`);
}

/** @param condition on `bot_key` and `bot_name` */
export async function botKeysWhere(tx: Tx, condition: Sql, most: number): Promise<readonly string[]> {
  return (await botsWhere(tx, condition, most)).map(({ botId }) => botId);
}

/**
 * At most 50, in the order of their ids.
 * @param since a day, `2026-01-31`, from which on they are counted
 * @param after the id of the last one of the page before
 */
export async function botsAfter(tx: Tx, since: string, after = ''): Promise<readonly ArchivedBot[]> {
  return withCounts(tx, await botsWhere(tx, sql`bot_key > ${cleanText(after)}`, BOTS_A_PAGE), since);
}

/** @param botId as a callback, or as the archive names it */
export async function botNamed(tx: Tx, botId: string, since: string): Promise<ArchivedBot | undefined> {
  return (await withCounts(tx, await botsWhere(tx, isOfBot(botId), 1), since))[0];
}

async function withCounts(tx: Tx, rows: readonly BotRow[], since: string): Promise<readonly ArchivedBot[]> {
  const ids = rows.map(({ botId }) => botId);
  const counts = await countsOf(tx, ids, since);
  return rows.map(({ lastSucceededAt, lastFailedAt, ...row }) => ({
    ...row,
    lastSucceededAt: lastSucceededAt ?? undefined,
    lastFailedAt: lastFailedAt ?? undefined,
    counts: counts.get(row.botId) ?? NOTHING,
  }));
}

const NOTHING: Counts = { succeeded: 0, failed: 0, started: 0, retries: 0, elapsedSeconds: 0 };

/** In the order of their ids; at most 10,000. */
export async function everyBot(
  tx: Tx,
): Promise<{ readonly bots: readonly BotStanding[]; readonly isComplete: boolean }> {
  const rows = await botsWhere(tx, sql`bot_key <> ''`, MOST_BOTS + 1);
  return { bots: rows.slice(0, MOST_BOTS).map(standingIn), isComplete: rows.length <= MOST_BOTS };
}

function standingIn({ lastSucceededAt, lastFailedAt, ...bot }: BotRow): BotStanding {
  const [succeededAt, failedAt] = [lastSucceededAt ?? 0, lastFailedAt ?? 0];
  return {
    ...bot,
    lastResultAt: Math.max(succeededAt, failedAt) || undefined,
    isFailing: failedAt > succeededAt,
  };
}

const SUMS = sql`CAST(sum(succeeded) AS BIGINT) AS succeeded, CAST(sum(failed) AS BIGINT) AS failed,
  CAST(sum(started) AS BIGINT) AS started, CAST(sum(retries) AS BIGINT) AS retries,
  CAST(sum(elapsed) AS DOUBLE PRECISION) AS "elapsedSeconds"`;

/** What came of each since that day; without those of which nothing came. */
export async function countsOf(
  tx: Tx,
  botIds: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, Counts>> {
  if (botIds.length === 0) return new Map();
  const rows = await tx.all<Counts & { readonly bot_key: string }>(sql`
    SELECT bot_key, ${SUMS} FROM (
      SELECT bot_key, succeeded, failed, started, retries, elapsed FROM bot_days
      WHERE bot_key IN (${join(botIds)}) AND day >= ${since}
      UNION ALL
      SELECT bot_key, ${BOT_COUNTS} FROM (${FRESH}) AS fresh WHERE bot_key IN (${join(botIds)}) GROUP BY bot_key
    ) AS counted GROUP BY bot_key`);
  return new Map(rows.map(({ bot_key, ...counts }) => [bot_key, counts]));
}

/** Only days on which something came. @param botId undefined: all together */
export async function daysSince(tx: Tx, since: string, botId?: string): Promise<readonly ArchivedDay[]> {
  const ofBot = botId === undefined ? sql`` : sql`AND bot_key IN (${join(keysFor(botId))})`;
  return tx.all<ArchivedDay>(
    sql`SELECT day, ${SUMS} FROM bot_days WHERE day >= ${since} ${ofBot} GROUP BY day ORDER BY day`,
  );
}
