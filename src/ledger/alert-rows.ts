/** Alerts are written like callbacks of a kind of their own, so that the worker delivers them as it does all else. */
import type { HotStatements, StatementContext } from './hot-statements.ts';
import type { Alert, CallbackKind } from './ledger.ts';
import { readKeptAlert } from '../notice/alert-body.ts';
import { type Notice, noticeOf, noticeOfAlert } from '../notice/notice.ts';
import { callbackIn, callbackRow } from './rows.ts';
import type { CallbackRow } from './tables.ts';

const NO_JOB = '';

export async function writeAlert(
  context: StatementContext,
  statements: HotStatements,
  { identity, callback, raisedAt, targets }: Alert,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(callback));
  const arrival = { callback, body, startedAt: raisedAt, receivedAt: raisedAt, routing: [] };
  // One cause may befall many jobs, and a callback is known again by its job and its identity.
  const row = { ...callbackRow(arrival, NO_JOB, identity), kind: 'alert' satisfies CallbackKind };
  const [callbackId] = await statements.insertCallbacks(context, [row]);
  if (callbackId === undefined) return;
  const plan = { claim: undefined, dueInMs: 0, isOurs: true };
  const planned = targets.map((target) => ({ callbackId, target, plan }));
  await statements.insertDeliveries(context, planned);
}

/** What a row says, of whatever kind it is. */
export function noticeIn({
  kind,
  body,
  identity,
  times_received,
}: Pick<CallbackRow, 'kind' | 'body' | 'identity' | 'times_received'>): Notice {
  return (kind as CallbackKind) === 'alert'
    ? noticeOfAlert(readKeptAlert(body, identity ?? ''))
    : noticeOf(callbackIn(body), times_received);
}
