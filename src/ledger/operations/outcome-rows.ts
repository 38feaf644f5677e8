/** How deliveries that were not told stand from now on: a decision, and the statement that writes it. */
import sql, { type RawValue } from 'sql-template-tag';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import { SUPERSEDED } from '../hold.ts';
import type { NewHistoryRow } from '../history.ts';
import { keyOf } from '../keys.ts';
import type { Alert, DeliveryState, DeliveryUpdate, Hold } from '../ledger.ts';
import { LONGEST_TEXT, receiptJson, type RowWithCallback } from '../rows.ts';

export interface Decision {
  readonly row: RowWithCallback;
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
  row: RowWithCallback | undefined,
  update: DeliveryUpdate,
  { now, owner }: Pick<Tx, 'now' | 'owner'>,
): Decision | undefined {
  if (row === undefined || update.state === 'delivered') return undefined;
  if (row.state !== 'pending' || row.owner !== owner) return undefined;
  const isSuperseded = update.state === 'pending' && row.is_late_start === 1;
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
function dueAt(row: RowWithCallback, { isTakenOver, dueInMs }: DeliveryUpdate, now: number): number {
  if (row.is_ours === 1 && !isTakenOver) return now;
  return dueInMs === undefined ? row.due_at : now + dueInMs;
}

/** What lasts is told once for each delivery: the next failure of the same cause tells nobody anything new. */
function alertOf(
  { alerted_cause }: RowWithCallback,
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
  const [errorClass, errorCode, errorMessage] = errorColumns(update);
  const [holdCode, holdDetails, holdUntil] = holdColumns(decision);
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${update.attempts}, error_class = ${errorClass},
      error_code = ${errorCode}, error_message = ${errorMessage}, receipt = ${receipt}, hold_code = ${holdCode},
      hold_details = ${holdDetails}, hold_until = ${holdUntil}, owner = NULL, claimed_until = NULL,
      is_ours = ${Number(isOurs)}, due_at = ${due}, alerted_cause = ${alertedCause}, updated_at = ${tx.now}
    WHERE id = ${row.id}`);
}

/** A remote's words are foreign text, too. */
function errorColumns({ lastError }: DeliveryUpdate): readonly [RawValue, RawValue, RawValue] {
  if (lastError === undefined) return [null, null, null];
  const { class: failure, code, message } = lastError;
  return [failure, shortText(code, LONGEST_TEXT), shortText(message, LONGEST_TEXT)];
}

function holdColumns({ hold }: Pick<Decision, 'hold'>): readonly [RawValue, RawValue, RawValue] {
  if (hold === undefined) return [null, null, null];
  const { code, details, endsAt = null } = hold;
  return [code, details === undefined ? null : JSON.stringify(details), endsAt];
}
