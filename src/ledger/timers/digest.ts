/** Counts each BOT's results since the last digest. */
import sql from 'sql-template-tag';
import type { DigestedBot } from '../../notice/notice.ts';
import type { Tx } from '../database.ts';

/** Where the next digest begins, and when the last one was told, or the group began to have one. Milliseconds since 1970. */
export interface DigestPosition {
  readonly since: number;
  readonly toldAt: number;
}

interface CountedRow extends Pick<DigestedBot, 'succeeded' | 'errors' | 'missed'> {
  readonly botId: string;
  readonly botName: string;
  /** Something of it is held now, even if that came before the last digest. */
  readonly isMuted: boolean;
  readonly error: string | undefined;
  readonly failedAt: number | undefined;
  readonly jobId: string | undefined;
}

/**
 * Counts per BOT, in the order of their ids; `next`: where the next digest begins.
 * @param marginMs what came so long ago is committed, and the window ends there: what is being written is left to the next digest
 */
export async function digestCounts(tx: Tx, { since }: Pick<DigestPosition, 'since'>, marginMs: number) {
  const until = Math.max(since, tx.now - marginMs);
  // A callback has its id within that margin after it has come, so what came before that has lower ones, and is not read.
  const before = await tx.first<{ id: number }>(sql`
    SELECT id FROM callbacks WHERE id > 0 AND received_at < ${since - marginMs} ORDER BY id DESC LIMIT 1`);
  const isCounted = sql`id > ${before?.id ?? 0} AND received_at >= ${since} AND received_at < ${until}`;
  const isError = sql`${isCounted} AND kind = 'callback' AND status = 1`;
  const counted = await tx.all<CountedRow>(sql`
    WITH read AS (
      SELECT id FROM callbacks WHERE ${isCounted}
      UNION SELECT callback_id FROM deliveries WHERE held_until IS NOT NULL),
    counted AS (
    SELECT bot_key, min(bot_id) AS bot_id, max(bot_name) AS bot_name,
      max(CASE WHEN ${isError} THEN id END) AS last_error_id,
      count(CASE WHEN ${isCounted} AND kind = 'callback' AND status = 0 THEN 1 END) AS succeeded,
      count(CASE WHEN ${isError} THEN 1 END) AS errors,
      count(CASE WHEN ${isCounted} AND kind = 'missed' THEN 1 END) AS missed,
      max(CASE WHEN EXISTS (
        SELECT 1 FROM deliveries WHERE callback_id = callbacks.id AND held_until IS NOT NULL) THEN 1 ELSE 0 END) AS is_muted
    FROM callbacks WHERE id IN (SELECT id FROM read) AND kind IN ('callback', 'missed', 'overdue')
    GROUP BY bot_key)
    SELECT counted.bot_id, counted.bot_name, succeeded, errors, missed, is_muted,
      error, received_at AS failed_at, job_id
    FROM counted LEFT JOIN callbacks ON callbacks.id = last_error_id ORDER BY counted.bot_key`);
  const bots = counted.map(
    ({ botId, botName, isMuted, error, failedAt, jobId = '', ...counts }): DigestedBot => ({
      bot_id: botId,
      bot_name: botName,
      ...counts,
      is_muted: isMuted,
      ...(failedAt !== undefined && { lastError: { text: error ?? '', at: failedAt, jobId } }),
    }),
  );
  return { bots, next: { since: until, toldAt: tx.now } };
}

/** From when on callbacks are still to be counted by a digest, perhaps a week; infinite if no group has one. */
export async function countedFrom(tx: Tx): Promise<number> {
  const digests = await tx.all<{ data: DigestPosition }>(sql`SELECT data FROM timers WHERE kind = 'digest'`);
  return Math.min(...digests.map(({ data }) => data.since));
}
