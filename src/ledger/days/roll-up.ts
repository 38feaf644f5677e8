/** Adds what came to the days of BOTs, away from POSTs: figures that outlive callbacks. */
import sql from 'sql-template-tag';
import { REPORTED_MS } from '../../report/report.ts';
import { DAY_MS } from '../../signal/calendar.ts';
import { only, shared, type Tx } from '../database.ts';
import { type CountedUpTo, type DayOfBot, type RunOfJob, Tally } from './tally.ts';

/** Rows per step: few milliseconds. */
const CALLBACKS_AT_ONCE = 500;
const HISTORY_AT_ONCE = 1000;
const FORGOTTEN_AT_ONCE = 500;

/** A callback of a run comes so long after the first one at most, to be counted as of the same run. */
const RUNS_KEPT_MS = 62 * DAY_MS;

/** `seen…`: the last rows that there were at `seenAt`: what has a lower id is committed a while later, or never. */
interface Position extends CountedUpTo {
  readonly seenCallbackId: number;
  readonly seenHistoryId: number;
  readonly seenAt: number;
  /** The days of what comes are those of this time zone; those that are written stay. */
  readonly timezone: string;
}

const POSITION = sql`
  SELECT callback_id, history_id, seen_callback_id, seen_history_id, seen_at, timezone FROM rolled_up`;

export async function countedUpTo(tx: Tx): Promise<CountedUpTo> {
  return only(await tx.all<Position>(POSITION));
}

async function lockPosition(tx: Tx): Promise<Position> {
  return only(await tx.all<Position>(sql`${POSITION} ${tx.forUpdate}`));
}

interface RollUp {
  readonly timezone: string;
  /** What came so long ago is committed, and its answer written. */
  readonly marginMs: number;
}

/** One step. @returns whether there is more to do at once */
export async function rollUp(tx: Tx, { timezone, marginMs }: RollUp): Promise<boolean> {
  const from = await lockPosition(tx);
  const { seenCallbackId: callbackId, seenHistoryId: historyId, seenAt } = from;
  if (seenAt <= tx.now && tx.now - seenAt < marginMs) return false;
  if (!(await step(tx, from, { callbackId, historyId }))) return true;
  await look(tx, timezone);
  return forgetDays(tx);
}

/** Counts callbacks that are deleted with it, and all that came before them. @returns false: not all of it is counted yet */
export async function rollUpTo(tx: Tx, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const from = await lockPosition(tx);
  return step(tx, from, { callbackId: Math.max(...ids), historyId: from.historyId }, ids);
}

/** @param going whose history is counted whole, since it goes with them. @returns whether all up to `until` is counted */
async function step(
  tx: Tx,
  from: Position,
  until: CountedUpTo,
  going: readonly number[] = [],
): Promise<boolean> {
  const tally = new Tally(tx, from.timezone);
  const next = await tally.countCallbacks(from.callbackId, until.callbackId, CALLBACKS_AT_ONCE);
  // In their order: what history says of a run comes after the callback that began it.
  const nextHistory =
    next === undefined
      ? await tally.countHistory(from.historyId, until.historyId, HISTORY_AT_ONCE)
      : from.historyId;
  if (next === undefined && going.length > 0) await tally.countHistoryOf(going, from.historyId);
  await putRuns(tx, tally.runs);
  await addDays(tx, tally.days);
  const callbackId = next ?? Math.max(from.callbackId, until.callbackId);
  const historyId = nextHistory ?? Math.max(from.historyId, until.historyId);
  await tx.all(sql`UPDATE rolled_up SET callback_id = ${callbackId}, history_id = ${historyId}`);
  return next === undefined && nextHistory === undefined;
}

async function look(tx: Tx, timezone: string): Promise<void> {
  await tx.all(sql`
    UPDATE rolled_up SET seen_at = ${tx.now}, timezone = ${timezone},
      seen_callback_id = coalesce((SELECT max(id) FROM callbacks), callback_id),
      seen_history_id = coalesce((SELECT max(id) FROM history), history_id)`);
}

const oneRun = shared('text text bigint integer bigint bigint');

async function putRuns(tx: Tx, of: readonly RunOfJob[]): Promise<void> {
  await Promise.all(
    of.map(({ botKey, jobId, day, status, elapsedMs, estimatedMs }) =>
      tx.all(oneRun`
        INSERT INTO runs (bot_key, job_id, day, status, elapsed_ms, estimated_ms)
        VALUES (${botKey}, ${jobId}, ${day}, ${status}, ${elapsedMs}, ${estimatedMs})
        ON CONFLICT (bot_key, job_id) DO UPDATE SET status = excluded.status,
          elapsed_ms = excluded.elapsed_ms, estimated_ms = excluded.estimated_ms`),
    ),
  );
}

const oneDay = shared(`text bigint text text${' bigint'.repeat(10)}`);

async function addDays(tx: Tx, of: readonly DayOfBot[]): Promise<void> {
  await Promise.all(
    of.map((each) =>
      tx.all(oneDay`
        INSERT INTO days (bot_key, day, bot_id, bot_name, runs, unfinished, succeeded, errors, missed, overdue,
          running_ms, estimated, answer_ms, retries)
        VALUES (${each.botKey}, ${each.day}, ${each.botId}, ${each.botName}, ${each.runs}, ${each.unfinished},
          ${each.succeeded}, ${each.errors}, ${each.missed}, ${each.overdue}, ${each.runningMs}, ${each.estimated},
          ${each.answerMs}, ${each.retries})
        ON CONFLICT (bot_key, day) DO UPDATE SET
          bot_name = CASE WHEN excluded.bot_name = '' THEN days.bot_name ELSE excluded.bot_name END,
          runs = days.runs + excluded.runs, unfinished = days.unfinished + excluded.unfinished,
          succeeded = days.succeeded + excluded.succeeded, errors = days.errors + excluded.errors,
          missed = days.missed + excluded.missed, overdue = days.overdue + excluded.overdue,
          running_ms = days.running_ms + excluded.running_ms, estimated = days.estimated + excluded.estimated,
          answer_ms = days.answer_ms + excluded.answer_ms, retries = days.retries + excluded.retries`),
    ),
  );
}

/** @returns whether there may be more */
async function forgetDays(tx: Tx): Promise<boolean> {
  const gone = await Promise.all([
    tx.all(sql`DELETE FROM runs WHERE (bot_key, job_id) IN (
      SELECT bot_key, job_id FROM runs WHERE day < ${tx.now - RUNS_KEPT_MS} LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING 1`),
    tx.all(sql`DELETE FROM days WHERE (bot_key, day) IN (
      SELECT bot_key, day FROM days WHERE day < ${tx.now - REPORTED_MS} LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING 1`),
  ]);
  return gone.some(({ length }) => length === FORGOTTEN_AT_ONCE);
}
