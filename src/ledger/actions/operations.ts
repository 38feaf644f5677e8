/** What is done, and read, for people who act: by the names under which a database runs it. */
import type { Tx } from '../database.ts';
import type { Redeliverable } from './actions.ts';
import { continueBulk, readBulk, readBulks, startBulk, stopBulk } from './bulks.ts';
import { dismiss, redeliver } from './one-delivery.ts';
import { routeByHand } from './route-by-hand.ts';
import { redeliverResult, standingsOf } from './standing.ts';
import { tally } from './undelivered.ts';

export const actionOperations = { redeliver, dismiss, routeByHand, startBulk, stopBulk, continueBulk };

export const actionReads = { lookAt, tally, bulks: readBulks, bulk: readBulk };

const MOST_LOOKED_AT = 1000;

async function lookAt(tx: Tx, ids: readonly number[]): Promise<readonly Redeliverable[]> {
  const rows = await standingsOf(tx, ids.slice(0, MOST_LOOKED_AT));
  return rows.map((row) => ({
    id: row.id,
    destination: row.destination,
    receivedAt: row.receivedAt,
    result: redeliverResult(row, false),
  }));
}
