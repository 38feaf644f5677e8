/** Between the ledger's rows and its records. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Callback } from '../callback/callback.ts';
import { parseExactly } from '../callback/decode.ts';
import type { Receipt } from '../channels/channel.ts';
import { type Notice, noticeOf, noticeOfAlert, type RaisedAlert } from '../notice/notice.ts';
import { shortText } from '../text/cut.ts';
import type { Tx } from './database.ts';
import type { DeliveryError, DeliveryRecord, DeliveryState, DueDelivery, Hold } from './ledger.ts';
import { storedText } from './stored-body.ts';

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

export interface HoldColumns {
  readonly hold_code: string | null;
  readonly hold_details: string | null;
  readonly hold_until: number | null;
}

/** A row of `deliveries`, as `SELECT deliveries.*` gives it. */
export interface DeliveryRow extends HoldColumns {
  readonly id: number;
  readonly callback_id: number;
  readonly job_key: string | null;
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly refusals: number;
  readonly error: string | null;
  readonly receipt: string | null;
  readonly owner: string | null;
  readonly claimed_until: number | null;
  readonly due_at: number;
  readonly is_ours: number;
  readonly counts_from: number;
  readonly waited_ms: number;
  readonly alerted_cause: string | null;
  readonly is_bulk: number;
  readonly bulk_id: number | null;
  readonly given_back_at: number | null;
  readonly updated_at: number;
}

/** Of a row of `deliveries`: nobody is attempting it at this moment, as far as is known. */
export function isIdle(now: number): Sql {
  return sql`(claimed_until IS NULL OR claimed_until <= ${now})`;
}

/** Of a row of `deliveries`: what is pending of its job, at its destination, from earlier callbacks. */
export const EARLIER_IN_JOB: Sql = sql`
  SELECT earlier.id FROM deliveries AS earlier
  WHERE earlier.state = 'pending' AND earlier.job_key = deliveries.job_key
    AND earlier.destination = deliveries.destination AND earlier.callback_id < deliveries.callback_id`;

/** Of a row of `callbacks`: it tells of a start, and its job's result is known. */
export const IS_LATE_START: Sql = sql`(callbacks.kind = 'callback' AND callbacks.status = 2 AND EXISTS (
  SELECT 1 FROM jobs WHERE jobs.key = callbacks.job_key AND jobs.result IS NOT NULL))`;

/** A delivery with what its callback says, but for the body. */
export interface RowWithCallback extends DeliveryRow, Omit<NoticeRow, 'body'> {
  readonly received_at: number;
  readonly bytes: number;
  readonly is_late_start: number;
}

/** In the order of the ids. */
export async function withCallbacks(tx: Tx, ids: readonly number[]): Promise<readonly RowWithCallback[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<RowWithCallback>(sql`
    SELECT deliveries.*, kind, started_at, times_received, received_at, bytes,
      CASE WHEN ${IS_LATE_START} THEN 1 ELSE 0 END AS is_late_start
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE deliveries.id IN (${join(ids)})`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Whose claim is on it, and what it waits for. */
export type Standing = Pick<DeliveryRecord, 'claim' | 'behind'>;

/** @param now by the store's clock */
export function deliveryRecord(row: DeliveryRow, now: number, { claim, behind }: Standing): DeliveryRecord {
  return {
    id: row.id,
    destination: row.destination,
    channel: row.channel,
    address: row.address,
    state: row.state,
    attempts: row.attempts,
    lastError: errorIn(row),
    receipt: row.receipt === null ? undefined : (JSON.parse(row.receipt) as Receipt),
    hold: holdIn(row),
    refusals: row.refusals,
    isTakenOver: row.is_ours === 1,
    claim,
    behind,
    ageMs: now - row.counts_from - row.waited_ms,
    givenBackAt: row.given_back_at ?? undefined,
  };
}

export function errorIn({ error }: { readonly error: string | null }): DeliveryError | undefined {
  return error === null ? undefined : (JSON.parse(error) as DeliveryError);
}

export function holdIn({ hold_code, hold_details, hold_until }: HoldColumns): Hold | undefined {
  if (hold_code === null) return undefined;
  return {
    code: hold_code,
    ...(hold_details !== null && { details: JSON.parse(hold_details) as Record<string, unknown> }),
    ...(hold_until !== null && { endsAt: hold_until }),
  };
}

/** Characters: what a column for people holds of a remote's words, which may be as long as a body. */
export const LONGEST_TEXT = 1000;

/** A remote's words may be as long as it likes. */
export function keptError(error: DeliveryError): DeliveryError {
  const kept = (text: string) => shortText(text, LONGEST_TEXT);
  const { code, message, japanese } = error;
  const words = { code: kept(code), message: kept(message) };
  return { ...error, ...words, ...(japanese !== undefined && { japanese: kept(japanese) }) };
}

/** And so may its answer. */
export function keptReceipt(receipt: Receipt): Receipt {
  const kept = Object.entries(receipt).map(([name, value]) => [name, shortText(value, LONGEST_TEXT)]);
  return Object.fromEntries(kept) as Receipt;
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Columns of `callbacks` that tell what is to be told. */
export interface NoticeRow {
  readonly kind: string;
  readonly started_at: number;
  readonly times_received: number;
  /** As `stored-body.ts` keeps it. */
  readonly body: Uint8Array;
}

export function noticeIn({ kind, started_at, times_received, body }: NoticeRow): Notice {
  const text = storedText(body);
  if (kind === 'alert') return noticeOfAlert(JSON.parse(text) as RaisedAlert);
  const checked = { callback: parseExactly(text) as Callback, startedAt: started_at };
  return noticeOf(checked, times_received);
}

/** A due delivery as it comes from the database: its body is read where there is time for it. */
export type ClaimedRow = Omit<DueDelivery, 'notice'> & { readonly told: NoticeRow };

export function dueDelivery({ told, ...delivery }: ClaimedRow): DueDelivery {
  return { ...delivery, notice: noticeIn(told) };
}
