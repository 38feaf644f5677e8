/** Finds and counts the undelivered deliveries that a filter matches. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { conditionsOnCallbacks, conditionsOnDeliveries } from '../archive/find-callbacks.ts';
import { IS_LATE_START } from '../rows.ts';
import type { RedeliveryFilter, RedeliveryTally } from './actions.ts';

/** Dead, or held as no longer routed; literally the conditions of two partial indexes. */
const IS_UNDELIVERED = sql`deliveries.id IN (
  SELECT id FROM deliveries WHERE state = 'dead'
  UNION ALL SELECT id FROM deliveries WHERE reason = 'no longer routed' AND state = 'held')`;

function matches(filter: RedeliveryFilter): Sql {
  const { botId, jobId, status, result } = filter;
  const conditions = [IS_UNDELIVERED, sql`NOT ${IS_LATE_START}`, ...conditionsOnCallbacks(filter)];
  if ([botId, jobId, status, result].some((each) => each !== undefined))
    conditions.push(sql`callbacks.kind = 'callback'`);
  return join([...conditions, ...conditionsOnDeliveries(filter)], ' AND ');
}

/** The first `most` matches by id. @param among a condition on rows of `deliveries` */
export function undelivered(
  tx: Tx,
  filter: RedeliveryFilter,
  among: Sql,
  most: number,
): Promise<readonly { readonly id: number; readonly callbackId: number }[]> {
  return tx.all(sql`
    SELECT deliveries.id, callback_id FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE ${among} AND ${matches(filter)} ORDER BY deliveries.id LIMIT ${most}`);
}

interface TallyRow {
  readonly destination: string;
  readonly messages: number;
  readonly oldest: number;
  readonly newest: number;
}

/** Counts all matches. */
export async function tally(tx: Tx, filter: RedeliveryFilter): Promise<RedeliveryTally> {
  const rows = await tx.all<TallyRow>(sql`
    SELECT destination, count(*) AS messages, min(received_at) AS oldest, max(received_at) AS newest
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE ${matches(filter)} GROUP BY destination ORDER BY 2 DESC, 1`);
  return {
    messages: rows.reduce((sum, { messages }) => sum + messages, 0),
    destinations: rows.map(({ destination, messages }) => ({ destination, messages })),
    oldestAt: rows.length === 0 ? undefined : Math.min(...rows.map(({ oldest }) => oldest)),
    newestAt: rows.length === 0 ? undefined : Math.max(...rows.map(({ newest }) => newest)),
  };
}
