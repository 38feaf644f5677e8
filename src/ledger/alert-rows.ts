/** Alerts are written like callbacks of a kind of their own, so that the worker delivers them as it does all else. */
import type { HotStatements, StatementContext } from './hot-statements.ts';
import type { Alert, CallbackKind } from './ledger.ts';
import { callbackRow } from './rows.ts';

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
  const planned = targets.map((target) => ({
    callbackId,
    jobId: undefined,
    target,
    plan,
    isBlocked: false,
  }));
  await statements.insertDeliveries(context, planned);
}
