/** Between the ledger's rows and its records. */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { shortText } from '../text/cut.ts';
import type { FailureClass } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import {
  type AttemptRecord,
  type DeliveryError,
  type DeliveryRecord,
  type DeliveryState,
  type DeliveryTarget,
  type DeliveryUpdate,
  type HistoryRecord,
  type Settlement,
} from './ledger.ts';
import type { Hold } from './hold.ts';
import type { DeliveryRow, HistoryAttempt, HistoryEntry, HistoryRow } from './tables.ts';

/** A time of the store, or the expression that its statements evaluate to one. */
export type Moment = number | RawBuilder<number>;

export interface StoreTime {
  readonly now: Moment;
  in(ms: number): Moment;
}

export function storeTime(now: Moment): StoreTime {
  return { now, in: (ms) => (typeof now === 'number' ? now + ms : sql<number>`${now} + ${ms}`) };
}

export interface Claim {
  readonly owner: string;
  readonly leaseMs: number;
}

/**
 * `due_at` of a delivery that waits for an earlier one of its job and destination: whoever finishes that one makes this one
 * due.
 */
export const WAITS_FOR_EARLIER = Number.MAX_SAFE_INTEGER;

/** How new deliveries are written: claimed by the request that brought them, or due for the worker. */
export interface InitialState {
  /** Undefined: nobody's yet. */
  readonly claim: Claim | undefined;
  readonly dueInMs: number;
  readonly isTakenOver: boolean;
}

/** Characters: what a column for people holds of foreign text, which may be as long as a body. */
export const LONGEST_TEXT = 1000;

/** A delivery to be written. */
export interface NewDelivery {
  readonly callbackId: number;
  /** Undefined for an alert. */
  readonly jobId: string | undefined;
  readonly target: DeliveryTarget;
  readonly initial: InitialState;
  /** An earlier one of its job is still on its way there. */
  readonly isBlocked: boolean;
}

export function plannedRow(
  { callbackId, jobId, target, initial: { claim, dueInMs, isTakenOver }, isBlocked }: NewDelivery,
  time: StoreTime,
) {
  return {
    callback_id: callbackId,
    destination: target.destination,
    channel: target.channel,
    address: target.address,
    state: 'pending',
    attempts: 0,
    refusals: 0,
    claimed_by: claim?.owner ?? null,
    claimed_until: claim === undefined ? null : time.in(claim.leaseMs),
    due_at: isBlocked ? WAITS_FOR_EARLIER : time.in(dueInMs),
    is_ours: Number(isTakenOver),
    updated_at: time.now,
    job_key: jobId ?? null,
    counts_from: time.now,
  } satisfies Insertable<DeliveryRow>;
}

/** A delivery as it was planned, once it is written. */
export function plannedRecord(
  id: number,
  target: DeliveryTarget,
  { claim, isTakenOver }: InitialState,
): DeliveryRecord {
  const { destination, channel, address } = target;
  return {
    id,
    destination,
    channel,
    address,
    state: 'pending',
    attempts: 0,
    lastError: undefined,
    receipt: undefined,
    hold: undefined,
    failedAnswers: 0,
    isClaimed: claim !== undefined,
    isTakenOver,
    ageMs: 0,
  };
}

/** A delivery's row with whether its claim still stands, and its age in milliseconds, without what it only waited. */
export type StandingRow = Selectable<DeliveryRow> & {
  readonly is_claimed: number;
  readonly age_ms: number;
  readonly hold_ends_in_ms: number | null;
};

/** To be selected beside the columns of `deliveries`. */
export function standingColumns({ now }: StoreTime) {
  return [
    sql<number>`case when state = 'pending' and claimed_until > ${now} then 1 else 0 end`.as('is_claimed'),
    sql<number>`${now} - coalesce(counts_from, updated_at) - waited_ms`.as('age_ms'),
    sql<number | null>`held_until - ${now}`.as('hold_ends_in_ms'),
  ] as const;
}

export function deliveryRecord(row: StandingRow): DeliveryRecord {
  const record: DeliveryRecord = {
    id: row.id,
    destination: row.destination,
    channel: row.channel,
    address: row.address,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    failedAnswers: row.refusals,
    lastError: errorIn(row),
    receipt: row.receipt === null ? undefined : (JSON.parse(row.receipt) as Receipt),
    hold: holdIn(row),
    isClaimed: row.is_claimed === 1,
    isTakenOver: row.is_ours === 1,
    ageMs: row.age_ms,
  };
  if (row.given_back_at === null && row.is_followed === null) return record;
  return { ...record, givenBackAt: row.given_back_at ?? undefined, isFollowed: row.is_followed === 1 };
}

type ErrorColumns = Pick<Selectable<DeliveryRow>, 'error_class' | 'error_code' | 'error_message'>;

export function errorIn({ error_class, error_code, error_message }: ErrorColumns): DeliveryError | undefined {
  if (error_class === null) return undefined;
  return { class: error_class as FailureClass, code: error_code ?? '', message: error_message ?? '' };
}

/** @param hold undefined: it is not held */
function holdColumns<Moment>(hold: Hold | undefined, momentIn: (ms: number) => Moment) {
  return {
    held_because: hold === undefined ? null : hold.code,
    held_details: hold?.details === undefined ? null : JSON.stringify(hold.details),
    held_until: hold?.endsInMs === undefined ? null : momentIn(hold.endsInMs),
  };
}

function holdIn(row: {
  readonly held_because: string | null;
  readonly held_details: string | null;
  readonly hold_ends_in_ms: number | null;
}): Hold | undefined {
  const { held_because: code, held_details: json, hold_ends_in_ms: endsInMs } = row;
  if (code === null) return undefined;
  const details = json === null ? undefined : (JSON.parse(json) as Hold['details']);
  return { code, details, endsInMs: endsInMs ?? undefined };
}

/** A remote's answer may be as long as it likes. */
function receiptJson(receipt: Receipt): string {
  const json = JSON.stringify(receipt);
  if (json.length <= LONGEST_TEXT) return json;
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(receipt).map(([name, value]) => [name, shortText(value, LONGEST_TEXT)]),
    ),
  );
}

/** All but `due_at`, which is each database's to compute. Each column by its name: what stands behind a spread takes V8 several times as long. */
export function updatedColumns(update: DeliveryUpdate, time: StoreTime) {
  const error = update.lastError;
  const held = holdColumns(update.hold, (ms) => time.in(ms));
  return {
    state: update.state,
    attempts: update.attempts,
    refusals: update.failedAnswers,
    error_class: error === undefined ? null : error.class,
    // A remote's words are foreign text, too.
    error_code: error === undefined ? null : shortText(error.code, LONGEST_TEXT),
    error_message: error === undefined ? null : shortText(error.message, LONGEST_TEXT),
    receipt: update.receipt === undefined ? null : receiptJson(update.receipt),
    is_followed: update.isFollowed === true ? 1 : null,
    held_because: held.held_because,
    held_details: held.held_details,
    held_until: held.held_until,
    claimed_by: null,
    claimed_until: null,
    is_ours: Number(update.isTakenOver),
    updated_at: time.now,
  };
}

/** An attempt that was not made, say at a channel that asked to be left alone, is nothing to remember. */
export function historyIn({ history }: Settlement): readonly HistoryRecord[] {
  const isEmpty = history === undefined || (history.attempts.length === 0 && history.answer === undefined);
  return isEmpty ? [] : [history];
}

export function historyRow({ callbackId, attempts, answer }: HistoryRecord) {
  const entry: HistoryEntry = {
    attempts: attempts.length === 0 ? undefined : attempts.map(historyAttempt),
    answer: answer && {
      received_at: answer.receivedAt,
      answered_at: answer.answeredAt,
      status: answer.status,
      result: answer.result,
    },
  };
  return { callback_id: callbackId, entry: JSON.stringify(entry) } satisfies Insertable<HistoryRow>;
}

function historyAttempt(attempt: AttemptRecord): HistoryAttempt {
  const { deliveryId, startedAt, durationMs, outcome, error } = attempt;
  return {
    delivery_id: deliveryId,
    started_at: startedAt,
    duration_ms: Math.round(durationMs),
    outcome,
    error_code: error && shortText(error.code, LONGEST_TEXT),
    error_message: error && shortText(error.message, LONGEST_TEXT),
  };
}
