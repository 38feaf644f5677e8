/** Counts each BOT's results since the last digest. */
import sql from 'sql-template-tag';
import type { DigestedBot } from '../../notice/notice.ts';
import type { Tx } from '../database.ts';
import { timersOfKind } from './timers.ts';

/** Where the next digest begins. */
export interface DigestPosition {
  /** The id of the last callback that was counted. */
  readonly position: number;
  readonly since: number;
}

interface CountedRow extends Pick<DigestedBot, 'succeeded' | 'errors' | 'missed'> {
  readonly botId: string;
  readonly botName: string;
  /** Something of it is held now, even if that came before the last digest. */
  readonly isMuted: boolean;
}

/** Counts per BOT, in the order of their ids; `next`: where the next digest begins. */
export async function digestCounts(tx: Tx, { position }: Pick<DigestPosition, 'position'>) {
  const newest = await tx.first<{ id: number | undefined }>(sql`SELECT max(id) AS id FROM callbacks`);
  const last = newest?.id ?? 0;
  const heldBack = sql`SELECT callback_id FROM deliveries WHERE held_until IS NOT NULL`;
  const counted = await tx.all<CountedRow>(sql`
    SELECT min(bot_id) AS bot_id, max(bot_name) AS bot_name,
      count(CASE WHEN id > ${position} AND kind = 'callback' AND status = 0 THEN 1 END) AS succeeded,
      count(CASE WHEN id > ${position} AND kind = 'callback' AND status = 1 THEN 1 END) AS errors,
      count(CASE WHEN id > ${position} AND kind = 'missed' THEN 1 END) AS missed,
      max(CASE WHEN id IN (${heldBack}) THEN 1 ELSE 0 END) AS is_muted
    FROM callbacks
    WHERE (id > ${position} OR id IN (${heldBack})) AND id <= ${last} AND kind IN ('callback', 'missed', 'overdue')
    GROUP BY bot_key ORDER BY bot_key`);
  const bots: DigestedBot[] = counted.map(({ botId, botName, isMuted, ...counts }) => ({
    bot_id: botId,
    bot_name: botName,
    ...counts,
    is_muted: isMuted,
  }));
  return { bots, next: { position: last, since: tx.now } satisfies DigestPosition };
}

/** From when on callbacks are still to be counted by a digest, perhaps a week; infinite if no group has one. */
export async function countedFrom(tx: Tx): Promise<number> {
  const digests = await timersOfKind(tx, 'digest');
  return Math.min(...digests.map(({ data }) => (data as DigestPosition).since));
}
