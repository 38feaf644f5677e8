/** Runs that have begun and have no result yet. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { ArchivedCallback, Run } from '../archive/archive.ts';
import type { NoticeRow } from '../rows.ts';
import { storedText } from '../stored-body.ts';
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

/** Runs without a result for which no `overdue` notice was written. */
export function openRuns(tx: Tx): Promise<readonly (BegunRun & { readonly botId: string })[]> {
  return tx.all(sql`
    SELECT id AS callback_id, bot_id, started_at, received_at
    FROM jobs JOIN callbacks ON id = (SELECT min(id) FROM callbacks AS own WHERE own.job_key = jobs.key)
    WHERE jobs.result IS NULL AND kind = 'callback' AND NOT EXISTS (
      SELECT 1 FROM callbacks AS told WHERE told.about = callbacks.id AND told.kind = 'overdue')
    ORDER BY id DESC LIMIT ${MOST_OPEN}`);
}

/** `body`: JSON as received. Undefined: its result has come, or it was deleted. */
export async function openRun(tx: Tx, callbackId: number) {
  const row = await tx.first<
    Pick<ArchivedCallback, 'jobId' | 'botId' | 'botName' | 'startedAt'> & Pick<NoticeRow, 'body'>
  >(sql`
    SELECT job_id, bot_id, bot_name, started_at, body
    FROM callbacks JOIN bodies ON callback_id = id JOIN jobs ON jobs.key = callbacks.job_key
    WHERE id = ${callbackId} AND jobs.result IS NULL`);
  return row && { ...row, body: storedText(row.body) };
}
