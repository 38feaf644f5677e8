/** Runs that have begun and have no result yet. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { ArchivedCallback, Run } from '../archive/archive.ts';
import { hasResult, type NoticeRow } from '../deliveries/rows.ts';
import { storedText } from '../callbacks/stored-body.ts';
import type { Timer } from './timers.ts';

/** The first callback of a job, an `executing`. */
export type BegunRun = Pick<Run, 'callbackId' | 'startedAt' | 'receivedAt'>;

/** The data of a timer of kind `overdue`. */
export interface OpenRunTimer {
  readonly callbackId: number;
  readonly overdueMs: number;
}

/** Counted from the run's start, or from the arrival of its callback if that names a later start. */
export function overdueTimers(
  { callbackId, startedAt, receivedAt }: BegunRun,
  overdueMs: readonly number[],
): readonly Timer<OpenRunTimer>[] {
  return overdueMs.map((ms) => ({
    key: `overdue ${callbackId} ${ms}`,
    kind: 'overdue',
    dueAt: Math.min(startedAt, receivedAt) + ms,
    data: { callbackId, overdueMs: ms },
  }));
}

const MOST_OPEN = 5000;

/** The most beginnings that are looked at, the newest: about a tenth of a second. */
const MOST_BEGUN = 20_000;

/** Runs without a result for which no `overdue` notice was written. */
export function openRuns(tx: Tx): Promise<readonly (BegunRun & { readonly botId: string })[]> {
  return tx.all(sql`
    SELECT id AS callback_id, bot_id, started_at, received_at
    FROM (SELECT * FROM callbacks WHERE status = 2 ORDER BY id DESC LIMIT ${MOST_BEGUN}) AS begun
    WHERE NOT ${hasResult('begun')} AND NOT EXISTS (
      SELECT 1 FROM callbacks AS earlier
      WHERE earlier.job_id = begun.job_id AND earlier.bot_key = begun.bot_key AND earlier.status = 2 AND earlier.id < begun.id)
    AND NOT EXISTS (SELECT 1 FROM callbacks AS told WHERE told.about = begun.id AND told.kind = 'overdue')
    ORDER BY id DESC LIMIT ${MOST_OPEN}`);
}

/** `body`: JSON as received. Undefined: its result has come, or it was deleted. */
export async function openRun(tx: Tx, callbackId: number) {
  const row = await tx.first<
    Pick<ArchivedCallback, 'jobId' | 'botId' | 'botName' | 'startedAt'> & Pick<NoticeRow, 'body'>
  >(sql`
    SELECT job_id, bot_id, bot_name, started_at, body
    FROM callbacks WHERE id = ${callbackId} AND NOT ${hasResult('callbacks')}`);
  return row && { ...row, body: storedText(row.body) };
}
