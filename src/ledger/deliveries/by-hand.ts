/** Redelivers or dismisses one delivery, or routes a callback anew, as a person has asked. */
import sql, { join } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import { type ActionEntry, type Actor, writeEach, writeHistory } from '../callbacks/history.ts';
import { type DeliveryTarget, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger.ts';
import { insertRows, makePending } from './deliveries.ts';
import { lockCallback, lockDeliveries } from './locks.ts';
import { gained, isUnrouted, siblingsOf } from './rerouting.ts';
import { IS_OVER, IS_OF_JOB, JOB_KEY, type RowWithCallback, withCallbacks } from './rows.ts';

/** `delivered`: it was, and `again` was not set; `superseded`: it never can be; `open`: a rule holds it for now. */
export type RedeliverResult = 'accepted' | 'delivered' | 'superseded' | 'let go' | 'open' | 'unknown';

export type DismissResult = 'dismissed' | 'not dead' | 'unknown';

export interface PlanByHand {
  readonly targets: readonly DeliveryTarget[];
  readonly routing: unknown;
  /** The type of each channel, by its name: an address told under a channel's former name is not told again. */
  readonly channels: ReadonlyMap<string, string>;
}

export interface RoutedByHand {
  /** Destinations that are new, or whose delivery is attempted again. */
  readonly told: readonly string[];
  /** Destinations for which nothing changes: they have it already, or get it anyway. */
  readonly untouched: readonly string[];
}

const LONGEST_NAME = 200;

/** Cleaned and cut, since a header or a name on a command line may hold anything. */
export function keptActor({ via, user, from }: Actor): Actor {
  const kept = (text: string) => shortText(cleanText(text), LONGEST_NAME);
  return { via, user: user && kept(user), from: kept(from) };
}

/** A double click sends a form of the page twice within this time. */
const SAME_REQUEST_MS = 1000;

/** @param again also redelivers a delivered one */
export async function redeliver(tx: Tx, id: number, actor: Actor, again: boolean): Promise<RedeliverResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  const result = redeliverResult(row, again);
  const isRepeated = actor.via === 'page' && Math.abs(tx.now - (row.givenBackAt ?? 0)) < SAME_REQUEST_MS;
  if (result !== 'accepted' || (isRepeated && row.state !== 'dead')) return result;
  await giveBack(tx, [row], 'redelivered', { actor: keptActor(actor) });
  return result;
}

/** Marks a dead letter, or a delivery no longer routed, as done; its last error is kept. */
export async function dismiss(tx: Tx, id: number, actor: Actor): Promise<DismissResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  if (row.reason === DISMISSED) return 'dismissed';
  if (row.state !== 'dead' && !(row.state === 'held' && row.reason === NO_LONGER_ROUTED)) return 'not dead';
  await giveBack(tx, [row], 'dismissed', { actor: keptActor(actor) });
  return 'dismissed';
}

/** Has deliveries that are locked attempted again, or marks them as done. */
export async function giveBack(
  tx: Tx,
  rows: readonly { readonly id: number; readonly callbackId: number }[],
  what: 'redelivered' | 'dismissed',
  entry: ActionEntry,
): Promise<void> {
  if (rows.length === 0) return;
  await writeEach(tx, rows, what, { entry });
  if (what === 'redelivered')
    return makePending(tx, rows, { countsAnew: true, givenBackAt: tx.now, bulkId: entry.bulkId });
  await tx.all(sql`
    UPDATE deliveries SET state = 'held', reason = ${DISMISSED}, held_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  // Dismissing a summary dismisses what it contains.
  await tx.all(sql`
    UPDATE deliveries SET reason = ${DISMISSED}, updated_at = ${tx.now}
    WHERE state = 'held' AND summary_id IN (${join(rows.map(({ callbackId }) => callbackId))})`);
}

async function lockedRow(tx: Tx, id: number): Promise<RowWithCallback | undefined> {
  await lockDeliveries(tx, [id]);
  return (await withCallbacks(tx, [id]))[0];
}

function redeliverResult(row: RowWithCallback, again: boolean): RedeliverResult {
  const { state, reason, isOver, heldUntil, summaryId } = row;
  // If made pending, it would be held as superseded again.
  if (reason === SUPERSEDED || isOver) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state !== 'held') return 'accepted';
  if (reason === NO_LONGER_ROUTED || reason === DISMISSED) return 'accepted';
  return heldUntil === undefined && summaryId === undefined ? 'let go' : 'open';
}

/**
 * Adds the targets that the callback lacks, and attempts those again that are dead or no longer routed.
 * @param plan by today's config
 * @returns undefined: there is no such callback; superseded: its job's result is known, so nothing is sent
 */
export async function routeByHand(
  tx: Tx,
  callbackId: number,
  { targets, routing, channels }: PlanByHand,
  actor: Actor,
): Promise<RoutedByHand | 'superseded' | undefined> {
  await lockCallback(tx, callbackId);
  const callback = await tx.first<Pick<RowWithCallback, 'receivedAt' | 'jobKey' | 'errorOf' | 'isOver'>>(
    sql`SELECT received_at, CASE WHEN ${IS_OF_JOB} THEN ${JOB_KEY} END AS job_key, CASE WHEN error IS NOT NULL THEN bot_key END AS error_of,
      ${IS_OVER} AS is_over FROM callbacks WHERE id = ${callbackId}`,
  );
  if (callback === undefined) return undefined;
  if (callback.isOver) return 'superseded';
  const { lacking, revived } = gained(
    targets,
    await siblingsOf(tx, sql`${callbackId}`),
    channels,
    (each) => each.state === 'dead' || isUnrouted(each),
  );
  const told = [...revived, ...lacking].map(({ destination }) => destination);
  const untouched = targets.map(({ destination }) => destination).filter((name) => !told.includes(name));
  await writeHistory(tx, [
    { callbackId, what: 'routed_anew', entry: { actor: keptActor(actor), told, untouched } },
    { callbackId, what: 'routed', entry: { by: 'hand', explanations: routing } },
  ]);
  const { receivedAt, jobKey, errorOf } = callback;
  const added = await insertRows(tx, { callbackId, receivedAt, jobKey, errorOf, targets: lacking });
  await makePending(tx, [...revived, ...added], { countsAnew: true, givenBackAt: tx.now });
  return { told, untouched };
}
