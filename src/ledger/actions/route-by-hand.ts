/** Routes a callback anew as a person has asked: sends it to all destinations that have not got it. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type Actor, writeHistory } from '../history.ts';
import { insertRows, makePending } from '../operations/deliveries.ts';
import { gained, isUnrouted, siblingsOf } from '../operations/rerouting.ts';
import { lockCallback } from '../operations/locks.ts';
import { IS_LATE_START } from '../rows.ts';
import type { PlanByHand, RoutedByHand } from './actions.ts';
import { keptActor } from './one-delivery.ts';

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
  const callback = await lockedCallback(tx, callbackId);
  if (callback === undefined) return undefined;
  if (callback.isLateStart) return 'superseded';
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
  const added = await insertRows(tx, { callbackId, jobKey: callback.jobKey, targets: lacking });
  await makePending(tx, [...revived, ...added], { countsAnew: true, givenBackAt: tx.now });
  return { told, untouched };
}

interface LockedCallback {
  readonly jobKey: string | undefined;
  readonly isLateStart: boolean;
}

/** Locks the callback's deliveries, too. */
async function lockedCallback(tx: Tx, id: number): Promise<LockedCallback | undefined> {
  await lockCallback(tx, id);
  return tx.first(sql`SELECT job_key, ${IS_LATE_START} AS is_late_start FROM callbacks WHERE id = ${id}`);
}
