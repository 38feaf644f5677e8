/** How BOTs do: each by its days, its last runs, and what its errors said. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import { cleanText } from '../../text/clean.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../keys.ts';
import { freshBots, freshStanding, NO_COUNTS, onlyFresh, withFresh, withFreshCounts } from './fresh-bots.ts';
import type { ArchivedBot, ArchivedDay, BotStanding, Counts, FailedRun, Run, Runs } from './archive.ts';

/** Of each, all days are looked at. */
const BOTS_A_PAGE = 50;
const MOST_BOTS = 10_000;

/** Of one BOT, over weeks. */
const MOST_CALLBACKS = 2000;

/** Each run has a callback when it begins and one when it ends. */
const CALLBACKS_A_RUN = 2;
const MOST_BOTS_WITH_RUNS = 200;

const MOST_ERRORS = 100;

/** As it came: what is larger takes long to parse, and none of these is deflated. */
const LARGEST_READ_BYTES = 8192;

const EXECUTING = 2;

/** From BOT to BOT by the key of their days. @param after a key, or '' */
function keysAfter(after: string, most: number): Sql {
  return sql`WITH RECURSIVE each_bot (bot_key, place) AS (
    SELECT min(bot_key), 1 FROM bot_days WHERE bot_key > ${after}
    UNION ALL
    SELECT (SELECT min(bot_key) FROM bot_days WHERE bot_days.bot_key > each_bot.bot_key), place + 1
    FROM each_bot WHERE each_bot.bot_key IS NOT NULL AND place < ${most}
  )`;
}

function sums(of: (column: Sql) => Sql): Sql {
  const columns = ['succeeded', 'failed', 'started', 'retries'].map(
    (column) => sql`CAST(${of(raw(column))} AS BIGINT) AS ${raw(column)}`,
  );
  return sql`${join(columns)}, CAST(${of(raw('elapsed'))} AS DOUBLE PRECISION) AS "elapsedSeconds"`;
}

export async function botsAfter(
  tx: Tx,
  { since, after }: { readonly since: string; readonly after: string },
): Promise<readonly ArchivedBot[]> {
  const rows = await tx.all<{ readonly bot_key: string }>(
    sql`${keysAfter(cleanText(after), BOTS_A_PAGE)} SELECT bot_key FROM each_bot WHERE bot_key IS NOT NULL`,
  );
  const fresh = await freshBots(tx);
  const others = [...fresh.keys()].filter((key) => key > cleanText(after));
  const keys = [...new Set([...rows.map(({ bot_key }) => bot_key), ...others])].toSorted();
  const page = keys.slice(0, BOTS_A_PAGE);
  const summed = new Map((await botsWith(tx, page, since)).map((bot) => [bot.botId, bot]));
  return page.flatMap((key) => {
    const young = fresh.get(key);
    return summed.get(key) ?? (young === undefined ? [] : onlyFresh(young));
  });
}

export async function botNamed(
  tx: Tx,
  { botId, since }: { readonly botId: string; readonly since: string },
): Promise<ArchivedBot | undefined> {
  const keys = keysFor(botId);
  const [summed] = await botsWith(tx, keys, since);
  if (summed !== undefined) return summed;
  const fresh = await freshBots(tx);
  const [found] = keys.flatMap((key) => fresh.get(key) ?? []);
  return found && onlyFresh(found);
}

type BotRow = Omit<ArchivedBot, 'counts'> & Counts;

async function botsWith(tx: Tx, keys: readonly string[], since: string): Promise<readonly ArchivedBot[]> {
  if (keys.length === 0) return [];
  const rows = await tx.all<BotRow>(sql`
    SELECT bot_key AS "botId", (
        SELECT newest.bot_name FROM bot_days AS newest WHERE newest.bot_key = bot_days.bot_key ORDER BY day DESC LIMIT 1
      ) AS "botName", max(last_callback_id) AS "lastCallbackId", max(last_received_at) AS "lastReceivedAt",
      max(last_succeeded_at) AS "lastSucceededAt", max(last_failed_at) AS "lastFailedAt",
      ${sums((column) => sql`sum(CASE WHEN day >= ${since} THEN ${column} ELSE 0 END)`)}
    FROM bot_days WHERE bot_key IN (${join(keys)}) GROUP BY bot_key ORDER BY bot_key`);
  const fresh = await freshBots(tx);
  return rows.map((row) => withFresh(botIn(row), fresh.get(row.botId)));
}

function botIn({ succeeded, failed, started, retries, elapsedSeconds, ...bot }: BotRow): ArchivedBot {
  return {
    ...bot,
    lastReceivedAt: bot.lastReceivedAt || undefined,
    lastSucceededAt: bot.lastSucceededAt || undefined,
    lastFailedAt: bot.lastFailedAt || undefined,
    counts: { succeeded, failed, started, retries, elapsedSeconds },
  };
}

interface StandingRow {
  readonly bot_key: string;
  readonly bot_name: string;
  readonly last_callback_id: number;
  readonly last_received_at: number;
  readonly last_succeeded_at: number | null;
  readonly last_failed_at: number | null;
}

/** Of each its newest day, and the newest one with a result. */
export async function everyBot(
  tx: Tx,
): Promise<{ readonly bots: readonly BotStanding[]; readonly isComplete: boolean }> {
  const rows = await tx.all<StandingRow>(sql`
    ${keysAfter('', MOST_BOTS + 1)}
    SELECT each_bot.bot_key, newest.bot_name, newest.last_callback_id, newest.last_received_at,
      result.last_succeeded_at, result.last_failed_at
    FROM each_bot
    JOIN bot_days AS newest ON newest.bot_key = each_bot.bot_key AND newest.day = (
      SELECT day FROM bot_days WHERE bot_key = each_bot.bot_key ORDER BY day DESC LIMIT 1
    )
    LEFT JOIN bot_days AS result ON result.bot_key = each_bot.bot_key AND result.day = (
      SELECT day FROM bot_days WHERE bot_key = each_bot.bot_key AND (succeeded > 0 OR failed > 0) ORDER BY day DESC LIMIT 1
    )
    ORDER BY each_bot.bot_key`);
  const bots = new Map(rows.slice(0, MOST_BOTS).map((row) => [row.bot_key, standingIn(row)]));
  for (const [key, fresh] of await freshBots(tx)) bots.set(key, freshStanding(fresh, bots.get(key)));
  const inOrder = [...bots.values()].toSorted((a, b) => (a.botId < b.botId ? -1 : 1));
  return { bots: inOrder, isComplete: rows.length <= MOST_BOTS };
}

function standingIn(row: StandingRow): BotStanding {
  const succeededAt = row.last_succeeded_at ?? 0;
  const failedAt = row.last_failed_at ?? 0;
  return {
    botId: row.bot_key,
    botName: row.bot_name,
    lastCallbackId: row.last_callback_id,
    lastReceivedAt: row.last_received_at || undefined,
    lastResultAt: Math.max(succeededAt, failedAt) || undefined,
    isFailing: failedAt > succeededAt,
  };
}

export async function countsOf(
  tx: Tx,
  { botIds, since }: { readonly botIds: readonly string[]; readonly since: string },
): Promise<ReadonlyMap<string, Counts>> {
  if (botIds.length === 0) return new Map();
  const rows = await tx.all<Counts & { readonly bot_key: string }>(sql`
    SELECT bot_key, ${sums((column) => sql`sum(${column})`)}
    FROM bot_days WHERE bot_key IN (${join(botIds)}) AND day >= ${since} GROUP BY bot_key`);
  const summed = new Map(rows.map(({ bot_key, ...counts }) => [bot_key, counts]));
  const fresh = await freshBots(tx);
  const found = botIds.flatMap((key): [string, Counts][] => {
    const counts = summed.get(key);
    const own = fresh.get(key);
    return counts === undefined && own === undefined
      ? []
      : [[key, withFreshCounts(counts ?? NO_COUNTS, own)]];
  });
  return new Map(found);
}

/** @param botId undefined: all together */
export async function daysSince(
  tx: Tx,
  { since, botId }: { readonly since: string; readonly botId: string | undefined },
): Promise<readonly ArchivedDay[]> {
  const ofBot = botId === undefined ? sql`` : sql`AND bot_key IN (${join(keysFor(botId))})`;
  return tx.all<ArchivedDay>(sql`
    SELECT day, ${sums((column) => sql`sum(${column})`)}
    FROM bot_days WHERE day >= ${since} ${ofBot} GROUP BY day ORDER BY day`);
}

interface RunRow {
  readonly id: number;
  readonly botKey: string;
  readonly jobId: string;
  readonly status: number;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly elapsedSeconds: number | null;
}

/** The newest first. */
function callbacksOf(botKey: string, limit: number): Sql {
  return sql`
    SELECT id, bot_key AS "botKey", job_id AS "jobId", status, started_at AS "startedAt", received_at AS "receivedAt",
      elapsed AS "elapsedSeconds"
    FROM callbacks WHERE bot_key = ${botKey} AND kind = 'callback' ORDER BY id DESC LIMIT ${limit}`;
}

export async function lastRuns(
  tx: Tx,
  { botIds, most }: { readonly botIds: readonly string[]; readonly most: number },
): Promise<ReadonlyMap<string, readonly Run[]>> {
  const sought = botIds.slice(0, MOST_BOTS_WITH_RUNS);
  if (sought.length === 0) return new Map();
  const each = sought.map((key) => sql`SELECT * FROM (${callbacksOf(key, most * CALLBACKS_A_RUN)}) AS own`);
  const rows = await tx.all<RunRow>(join(each, ' UNION ALL '));
  const byBot = new Map(sought.map((key): [string, RunRow[]] => [key, []]));
  for (const row of rows) byBot.get(row.botKey)?.push(row);
  return new Map([...byBot].map(([key, own]) => [key, runsIn(own).slice(0, most)]));
}

export async function runsSince(
  tx: Tx,
  { botId, since }: { readonly botId: string; readonly since: number },
): Promise<Runs> {
  const rows = await tx.all<RunRow>(callbacksOf(botId, MOST_CALLBACKS));
  const found = rows.filter(({ receivedAt }) => receivedAt >= since);
  return { runs: runsIn(found), isComplete: rows.length < MOST_CALLBACKS || found.length < rows.length };
}

/** Of each job its result, else its beginning; the one that came last first. */
function runsIn(callbacks: readonly RunRow[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { id, status, elapsedSeconds, jobId, startedAt, receivedAt } of callbacks) {
    const known = runs.get(jobId);
    if (known !== undefined && (known.status !== EXECUTING || status === EXECUTING)) continue;
    runs.set(jobId, {
      callbackId: id,
      jobId,
      status: status as StatusCode,
      startedAt,
      receivedAt,
      elapsedSeconds: elapsedSeconds ?? undefined,
    });
  }
  return [...runs.values()];
}

export async function failedRuns(tx: Tx, runs: readonly Run[]): Promise<readonly FailedRun[]> {
  const failed = runs.filter(({ status }) => status === 1).slice(0, MOST_ERRORS);
  if (failed.length === 0) return [];
  const rows = await tx.all<{
    readonly id: number;
    readonly receivedAt: number;
    readonly body: Uint8Array | null;
  }>(sql`
    SELECT id, received_at AS "receivedAt",
      CASE WHEN bytes <= ${LARGEST_READ_BYTES} THEN body END AS body
    FROM callbacks WHERE id IN (${join(failed.map(({ callbackId }) => callbackId))}) ORDER BY id DESC`);
  return rows.map(({ id, receivedAt, body }) => ({
    callbackId: id,
    receivedAt,
    message: body === null ? undefined : messageIn(body),
  }));
}

/** It was checked when it came. */
function messageIn(body: Uint8Array): string | undefined {
  const { message } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
