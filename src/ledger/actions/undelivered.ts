/** Finds what a filter of undelivered messages names, in the order of the deliveries' ids, and counts it. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { conditionsOnCallbacks } from '../archive/find-callbacks.ts';
import { IS_LATE_START } from '../rows.ts';
import type { RedeliveryFilter, RedeliveryTally } from './actions.ts';

export interface IdRange {
  /** This one and all before it are left out. */
  readonly after: number;
  readonly until: number;
  /** No more are looked at. */
  readonly most: number;
}

/** The conditions of two indexes, word for word. */
const IS_DEAD = sql`state = 'dead'`;
const IS_HELD_UNROUTED = sql`reason = 'no longer routed' AND state = 'held'`;

/** Ids of what is dead or held as no longer routed, as far as the filter's state says. */
function candidates({ state }: RedeliveryFilter, { after, until, most }: IdRange): Sql {
  const where = (condition: Sql) =>
    sql`SELECT * FROM (SELECT id FROM deliveries WHERE ${condition} AND id > ${after} AND id <= ${until} ORDER BY id LIMIT ${most}) AS own`;
  const [dead, held] = [where(IS_DEAD), where(IS_HELD_UNROUTED)];
  if (state === 'held') return held;
  if (state === 'dead') return dead;
  return sql`SELECT id FROM (${dead} UNION ALL ${held}) AS undelivered ORDER BY id LIMIT ${most}`;
}

/** Ids of the next few that may be given back, whatever else the filter says. */
export async function nextUndelivered(
  tx: Tx,
  filter: RedeliveryFilter,
  range: IdRange,
): Promise<readonly number[]> {
  return (await tx.all<{ id: number }>(candidates(filter, range))).map(({ id }) => id);
}

/** Those that the filter names, and that may be given back. */
export async function matchingAmong(
  tx: Tx,
  filter: RedeliveryFilter,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly callbackId: number }[]> {
  if (ids.length === 0) return [];
  return tx.all(sql`
    SELECT deliveries.id, callback_id FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE deliveries.id IN (${join(ids)}) AND ${matches(filter)} ORDER BY deliveries.id`);
}

function matches(filter: RedeliveryFilter): Sql {
  const { botId, jobId, status, state, result, destination, errorClass, errorCode } = filter;
  const conditions = [
    sql`((${IS_DEAD}) OR (${IS_HELD_UNROUTED}))`,
    sql`NOT ${IS_LATE_START}`,
    ...conditionsOnCallbacks(filter),
  ];
  if ([botId, jobId, status, result].some((each) => each !== undefined))
    conditions.push(sql`callbacks.kind = 'callback'`);
  if (state !== undefined) conditions.push(sql`deliveries.state = ${state}`);
  if (destination !== undefined) conditions.push(sql`destination = ${destination}`);
  if (errorClass !== undefined) conditions.push(sql`coalesce(error_class, '') = ${errorClass}`);
  if (errorCode !== undefined) conditions.push(sql`coalesce(error_code, '') = ${errorCode}`);
  return join(conditions, ' AND ');
}

/** More match than anybody counts one by one. */
const MOST_COUNTED = 10_000;

/** Of those with the most messages; a config names hardly as many. */
const MOST_DESTINATIONS = 500;

interface TallyRow {
  readonly destination: string;
  readonly messages: number;
  readonly oldest: number;
  readonly newest: number;
}

/** Counts the first ten thousand that may match, and changes nothing. */
export async function tally(tx: Tx, filter: RedeliveryFilter): Promise<RedeliveryTally> {
  const range = { after: 0, until: Number.MAX_SAFE_INTEGER, most: MOST_COUNTED };
  const rows = await tx.all<TallyRow>(sql`
    SELECT destination, count(*) AS messages, min(received_at) AS oldest, max(received_at) AS newest
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE deliveries.id IN (${candidates(filter, range)}) AND ${matches(filter)}
    GROUP BY destination ORDER BY 2 DESC, 1`);
  const looked = await tx.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM (${candidates(filter, range)}) AS candidates`,
  );
  return {
    messages: rows.reduce((sum, { messages }) => sum + messages, 0),
    isMore: looked?.count === MOST_COUNTED,
    destinations: rows
      .slice(0, MOST_DESTINATIONS)
      .map(({ destination, messages }) => ({ destination, messages })),
    oldestAt: rows.length === 0 ? undefined : Math.min(...rows.map(({ oldest }) => oldest)),
    newestAt: rows.length === 0 ? undefined : Math.max(...rows.map(({ newest }) => newest)),
  };
}
