/** Attempting one delivery again, and being done with one. */
import sql, { join } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import { type ActionEntry, writeHistory } from '../history.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger.ts';
import { makePending } from '../operations/deliveries.ts';
import { lockDeliveries } from '../operations/locks.ts';
import { type RowWithCallback, withCallbacks } from '../rows.ts';
import type { ActionRequest, DismissResult, RedeliverResult } from './actions.ts';

/** A header or a name on a command line may hold anything. */
const LONGEST_NAME = 200;
const LONGEST_NOTE = 1000;

/** What a person asked for, as the ledger keeps it: who, and why. */
export function entryOf({ actor: { via, user, from }, note }: ActionRequest): ActionEntry {
  const kept = (text: string | undefined, longest: number) => text && shortText(cleanText(text), longest);
  return {
    actor: { via, user: kept(user, LONGEST_NAME), from: kept(from, LONGEST_NAME) ?? '' },
    note: kept(note, LONGEST_NOTE),
  };
}

/** A form of the page that is sent twice comes twice within this time. */
const SAME_REQUEST_MS = 1000;

/** @param again also what was delivered */
export async function redeliver(
  tx: Tx,
  id: number,
  request: ActionRequest,
  again: boolean,
): Promise<RedeliverResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  const result = redeliverResult(row, again);
  const isRepeated =
    request.actor.via === 'page' && Math.abs(tx.now - (row.givenBackAt ?? 0)) < SAME_REQUEST_MS;
  if (result !== 'accepted' || (isRepeated && row.state !== 'dead')) return result;
  await note(tx, row, 'redelivered', request);
  await makePending(tx, [row], { countsAnew: true, givenBackAt: tx.now });
  return result;
}

/** A dead letter, or what is held as no longer routed, counts as done from now on; why it failed stays to be read. */
export async function dismiss(tx: Tx, id: number, request: ActionRequest): Promise<DismissResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  if (row.reason === DISMISSED) return 'dismissed';
  if (row.state !== 'dead' && !(row.state === 'held' && row.reason === NO_LONGER_ROUTED)) return 'not dead';
  await note(tx, row, 'dismissed', request);
  await markDismissed(tx, [row]);
  return 'dismissed';
}

function note(
  tx: Tx,
  { id, callbackId }: RowWithCallback,
  what: 'redelivered' | 'dismissed',
  request: ActionRequest,
): Promise<void> {
  return writeHistory(tx, [{ callbackId, deliveryId: id, what, entry: entryOf(request) }]);
}

export async function markDismissed(
  tx: Tx,
  rows: readonly { readonly id: number; readonly callbackId: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.all(sql`
    UPDATE deliveries SET state = 'held', reason = ${DISMISSED}, held_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  // What a summary was to tell is done with, too.
  await tx.all(sql`
    UPDATE deliveries SET reason = ${DISMISSED}, updated_at = ${tx.now}
    WHERE state = 'held' AND summary_id IN (${join(rows.map(({ callbackId }) => callbackId))})`);
}

/** As it stands while nobody else can change it; undefined: there is no such delivery. */
async function lockedRow(tx: Tx, id: number): Promise<RowWithCallback | undefined> {
  await lockDeliveries(tx, [id]);
  return (await withCallbacks(tx, [id]))[0];
}

function redeliverResult({ state, reason, isLateStart }: RowWithCallback, again: boolean): RedeliverResult {
  // Pending again, it would be held back again.
  if (reason === SUPERSEDED || isLateStart) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state !== 'held') return 'accepted';
  return reason === NO_LONGER_ROUTED || reason === DISMISSED ? 'accepted' : 'open';
}
