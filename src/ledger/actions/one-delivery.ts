/** Attempting one delivery again, and being done with one. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger.ts';
import { writeHistory } from '../history.ts';
import { makePending } from '../operations/deliveries.ts';
import { lockDeliveries } from '../operations/locks.ts';
import { type RowWithCallback, withCallbacks } from '../rows.ts';
import type { ActionRequest, DismissResult, Redeliverable, RedeliverResult } from './actions.ts';
import { doneBefore, entryOf, nonceFor } from './asked.ts';

/** @param again also what was delivered */
export async function redeliver(
  tx: Tx,
  id: number,
  request: ActionRequest,
  again: boolean,
): Promise<RedeliverResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  const nonce = nonceFor('redelivered', id, request);
  if ((await doneBefore(tx, nonce)) !== undefined) return 'accepted';
  const result = redeliverResult(row, again);
  if (result !== 'accepted') return result;
  await writeHistory(tx, [{ ...about(row), what: 'redelivered', entry: entryOf(request), nonce }]);
  await makePending(tx, [row], { countsAnew: true, givenBackAt: tx.now });
  return result;
}

/** A dead letter, or what is held as no longer routed, counts as done from now on; why it failed stays to be read. */
export async function dismiss(tx: Tx, id: number, request: ActionRequest): Promise<DismissResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  const nonce = nonceFor('dismissed', id, request);
  const isDone = row.hold_code === DISMISSED || (await doneBefore(tx, nonce)) !== undefined;
  if (isDone) return 'dismissed';
  if (row.state !== 'dead' && !(row.state === 'held' && row.hold_code === NO_LONGER_ROUTED))
    return 'not dead';
  await writeHistory(tx, [{ ...about(row), what: 'dismissed', entry: entryOf(request), nonce }]);
  await markDismissed(tx, [row]);
  return 'dismissed';
}

export async function markDismissed(tx: Tx, rows: readonly { readonly id: number }[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.all(sql`
    UPDATE deliveries SET state = 'held', hold_code = ${DISMISSED}, hold_details = NULL, hold_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
}

function about({ id, callback_id }: RowWithCallback) {
  return { callbackId: callback_id, deliveryId: id };
}

/** As it stands while nobody else can change it; undefined: there is no such delivery. */
async function lockedRow(tx: Tx, id: number): Promise<RowWithCallback | undefined> {
  await lockDeliveries(tx, [id]);
  return (await withCallbacks(tx, [id]))[0];
}

function redeliverResult(
  { state, hold_code, is_late_start }: RowWithCallback,
  again: boolean,
): RedeliverResult {
  if (state === 'pending') return 'open';
  // Pending again, it would be held back again.
  if (hold_code === SUPERSEDED || is_late_start === 1) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state === 'dead') return 'accepted';
  return hold_code === NO_LONGER_ROUTED || hold_code === DISMISSED ? 'accepted' : 'open';
}

const MOST_LOOKED_AT = 1000;

/** Those that there are, in the order of their ids; at most a thousand. */
export async function lookAt(tx: Tx, deliveryIds: readonly number[]): Promise<readonly Redeliverable[]> {
  const rows = await withCallbacks(tx, deliveryIds.slice(0, MOST_LOOKED_AT));
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map((row) => ({
      id: row.id,
      destination: row.destination,
      receivedAt: row.received_at,
      result: redeliverResult(row, false),
    }));
}
