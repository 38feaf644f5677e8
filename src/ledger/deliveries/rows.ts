/** Conditions, columns and rows that several operations share. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Callback, CheckedCallback } from '../../callback/callback.ts';
import { parseJson } from '../../callback/decode.ts';
import type { Receipt } from '../../channels/channel.ts';
import { type Notice, noticeOf, noticeOfAlert, type RaisedAlert } from '../../notice/notice.ts';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import type { CallbackKind, DeliveryError, DeliveryRecord } from '../ledger.ts';
import { storedText } from '../callbacks/stored-body.ts';

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

/** A condition on a row of `deliveries` or `timers`: no process has claimed it. Claims of the dead are freed (`freeClaims`). */
export const IS_IDLE: Sql = sql`owner IS NULL`;

/**
 * A subquery of a row of `deliveries`: what must end before it at its destination. Pending deliveries of earlier callbacks of its job;
 * before a recovery, each error of its BOT that is still to be told, by itself or in a summary.
 */
export const EARLIER: Sql = sql`
  SELECT earlier.id, earlier.callback_id FROM deliveries AS earlier
  WHERE earlier.state = 'pending' AND earlier.job_key = deliveries.job_key
    AND earlier.destination = deliveries.destination AND earlier.callback_id < deliveries.callback_id
  UNION ALL
  SELECT earlier.id, earlier.callback_id FROM deliveries AS earlier
  WHERE earlier.state IN ('pending', 'held') AND earlier.error_of = deliveries.recovery_of
    AND earlier.destination = deliveries.destination AND earlier.callback_id < deliveries.callback_id
    AND (earlier.state = 'pending' OR earlier.held_until IS NOT NULL OR earlier.summary_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM deliveries AS summary WHERE summary.callback_id = earlier.summary_id AND summary.state = 'pending'))`;

/** Of those, the one that ends last. */
export const BEHIND: Sql = sql`SELECT ahead.id FROM (${EARLIER}) AS ahead ORDER BY ahead.callback_id DESC LIMIT 1`;

/**
 * A condition on a row of `callbacks` under this name: the result of its job has come. It is looked for by itself: of EXISTS, PostgreSQL may
 * read all results while its statistics are old.
 */
export function hasResult(row: string): Sql {
  const own = raw(row);
  return sql`(SELECT result.id FROM callbacks AS result WHERE result.job_id = ${own}.job_id AND result.bot_key = ${own}.bot_key
    AND result.status IN (0, 1) AND result.kind || '' = 'callback' LIMIT 1) IS NOT NULL`;
}

/**
 * A condition on a row of `callbacks`: what it says is no longer true, so it is told to nobody. An `executing` or an overdue run whose
 * result is known; a missed result that has come; a summary of what was told otherwise; an alert whose incident is over, or whose message has been told
 * since, if none is lost there.
 */
export const IS_OVER: Sql = sql`CASE callbacks.kind
  WHEN 'callback' THEN callbacks.status = 2 AND ${hasResult('callbacks')}
  WHEN 'overdue' THEN ${hasResult('callbacks')}
  WHEN 'missed' THEN EXISTS (SELECT 1 FROM callbacks AS came
    WHERE came.kind = 'callback' AND came.bot_key = callbacks.bot_key AND came.id > callbacks.id AND came.status IN (0, 1))
  WHEN 'summary' THEN NOT EXISTS (SELECT 1 FROM deliveries AS part
    WHERE part.summary_id = callbacks.id AND part.summary_id IS NOT NULL AND part.state = 'held')
  WHEN 'alert' THEN EXISTS (SELECT 1 FROM incidents WHERE incidents.id = callbacks.incident_id AND over_at IS NOT NULL)
    OR (callbacks.about IS NOT NULL AND (SELECT min(untold.id) FROM deliveries AS untold
      WHERE untold.callback_id = callbacks.about AND untold.state <> 'delivered') IS NULL
      AND NOT EXISTS (SELECT 1 FROM deliveries AS lost WHERE lost.state = 'dead'
        AND lost.destination = (SELECT subject FROM incidents WHERE incidents.id = callbacks.incident_id)))
  ELSE 1 = 0 END`;

/**
 * A condition on a delivery with its callback: it says that its BOT works again, which has failed since. CASE, since AND looks for newer
 * errors of what says nothing of a recovery, too: of each message for all that came after it.
 */
export const HAS_FAILED_AGAIN: Sql = sql`CASE WHEN telling LIKE '%"template":"recovered"%' THEN EXISTS (SELECT 1 FROM callbacks AS newer
  WHERE newer.kind = 'callback' AND newer.bot_key = callbacks.bot_key AND newer.id > callbacks.id AND newer.status = 1
    AND newer.started_at > callbacks.started_at) ELSE 1 = 0 END`;

/** A condition on a row of `callbacks`: its messages are grouped with its job's, and in order with them. */
export const IS_OF_JOB: Sql = sql`callbacks.kind IN ('callback', 'overdue')`;

/** The job of a row of `callbacks` (`jobKeyOf`). */
export const JOB_KEY: Sql = sql`callbacks.bot_key || '\n' || callbacks.job_id`;

/** The last answer of a row of `callbacks`. */
export const RESULT: Sql = sql`coalesce(callbacks.result, (
  SELECT CASE WHEN posted_at IS NULL THEN 'accepted' ELSE 'delivered' END FROM deliveries
  WHERE callback_id = callbacks.id AND answered_at IS NOT NULL LIMIT 1))`;

/** A subquery of a row of `deliveries`: when its callback came. */
export const RECEIVED_AT: Sql = sql`SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id`;

export interface DeliveryRow extends DeliveryRecord {
  readonly jobKey: string | undefined;
  readonly errorOf: string | undefined;
  readonly owner: string | undefined;
  /** As the columns of `deliveries`. */
  readonly toldAt: number | undefined;
  readonly toldMs: number | undefined;
  readonly postedAt: number | undefined;
  readonly answeredAt: number | undefined;
}

/** The columns that make a `DeliveryRow` of a row of `deliveries`, for SELECT and for RETURNING. */
function recordIn({ now, owner }: Tx): Sql {
  return sql`*, (${RECEIVED_AT}) AS received_at, ${now} - counts_from - waited_ms AS age_ms, due_at - ${now} AS due_in_ms,
    CASE WHEN state = 'pending' AND owner IS NOT NULL THEN
      CASE WHEN owner = ${owner} THEN 'process' ELSE 'elsewhere' END END AS claim,
    CASE WHEN state = 'pending' THEN (${BEHIND}) END AS behind`;
}

/** The deliveries of these callbacks, in the order in which they were planned. */
export function deliveriesOf(tx: Tx, callbackIds: readonly number[]): Promise<readonly DeliveryRow[]> {
  return tx.all<DeliveryRow>(
    sql`SELECT ${recordIn(tx)} FROM deliveries WHERE callback_id IN (${join(callbackIds)}) ORDER BY id`,
  );
}

/** A delivery with columns of its callback, without the body. */
export interface RowWithCallback extends DeliveryRow, Omit<NoticeRow, 'body'> {
  readonly bytes: number;
  readonly isOver: boolean;
  readonly hasFailedAgain: boolean;
}

/** These deliveries, in the order of `ids`. */
export async function withCallbacks(tx: Tx, ids: readonly number[]): Promise<readonly RowWithCallback[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<RowWithCallback>(sql`
    SELECT own.*, kind, started_at, times_received, bytes, ${IS_OVER} AS is_over, ${HAS_FAILED_AGAIN} AS has_failed_again
    FROM (SELECT ${recordIn(tx)} FROM deliveries WHERE id IN (${join(ids)})) AS own
    JOIN callbacks ON callbacks.id = own.callback_id`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Characters that a column keeps of a remote's text, which may be as long as a body. */
export const LONGEST_TEXT = 1000;

/** An error or a receipt as it is stored: a remote's texts may have any length, so they are cut. */
export function kept<Told extends DeliveryError | Receipt>(told: Told | undefined): Told | undefined {
  const short = (text: unknown) => (typeof text === 'string' ? shortText(text, LONGEST_TEXT) : text);
  return (
    told && (Object.fromEntries(Object.entries(told).map(([name, text]) => [name, short(text)])) as Told)
  );
}

/** The columns of `callbacks` that make a notice. */
export interface NoticeRow {
  readonly kind: CallbackKind;
  readonly startedAt: number;
  readonly timesReceived: number;
  /** In the form of `stored-body.ts`. */
  readonly body: Uint8Array;
}

function jsonIn(body: Uint8Array): unknown {
  return parseJson(Buffer.from(storedText(body))).value;
}

/** @param body in the form of `stored-body.ts` */
export function callbackIn(body: Uint8Array): Callback {
  return jsonIn(body) as Callback;
}

interface OverdueBody extends Pick<RaisedAlert, 'id'> {
  readonly subject: CheckedCallback & { readonly runningForMs: number };
}

export function noticeIn({ kind, startedAt, timesReceived, body }: NoticeRow): Notice {
  if (kind === 'callback') return noticeOf({ callback: callbackIn(body), startedAt }, timesReceived);
  const told = jsonIn(body);
  if (kind !== 'overdue') return noticeOfAlert(told as RaisedAlert);
  const { id: identity, subject } = told as OverdueBody;
  const { runningForMs, ...checked } = subject;
  // Not the callback's: a run may be overdue by several limits.
  return { ...noticeOf(checked, 1, { template: 'overdue', runningForMs }), identity };
}
