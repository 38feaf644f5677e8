/** Attempting one delivery again, and being done with one. */
import type { Tx } from '../database.ts';
import { DISMISSED } from '../hold.ts';
import { writeHistory } from '../history.ts';
import { makePending } from '../operations/deliveries.ts';
import type { ActionRequest, DismissResult, RedeliverResult } from './actions.ts';
import { doneBefore, entryOf, nonceFor } from './requests.ts';
import { dismissResult, lockedStanding, markDismissed, redeliverResult, type Standing } from './standing.ts';

interface AskedOfDelivery {
  readonly id: number;
  readonly request: ActionRequest;
}

export async function redeliver(
  tx: Tx,
  { id, request, again }: AskedOfDelivery & { readonly again: boolean },
): Promise<RedeliverResult> {
  const standing = await lockedStanding(tx, id);
  if (standing === undefined) return 'unknown';
  const nonce = nonceFor('redelivered', id, request);
  if ((await doneBefore(tx, nonce)) !== undefined) return 'accepted';
  const result = redeliverResult(standing, again);
  if (result !== 'accepted') return result;
  await write(tx, 'redelivered', standing, request, nonce);
  await makePending(tx, [id], { countsAnew: true, givenBackAt: tx.now });
  return result;
}

export async function dismiss(tx: Tx, { id, request }: AskedOfDelivery): Promise<DismissResult> {
  const standing = await lockedStanding(tx, id);
  if (standing === undefined) return 'unknown';
  const nonce = nonceFor('dismissed', id, request);
  if ((await doneBefore(tx, nonce)) !== undefined) return 'dismissed';
  const result = dismissResult(standing);
  if (result === 'not dead' || standing.holdCode === DISMISSED) return result;
  await write(tx, 'dismissed', standing, request, nonce);
  await markDismissed(tx, [id]);
  return result;
}

function write(
  tx: Tx,
  what: 'redelivered' | 'dismissed',
  { id, callbackId }: Standing,
  request: ActionRequest,
  nonce: string | undefined,
): Promise<void> {
  return writeHistory(tx, [{ callbackId, what, deliveryId: id, entry: entryOf(request), nonce }]);
}
