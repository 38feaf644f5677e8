/** How a delivery stands for a person who would have it attempted again, or be done with it. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../hold.ts';
import { lock } from '../operations/locks.ts';
import type { DismissResult, RedeliverResult } from './actions.ts';

/** Of a row of `callbacks`: it tells of a start, and its job's result is known. */
export const IS_LATE_START: Sql = sql`(callbacks.kind = 'callback' AND callbacks.status = 2 AND EXISTS (
  SELECT 1 FROM jobs WHERE jobs.key = callbacks.job_key AND jobs.result IS NOT NULL))`;

export interface Standing {
  readonly id: number;
  readonly callbackId: number;
  readonly jobKey: string | null;
  readonly destination: string;
  readonly state: string;
  readonly holdCode: string | null;
  readonly receivedAt: number;
  readonly isLateStart: number;
}

/** In the order of their ids. */
export async function standingsOf(tx: Tx, ids: readonly number[]): Promise<readonly Standing[]> {
  if (ids.length === 0) return [];
  return tx.all<Standing>(sql`
    SELECT deliveries.id, deliveries.callback_id AS "callbackId", deliveries.job_key AS "jobKey", deliveries.destination,
      deliveries.state, deliveries.hold_code AS "holdCode", callbacks.received_at AS "receivedAt",
      CASE WHEN ${IS_LATE_START} THEN 1 ELSE 0 END AS "isLateStart"
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE deliveries.id IN (${join(ids)}) ORDER BY deliveries.id`);
}

/** As it stands while nobody else can change it; undefined: there is no such delivery. */
export async function lockedStanding(tx: Tx, id: number): Promise<Standing | undefined> {
  const [found] = await standingsOf(tx, [id]);
  if (found === undefined) return undefined;
  await lock(tx, { jobKeys: [found.jobKey], deliveryIds: [id] });
  return (await standingsOf(tx, [id]))[0];
}

export function redeliverResult(
  { state, holdCode, isLateStart }: Pick<Standing, 'state' | 'holdCode' | 'isLateStart'>,
  again: boolean,
): RedeliverResult {
  if (state === 'pending') return 'open';
  // Pending again, it would be held back again.
  if (holdCode === SUPERSEDED || isLateStart === 1) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state === 'dead') return 'accepted';
  return holdCode === NO_LONGER_ROUTED || holdCode === DISMISSED ? 'accepted' : 'open';
}

export function dismissResult({ state, holdCode }: Pick<Standing, 'state' | 'holdCode'>): DismissResult {
  if (holdCode === DISMISSED) return 'dismissed';
  return state === 'dead' || (state === 'held' && holdCode === NO_LONGER_ROUTED) ? 'dismissed' : 'not dead';
}

/** Counts as done from now on; why it failed stays to be read. */
export async function markDismissed(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(sql`
    UPDATE deliveries SET state = 'held', hold_code = ${DISMISSED}, hold_details = NULL, hold_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(ids)})`);
}
