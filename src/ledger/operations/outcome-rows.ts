/** How deliveries that were not told stand from now on: a decision, and the statement that writes it. */
import sql from 'sql-template-tag';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import type { NewHistoryRow } from '../history.ts';
import { keyOf } from '../keys.ts';
import { type Alert, type DeliveryState, type DeliveryUpdate, type Hold, SUPERSEDED } from '../ledger.ts';
import { type ErrorDetails, LONGEST_TEXT, receiptJson, type RowWithCallback } from '../rows.ts';

/** What is to be written of a delivery, and the alert that is to be raised. */
export type Decision = NonNullable<ReturnType<typeof decide>>;

/** @returns undefined: somebody is told, or the claim was lost, so that it does not count */
export function decide(
  row: RowWithCallback | undefined,
  update: DeliveryUpdate,
  { now, owner }: Pick<Tx, 'now' | 'owner'>,
) {
  if (row === undefined || update.state === 'delivered') return undefined;
  if (row.state !== 'pending' || row.owner !== owner) return undefined;
  const isSuperseded = update.state === 'pending' && row.is_late_start === 1;
  const state: DeliveryState = isSuperseded ? 'held' : update.state;
  const hold: Hold | undefined = isSuperseded ? { code: SUPERSEDED } : update.hold;
  const isOurs = row.is_ours === 1 || update.isTakenOver;
  return {
    row,
    update,
    state,
    hold,
    isOurs,
    dueAt: dueAt(row, update, now),
    ...(isSuperseded ? { alertedCause: row.alerted_cause, alert: undefined } : alertOf(row, update)),
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
): { readonly alertedCause: string | null; readonly alert: Alert | undefined } {
  if (alert === undefined) return { alertedCause: alerted_cause, alert };
  const cause = keyOf(alert.cause);
  return { alertedCause: cause, alert: state === 'pending' && cause === alerted_cause ? undefined : alert };
}

/** How it stands from now on, where that is another state. */
export function entriesOf({ row, update, state, hold, isOurs }: Decision): readonly NewHistoryRow[] {
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
  const { row, update, state, hold, isOurs, alertedCause } = decision;
  const { lastError, receipt } = update;
  // A remote's words are foreign text, too.
  const kept = (text: string | undefined) => (text === undefined ? null : shortText(text, LONGEST_TEXT));
  await tx.all(sql`
    UPDATE deliveries SET state = ${state}, attempts = ${update.attempts}, error_class = ${lastError?.class ?? null},
      error_code = ${kept(lastError?.code)}, error_message = ${kept(lastError?.message)},
      error_details = ${errorDetails(lastError)},
      receipt = ${receipt === undefined ? null : receiptJson(receipt)}, hold_code = ${hold?.code ?? null},
      hold_details = ${hold?.details === undefined ? null : JSON.stringify(hold.details)},
      hold_until = ${hold?.endsAt ?? null}, owner = NULL, claimed_until = NULL, is_ours = ${Number(isOurs)},
      due_at = ${decision.dueAt}, alerted_cause = ${alertedCause}, updated_at = ${tx.now}
    WHERE id = ${row.id}`);
}

/** What there is beside class, code and English words. */
function errorDetails(error: DeliveryUpdate['lastError']): string | null {
  if (error === undefined) return null;
  const { japanese, concerns } = error;
  const details: ErrorDetails = {
    ...(japanese !== undefined && { japanese: shortText(japanese, LONGEST_TEXT) }),
    ...(concerns !== undefined && { concerns }),
  };
  return JSON.stringify(details);
}
