/** Finds what a filter of undelivered messages names, in the order of the deliveries' ids, a few hundred at a time. */
import { type Kysely, sql } from 'kysely';
import { resultsOf } from '../archive/find-callbacks.ts';
import { isDead, isUnrouted } from '../pending-rows.ts';
import type { Tables } from '../tables.ts';
import type { RedeliveryFilter } from './actions.ts';
import { isLateStart } from './standing.ts';

/** To look at so many takes some milliseconds. */
export const LOOKED_AT_ONCE = 500;

export interface IdRange {
  /** This one and all before it are left out. */
  readonly after: number;
  readonly until: number;
}

/** Ids of what is dead or held as no longer routed, as far as the filter says, each from an index that has nothing else. */
export async function undeliveredAmong(
  db: Kysely<Tables>,
  { state }: RedeliveryFilter,
  range: IdRange,
): Promise<readonly number[]> {
  const found: number[] = [];
  if (state === undefined || state === 'dead') {
    found.push(...(await idsWhere(db, isDead, range)));
  }
  if (state === undefined || state === 'dead' || state === 'held') {
    found.push(...(await idsWhere(db, isHeldUnrouted, range)));
  }
  return found.toSorted((a, b) => a - b).slice(0, LOOKED_AT_ONCE);
}

const isHeldUnrouted = sql<boolean>`(${isUnrouted} and deliveries.state = 'held')`;

async function idsWhere(db: Kysely<Tables>, condition: typeof isDead, range: IdRange): Promise<number[]> {
  const rows = await undeliveredQuery(db, condition, range).execute();
  return rows.map(({ id }) => id);
}

export function undeliveredQuery(db: Kysely<Tables>, condition: typeof isDead, { after, until }: IdRange) {
  return db
    .selectFrom('deliveries')
    .select('id')
    .where(condition)
    .where('id', '>', after)
    .where('id', '<=', until)
    .orderBy('id')
    .limit(LOOKED_AT_ONCE);
}

export interface Matching {
  readonly id: number;
  readonly callback_id: number;
  readonly job_key: string | null;
  readonly destination: string;
  readonly received_at: number;
}

/** Of these, in the order of their ids, those that the filter names and that may be given back at all. */
export async function matchingAmong(
  db: Kysely<Tables>,
  filter: RedeliveryFilter,
  ids: readonly number[],
): Promise<readonly Matching[]> {
  if (ids.length === 0) return [];
  const rows = await matchingQuery(db, filter, ids).execute();
  const { result } = filter;
  if (result === undefined) return rows;
  const results = await resultsOf(db, [...new Set(rows.map((row) => row.callback_id))]);
  return rows.filter((row) => results.get(row.callback_id) === result);
}

function matchingQuery(db: Kysely<Tables>, filter: RedeliveryFilter, ids: readonly number[]) {
  const { botId, jobId, status, result, destination, errorClass, errorCode, from, to } = filter;
  const isOfCallbacks = [botId, jobId, status, result].some((each) => each !== undefined);
  let query = db
    .selectFrom('deliveries')
    .innerJoin('callbacks', 'callbacks.id', 'deliveries.callback_id')
    .select(['deliveries.id', 'callback_id', 'job_key', 'destination', 'received_at'])
    .where('deliveries.id', 'in', ids)
    .where(sql<boolean>`(${isDead} or ${isHeldUnrouted})`)
    .where((eb) => eb.not(isLateStart));
  if (isOfCallbacks) query = query.where('callbacks.kind', '=', 'callback');
  if (botId !== undefined) query = query.where('bot_id', '=', botId);
  if (jobId !== undefined) query = query.where('callbacks.job_id', '=', jobId);
  if (status !== undefined) query = query.where('callbacks.status', '=', status);
  if (destination !== undefined) query = query.where('destination', '=', destination);
  if (errorClass !== undefined) query = query.where(sql<boolean>`coalesce(error_class, '') = ${errorClass}`);
  if (errorCode !== undefined) query = query.where(sql<boolean>`coalesce(error_code, '') = ${errorCode}`);
  if (from !== undefined) query = query.where('received_at', '>=', from);
  if (to !== undefined) query = query.where('received_at', '<=', to);
  return query.orderBy('deliveries.id');
}
