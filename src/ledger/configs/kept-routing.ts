/** Why each route matched or not, as the ledger keeps it: when the callback came, and when it was last routed anew. */
import { type Kysely, sql } from 'kysely';
import { isJsonObject } from '../../text/json-object.ts';
import type { StoreTime } from '../rows.ts';
import type { Tables } from '../tables.ts';

/** Stands for all routes where none names the BOT, and there is no default one. */
const NO_ROUTE = { verdict: 'no route' };

/**
 * Within the transaction that routes the callback anew, which holds its lock.
 * @param routing the router's explanations
 */
export async function writeRouting(
  trx: Kysely<Tables>,
  { now }: StoreTime,
  callbackId: number,
  routing: unknown,
): Promise<void> {
  const kept = await trx
    .selectFrom('callbacks')
    .select(['routing', sql<number>`${now}`.as('now')])
    .where('id', '=', callbackId)
    .executeTakeFirst();
  if (kept === undefined) return;
  const text = JSON.stringify(routedAnew(JSON.parse(kept.routing), routing, kept.now));
  await trx.updateTable('callbacks').set({ routing: text }).where('id', '=', callbackId).execute();
}

/** @param at milliseconds since the epoch; whoever reads it tells the two by it */
export function routedAnew(kept: unknown, routing: unknown, at: number): readonly unknown[] {
  const first = listIn(kept).filter((each) => !(isJsonObject(each) && 'at' in each));
  const again = listIn(routing).filter(isJsonObject);
  return [...first, ...(again.length === 0 ? [NO_ROUTE] : again).map((each) => ({ ...each, at }))];
}

function listIn(kept: unknown): readonly unknown[] {
  return Array.isArray(kept) ? kept : [];
}
