/** Counts callbacks into the figures of BOTs' days, outside POSTs: these outlive callbacks. Reads those of a period, and the figures of a digest. */
import sql, { join, raw } from 'sql-template-tag';
import { type ReportedBot, totalOf } from '../../report/report.ts';
import { instantOn } from '../../signal/calendar.ts';
import { onlyRow, shared, type Tx } from '../database.ts';
import { type CountedUpTo, type DayOfBot, type RunOfJob, Tally } from './tally.ts';
import { type Figures, FIGURES, sumOf } from '../../report/figures.ts';
import { snakeCase } from '../../text/json.ts';
import { keysFor } from '../callbacks/keys.ts';
import type { DigestedBot } from '../../notice/notice.ts';

/** Rows per step, which takes few milliseconds. */
const CALLBACKS_AT_ONCE = 500;
const HISTORY_AT_ONCE = 1000;

/** `seen…`: the last rows that there were at `seenAt`: rows with lower ids are committed within `marginMs` of that, or never. */
interface Position extends CountedUpTo {
  readonly seenCallbackId: number;
  readonly seenHistoryId: number;
  readonly seenAt: number;
  /** Callbacks that are yet to be counted are counted by the days of this time zone; written days stay. */
  readonly timezone: string;
}

const POSITION = sql`
  SELECT callback_id, history_id, seen_callback_id, seen_history_id, seen_at, timezone FROM rolled_up`;

async function lockPosition(tx: Tx): Promise<Position> {
  return onlyRow(await tx.all<Position>(sql`${POSITION} ${tx.forUpdate}`));
}

interface RollUp {
  readonly timezone: string;
  /** A callback that came so long ago is committed, and its answer written. */
  readonly marginMs: number;
}

/** One step. @returns whether there is more to do at once */
export async function rollUp(tx: Tx, { timezone, marginMs }: RollUp): Promise<boolean> {
  const from = await lockPosition(tx);
  const { seenCallbackId: callbackId, seenHistoryId: historyId, seenAt } = from;
  if (seenAt <= tx.now && tx.now - seenAt < marginMs) return false;
  if (!(await step(tx, from, { callbackId, historyId }))) return true;
  await tx.all(sql`
    UPDATE rolled_up SET seen_at = ${tx.now}, timezone = ${timezone},
      seen_callback_id = coalesce((SELECT max(id) FROM callbacks), callback_id),
      seen_history_id = coalesce((SELECT max(id) FROM history), history_id)`);
  return false;
}

/** Counts callbacks that the transaction is to delete, and all that came before them. @returns false: not all are counted yet */
export async function rollUpTo(tx: Tx, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const from = await lockPosition(tx);
  return step(tx, from, { callbackId: Math.max(...ids), historyId: from.historyId }, ids);
}

/** @param going callbacks that are to be deleted, whose history is counted whole, since it goes with them. @returns whether all up to `until` is counted */
async function step(
  tx: Tx,
  from: Position,
  until: CountedUpTo,
  going: readonly number[] = [],
): Promise<boolean> {
  const tally = new Tally(tx, from.timezone);
  const next = await tally.countCallbacks(from.callbackId, until.callbackId, CALLBACKS_AT_ONCE);
  // Callbacks first: history adds to runs that callbacks have begun.
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
  return nextHistory === undefined;
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

/** Days from `from` on and before `to`, in a time zone. */
export interface PeriodRequest {
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
  readonly botId?: string | undefined;
}

type Named = Pick<DayOfBot, 'botKey' | 'botId' | 'botName'>;

const SUMS = raw(
  FIGURES.map(snakeCase)
    .map((column) => `CAST(sum(${column}) AS BIGINT) AS ${column}`)
    .join(', '),
);

/** @returns the BOTs that have figures or an incident in the period, in the order of their ids */
export async function figuresOfPeriod(tx: Tx, request: PeriodRequest): Promise<readonly ReportedBot[]> {
  const { from, to, botId } = request;
  const counted = await tx.all<Figures & Named>(sql`
    SELECT bot_key, min(bot_id) AS bot_id, coalesce((
      SELECT bot_name FROM days AS last WHERE last.bot_key = days.bot_key AND bot_name <> ''
      ORDER BY day DESC LIMIT 1), '') AS bot_name, ${SUMS}
    FROM days WHERE day >= ${from} AND day < ${to} AND ${ofBot(botId)} GROUP BY bot_key`);
  const bots = new Map<string, ReportedBot>();
  // The latest name last.
  for (const row of [...(await incidentsOf(tx, request)), ...counted, ...(await uncounted(tx, request))]) {
    const before = bots.get(row.botKey);
    const { botKey, botId: id, botName } = row;
    bots.set(botKey, {
      botKey,
      botId: id,
      botName: botName || (before?.botName ?? ''),
      ...totalOf([before ?? {}, row]),
    });
  }
  return [...bots.keys()].toSorted().flatMap((key) => bots.get(key) ?? []);
}

/** Each day's figures of all BOTs, or of one; days without any are left out. */
export async function figuresByDay(tx: Tx, request: PeriodRequest) {
  const { from, to } = request;
  const counted = await tx.all<Figures & { readonly day: number }>(sql`
    SELECT day, ${SUMS} FROM days WHERE day >= ${from} AND day < ${to} AND ${ofBot(request.botId)} GROUP BY day`);
  const days = new Map(counted.map(({ day, ...figures }): [number, Figures] => [day, figures]));
  for (const { day, ...figures } of await uncounted(tx, request))
    days.set(day, sumOf([days.get(day) ?? {}, figures]));
  return [...days].toSorted(([one], [other]) => one - other).map(([day, figures]) => ({ day, ...figures }));
}

function ofBot(botId: string | undefined, key = 'bot_key') {
  return botId === undefined ? sql`1 = 1` : sql`${raw(key)} IN (${join(keysFor(botId))})`;
}

const AT_ONCE = 1000;

/** What the next steps of the roll-up will add. */
async function uncounted(tx: Tx, { from, to, timezone, botId }: PeriodRequest) {
  const tally = new Tally(tx, timezone);
  let { callbackId, historyId }: Partial<Record<keyof CountedUpTo, number | undefined>> = onlyRow(
    await tx.all<Position>(POSITION),
  );
  while (callbackId !== undefined)
    callbackId = await tally.countCallbacks(callbackId, Number.MAX_SAFE_INTEGER, AT_ONCE);
  while (historyId !== undefined)
    historyId = await tally.countHistory(historyId, Number.MAX_SAFE_INTEGER, AT_ONCE);
  const keys = botId === undefined ? undefined : keysFor(botId);
  return tally.days.filter(
    ({ day, botKey }) => day >= from && day < to && (keys === undefined || keys.includes(botKey)),
  );
}

async function incidentsOf(tx: Tx, { from, to, timezone, botId }: PeriodRequest) {
  const [begin, end] = [instantOn(from, 0, timezone), Math.min(instantOn(to, 0, timezone), tx.now)];
  return tx.all<Named & Pick<ReportedBot, 'incidents' | 'incidentMs'>>(sql`
    SELECT subject_key AS bot_key, max(subject) AS bot_id, max(name) AS bot_name, count(*) AS incidents, CAST(sum(
      CASE WHEN over_at < ${end} THEN over_at ELSE ${end} END
      - CASE WHEN since > ${begin} THEN since ELSE ${begin} END) AS BIGINT) AS incident_ms
    FROM incidents WHERE kind = 'bot' AND since < ${end} AND (over_at IS NULL OR over_at > ${begin})
      AND ${ofBot(botId, 'subject_key')}
    GROUP BY subject_key`);
}

/** Where the next digest begins, and when the last one was told, or the group began to have one. Milliseconds since 1970. */
export interface DigestPosition {
  readonly since: number;
  readonly toldAt: number;
}

interface CountedRow extends Pick<DigestedBot, 'succeeded' | 'errors' | 'missed' | 'overdue' | 'open'> {
  readonly botId: string;
  readonly botName: string;
  /** Something of it is held now, even if that came before the last digest. */
  readonly isMuted: boolean;
  /** Of its last error or, if it has not failed meanwhile, of its incident. */
  readonly error: string | undefined;
  readonly failedAt: number | undefined;
  readonly jobId: string | undefined;
}

/**
 * Counts per BOT, also of those with an open incident, in the order of their ids; `next`: where the next digest begins.
 * @param marginMs callbacks that came so long ago are committed: the window ends there, and later callbacks are left to the next digest
 */
export async function digestCounts(tx: Tx, { since }: Pick<DigestPosition, 'since'>, marginMs: number) {
  const until = Math.max(since, tx.now - marginMs);
  // A callback gets its id within the margin after it came, so those that came a margin before the window have lower ids, and are not read.
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
      count(CASE WHEN ${isCounted} AND kind = 'overdue' THEN 1 END) AS overdue,
      max(CASE WHEN EXISTS (
        SELECT 1 FROM deliveries WHERE callback_id = callbacks.id AND held_until IS NOT NULL) THEN 1 ELSE 0 END) AS is_muted
    FROM callbacks WHERE id IN (SELECT id FROM read) AND kind IN ('callback', 'missed', 'overdue')
    GROUP BY bot_key),
    troubled AS (
    SELECT subject_key, subject, name, gist, last_at FROM incidents WHERE kind = 'bot' AND over_at IS NULL AND is_waiting = 0)
    SELECT coalesce(counted.bot_id, subject) AS bot_id, coalesce(counted.bot_name, name) AS bot_name,
      coalesce(succeeded, 0) AS succeeded, coalesce(errors, 0) AS errors, coalesce(missed, 0) AS missed,
      coalesce(overdue, 0) AS overdue, coalesce(is_muted, 0) AS is_muted, CASE WHEN subject IS NULL THEN 0 ELSE 1 END AS open,
      coalesce(error, gist) AS error, coalesce(received_at, last_at) AS failed_at, job_id
    FROM (SELECT bot_key FROM counted UNION SELECT subject_key FROM troubled) AS bots
      LEFT JOIN counted ON counted.bot_key = bots.bot_key LEFT JOIN troubled ON subject_key = bots.bot_key
      LEFT JOIN callbacks ON callbacks.id = last_error_id
    ORDER BY bots.bot_key`);
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

/** Since when callbacks have come that a digest is still to count, up to a week ago; infinite if no group has one. */
export async function countedFrom(tx: Tx): Promise<number> {
  const digests = await tx.all<{ data: DigestPosition }>(sql`SELECT data FROM timers WHERE kind = 'digest'`);
  return Math.min(...digests.map(({ data }) => data.since));
}
