/** Alerts are written like callbacks of a kind of their own, so that the worker delivers them as it does all else. */
import type { Transaction } from 'kysely';
import type { Alert, CallbackKind } from './ledger.ts';
import { insertDeliveries } from './pending-rows.ts';
import { callbackRow, type StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

export async function writeAlert(
  trx: Transaction<Tables>,
  time: StoreTime,
  { identity, callback, raisedAt, targets }: Alert,
): Promise<void> {
  const arrival = { identity, callback, startedAt: raisedAt, receivedAt: raisedAt, routing: [] };
  const inserted = await trx
    .insertInto('callbacks')
    .values({ ...callbackRow(arrival), kind: 'alert' satisfies CallbackKind })
    .onConflict((conflict) => conflict.column('identity').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return;
  const plan = { claim: undefined, dueInMs: 0, isOurs: true };
  await insertDeliveries(
    trx,
    time,
    targets.map((target) => ({ callbackId: inserted.id, target, plan })),
  );
}
