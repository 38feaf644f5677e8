/** A BOT's last runs, and what those said that failed. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import type { Tx } from '../database.ts';
import { EXECUTING } from '../rows.ts';
import type { BotStanding, Run, Runs } from './archive.ts';

/** Of one BOT, over weeks. */
const MOST_CALLBACKS = 2000;

/** Each run has a callback when it begins and one when it ends. */
const CALLBACKS_A_RUN = 2;
const MOST_BOTS = 200;
type RunRow = Omit<Run, 'status' | 'elapsedSeconds'> & {
  readonly botKey: string;
  readonly status: number;
  readonly elapsedSeconds: number | null;
};

/** The newest first. */
function callbacksOf(botKey: string, limit: number): Sql {
  return sql`
    SELECT id AS "callbackId", bot_key AS "botKey", job_id AS "jobId", status, started_at AS "startedAt",
      received_at AS "receivedAt", elapsed AS "elapsedSeconds"
    FROM callbacks WHERE bot_key = ${botKey} AND kind = 'callback' ORDER BY id DESC LIMIT ${limit}`;
}

/** Of each the last ones, at most so many. @param bots at most 200 */
export async function lastRuns(
  tx: Tx,
  bots: readonly Pick<BotStanding, 'botId'>[],
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

/** By the last 2,000 callbacks. */
export async function runsSince(tx: Tx, { botId }: Pick<BotStanding, 'botId'>, since: number): Promise<Runs> {
  const rows = await tx.all<RunRow>(callbacksOf(botId, MOST_CALLBACKS));
  const found = rows.filter(({ receivedAt }) => receivedAt >= since);
  return { runs: runsIn(found), isComplete: rows.length < MOST_CALLBACKS || found.length < rows.length };
}

/** Of each job its result, else its beginning; the one that came last first. */
function runsIn(callbacks: readonly RunRow[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { botKey: _botKey, status, elapsedSeconds, ...row } of callbacks) {
    const known = runs.get(row.jobId);
    if (known !== undefined && (known.status !== EXECUTING || status === EXECUTING)) continue;
    runs.set(row.jobId, {
      ...row,
      status: status as StatusCode,
      elapsedSeconds: elapsedSeconds ?? undefined,
    });
  }
  return [...runs.values()];
}
