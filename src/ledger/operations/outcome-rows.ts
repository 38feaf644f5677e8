/** How deliveries that were not told stand from now on: a decision, and the statement that writes it. */
import sql, { join, type RawValue } from 'sql-template-tag';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import { SUPERSEDED } from '../hold.ts';
import type { NewHistoryRow } from '../history.ts';
import { keyOf } from '../keys.ts';
import type { Alert, DeliveryState, DeliveryUpdate, Hold } from '../ledger.ts';
import { type ErrorDetails, EXECUTING, LONGEST_TEXT, receiptJson } from '../rows.ts';
import { lock } from './locks.ts';

/** A delivery as it stands while nobody else can change it. */
export interface LockedRow {
  readonly id: number;
  readonly callback_id: number;
  readonly state: DeliveryState;
  readonly owner: string | null;
  readonly is_ours: number;
  readonly due_at: number;
  readonly alerted_cause: string | null;
  /** Of its callback. */
  readonly status: number;
  /** Of its job; null: not known, or an alert's. */
  readonly job_result: number | null;
}

/** Of deliveries, locked, with their jobs locked before. */
export async function lockedRows(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, LockedRow>> {
  if (ids.length === 0) return new Map();
  await lock(tx, { deliveryIds: ids });
  const rows = await tx.all<LockedRow>(sql`
    SELECT deliveries.id, deliveries.callback_id, deliveries.state, deliveries.owner, deliveries.is_ours, deliveries.due_at,
      deliveries.alerted_cause, callbacks.status, jobs.result AS job_result
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id LEFT JOIN jobs ON jobs.key = deliveries.job_key
    WHERE deliveries.id IN (${join(ids)})`);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface Decision {
  readonly row: LockedRow;
  readonly update: DeliveryUpdate;
  readonly state: DeliveryState;
  readonly hold: Hold | undefined;
  readonly isOurs: boolean;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  readonly alertedCause: string | null;
  /** To be raised. */
  readonly alert: Alert | undefined;
  readonly entries: readonly NewHistoryRow[];
}

/** @returns undefined: somebody is told, or the claim was lost, so that it does not count */
export function decide(
  row: LockedRow | undefined,
  update: DeliveryUpdate,
  { now, owner }: Pick<Tx, 'now' | 'owner'>,
): Decision | undefined {
  if (row === undefined || update.state === 'delivered') return undefined;
  if (row.state !== 'pending' || row.owner !== owner) return undefined;
  const isSuperseded = update.state === 'pending' && row.status === EXECUTING && row.job_result !== null;
  const state = isSuperseded ? 'held' : update.state;
  const hold = isSuperseded ? { code: SUPERSEDED } : update.hold;
  const standing = { row, update, state, hold, isOurs: row.is_ours === 1 || update.isTakenOver };
  return {
    ...standing,
    dueAt: dueAt(row, update, now),
    ...(isSuperseded ? { alertedCause: row.alerted_cause, alert: undefined } : alertOf(row, update)),
    entries: entriesOf(standing),
  };
}

/** What somebody else has taken over meanwhile is not the service's to retry: it is due at once. */
function dueAt(row: LockedRow, { isTakenOver, dueInMs }: DeliveryUpdate, now: number): number {
  if (row.is_ours === 1 && !isTakenOver) return now;
  return dueInMs === undefined ? row.due_at : now + dueInMs;
}

/** What lasts is told once for each delivery: the next failure of the same cause tells nobody anything new. */
function alertOf(
  { alerted_cause }: LockedRow,
  { state, alert }: DeliveryUpdate,
): Pick<Decision, 'alertedCause' | 'alert'> {
  if (alert === undefined) return { alertedCause: alerted_cause, alert };
  const cause = keyOf(alert.cause);
  return { alertedCause: cause, alert: state === 'pending' && cause === alerted_cause ? undefined : alert };
}

function entriesOf({
  row,
  update,
  state,
  hold,
  isOurs,
}: Pick<Decision, 'row' | 'update' | 'state' | 'hold' | 'isOurs'>): readonly NewHistoryRow[] {
  const about = { callbackId: row.callback_id, deliveryId: row.id };
  if (state === 'held') {
    return [{ ...about, what: 'held', result: hold?.code ?? '', entry: { endsAt: hold?.endsAt } }];
  }
  if (state === 'dead') {
    return [{ ...about, what: 'dead', result: hold?.code ?? update.lastError?.class ?? '' }];
  }
  return isOurs && row.is_ours === 0 ? [{ ...about, what: 'taken_over' }] : [];
}

export async function writeDecision(tx: Tx, decision: Decision): Promise<void> {
  const { row, update, state, isOurs, dueAt: due, alertedCause } = decision;
  const receipt: RawValue = update.receipt === undefined ? null : receiptJson(update.receipt);
  const [errorClass, errorCode, errorMessage, errorDetails] = errorColumns(update);
  const [holdCode, holdDetails, holdUntil] = holdColumns(decision);
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${update.attempts}, error_class = ${errorClass},
      error_code = ${errorCode}, error_message = ${errorMessage}, error_details = ${errorDetails},
      receipt = ${receipt}, hold_code = ${holdCode}, hold_details = ${holdDetails}, hold_until = ${holdUntil}, owner = NULL, claimed_until = NULL,
      is_ours = ${Number(isOurs)}, due_at = ${due}, alerted_cause = ${alertedCause}, updated_at = ${tx.now}
    WHERE id = ${row.id}`);
}

/** A remote's words are foreign text, too. */
function errorColumns({ lastError }: DeliveryUpdate): readonly RawValue[] {
  if (lastError === undefined) return [null, null, null, null];
  const { class: failure, code, message, japanese, concerns } = lastError;
  const details: ErrorDetails = {
    ...(japanese !== undefined && { japanese: shortText(japanese, LONGEST_TEXT) }),
    ...(concerns !== undefined && { concerns }),
  };
  const short = [code, message].map((text) => shortText(text, LONGEST_TEXT));
  return [failure, ...short, JSON.stringify(details)];
}

function holdColumns({ hold }: Pick<Decision, 'hold'>): readonly [RawValue, RawValue, RawValue] {
  if (hold === undefined) return [null, null, null];
  const { code, details, endsAt = null } = hold;
  return [code, details === undefined ? null : JSON.stringify(details), endsAt];
}
