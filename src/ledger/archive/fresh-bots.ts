/** What came of BOTs since their days were summed, a minute ago: a failure is seen at once. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { ArchivedBot, BotStanding, Counts } from './archive.ts';

/** Of a minute; what is more is summed soon. */
const MOST_CALLBACKS = 5000;

/** Times are milliseconds since 1970, 0 for never. */
export interface FreshBot extends Omit<Counts, 'retries'> {
  readonly botId: string;
  readonly botName: string;
  readonly lastCallbackId: number;
  readonly lastReceivedAt: number;
  readonly lastSucceededAt: number;
  readonly lastFailedAt: number;
}

export async function freshBots(tx: Tx): Promise<ReadonlyMap<string, FreshBot>> {
  const rows = await tx.all<FreshBot>(sql`
    SELECT bot_key AS "botId", max(bot_name) AS "botName", max(id) AS "lastCallbackId", max(received_at) AS "lastReceivedAt",
      max(CASE WHEN status = 0 THEN received_at ELSE 0 END) AS "lastSucceededAt",
      max(CASE WHEN status = 1 THEN received_at ELSE 0 END) AS "lastFailedAt",
      count(CASE WHEN status = 0 THEN 1 END) AS succeeded, count(CASE WHEN status = 1 THEN 1 END) AS failed,
      count(CASE WHEN status = 2 THEN 1 END) AS started,
      coalesce(sum(CASE WHEN status <> 2 THEN elapsed END), 0) AS "elapsedSeconds"
    FROM (
      SELECT * FROM callbacks WHERE id > coalesce((SELECT value FROM counters WHERE name = 'bot_days'), 0)
      ORDER BY id LIMIT ${MOST_CALLBACKS}
    ) AS fresh WHERE kind = 'callback' GROUP BY bot_key`);
  return new Map(rows.map((row) => [row.botId, row]));
}

export function withFresh(bot: ArchivedBot, fresh: FreshBot | undefined): ArchivedBot {
  if (fresh === undefined) return bot;
  const { botName, lastCallbackId, lastReceivedAt } = fresh;
  return {
    ...bot,
    botName,
    lastCallbackId,
    lastReceivedAt,
    lastSucceededAt: fresh.lastSucceededAt || bot.lastSucceededAt,
    lastFailedAt: fresh.lastFailedAt || bot.lastFailedAt,
    counts: withFreshCounts(bot.counts, fresh),
  };
}

export function withFreshCounts(counts: Counts, fresh: FreshBot | undefined): Counts {
  if (fresh === undefined) return counts;
  return {
    succeeded: counts.succeeded + fresh.succeeded,
    failed: counts.failed + fresh.failed,
    started: counts.started + fresh.started,
    retries: counts.retries,
    elapsedSeconds: counts.elapsedSeconds + fresh.elapsedSeconds,
  };
}

export const NO_COUNTS: Counts = { succeeded: 0, failed: 0, started: 0, retries: 0, elapsedSeconds: 0 };

/** Of a BOT none of whose days is summed yet. */
export function onlyFresh(fresh: FreshBot): ArchivedBot {
  const never = { lastSucceededAt: undefined, lastFailedAt: undefined, counts: NO_COUNTS };
  return withFresh({ ...fresh, ...never }, fresh);
}

export function freshStanding(fresh: FreshBot, known: BotStanding | undefined): BotStanding {
  const { botId, botName, lastCallbackId, lastReceivedAt, lastSucceededAt, lastFailedAt } = fresh;
  const resultAt = Math.max(lastSucceededAt, lastFailedAt);
  return {
    botId,
    botName,
    lastCallbackId,
    lastReceivedAt,
    lastResultAt: resultAt || known?.lastResultAt,
    isFailing: resultAt === 0 ? (known?.isFailing ?? false) : lastFailedAt > lastSucceededAt,
  };
}
