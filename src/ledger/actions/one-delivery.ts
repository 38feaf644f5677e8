/** Attempting one delivery again, and being done with one. */
import { DISMISSED } from '../hold.ts';
import { type ActionContext, doneBefore, nonceFor, writeActions } from './action-rows.ts';
import type { ActionRequest, DismissResult, RedeliverResult } from './actions.ts';
import {
  dismissResult,
  giveBack,
  lockStanding,
  markDismissed,
  redeliverResult,
  standingQuery,
} from './standing.ts';

export async function redeliver(
  context: ActionContext,
  id: number,
  request: ActionRequest,
  again: boolean,
): Promise<RedeliverResult> {
  const standing = await lockOne(context, id);
  if (standing === undefined) return 'unknown';
  const nonce = nonceFor('redelivered', id, request);
  if ((await doneBefore(context, nonce)) !== undefined) return 'accepted';
  const result = redeliverResult(standing, again);
  if (result !== 'accepted') return result;
  const { actor, note } = request;
  const action = { callbackId: standing.callback_id, deliveryIds: [id], actor, note, nonce };
  await writeActions(context, [{ ...action, what: 'redelivered' }]);
  await giveBack(context, [id]);
  return result;
}

/** @param onDone with the id of the callback */
export async function dismiss(
  context: ActionContext,
  id: number,
  request: ActionRequest,
  onDone: (callbackId: number) => void,
): Promise<DismissResult> {
  const standing = await lockOne(context, id);
  if (standing === undefined) return 'unknown';
  const nonce = nonceFor('dismissed', id, request);
  if ((await doneBefore(context, nonce)) !== undefined) return 'dismissed';
  const result = dismissResult(standing);
  if (result === 'not dead' || standing.held_because === DISMISSED) return result;
  const { actor, note } = request;
  const action = { callbackId: standing.callback_id, deliveryIds: [id], actor, note, nonce };
  await writeActions(context, [{ ...action, what: 'dismissed' }]);
  await markDismissed(context, [id]);
  onDone(standing.callback_id);
  return result;
}

async function lockOne(context: ActionContext, id: number) {
  const [found] = await standingQuery(context.trx, [id]).execute();
  if (found === undefined) return undefined;
  const [standing] = await lockStanding(context, [found]);
  return standing;
}
