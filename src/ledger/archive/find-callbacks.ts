/** Finds callbacks by a filter, a page at a time, newest first. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type DeliveryState, DELIVERY_STATES } from '../ledger.ts';
import type { CallbackFilter, PageRequest } from './archive.ts';
import { cleanText } from '../../text/clean.ts';
import { keysFor } from '../callbacks/keys.ts';
import { IS_OF_JOB, RESULT } from '../deliveries/rows.ts';
import { isOfBot } from './bots.ts';
import { callbacksWith } from './stories.ts';

const COMMON_PAGE = 50;
const LARGEST_PAGE = 500;

export function boundsOf({ before = Number.MAX_SAFE_INTEGER, limit = COMMON_PAGE }: PageRequest) {
  return { before, limit: Math.max(1, Math.min(limit, LARGEST_PAGE)) };
}

/** Conditions without an index, such as an answer or a time, scan from the newest back: a million rows take a second or two. */
export async function findCallbacks(tx: Tx, filter: CallbackFilter, page: PageRequest = {}) {
  const { before, limit } = boundsOf(page);
  const conditions = [sql`callbacks.id < ${before}`, ...(await conditionsOf(tx, filter))];
  const parts = kindsOf(filter).map(
    (kind) => sql`
      SELECT id FROM (
        SELECT id FROM callbacks WHERE ${kind} AND ${join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit}
      ) AS part`,
  );
  const rows = await tx.all<{ id: number }>(
    sql`SELECT id FROM (${join(parts, ' UNION ALL ')}) AS found ORDER BY id DESC LIMIT ${limit}`,
  );
  const ids = rows.map(({ id }) => id);
  return { items: await callbacksWith(tx, ids), next: ids.length === limit ? ids.at(-1) : undefined };
}

async function conditionsOf(tx: Tx, filter: CallbackFilter): Promise<readonly Sql[]> {
  const { search } = filter;
  const sought = search === undefined ? [] : [await soughtBy(tx, search)];
  return [...isListed(filter), ...conditionsOnCallbacks(filter), ...hasDelivery(filter), ...sought];
}

/** Each kind has an index by BOT and id of its own: received callbacks, and notices of Botbell's own. */
function kindsOf({ botId }: CallbackFilter): readonly Sql[] {
  return botId === undefined ? [sql`id > 0`] : [sql`kind = 'callback'`, sql`kind <> 'callback'`];
}

function isOfJob(jobId: string): Sql {
  return sql`callbacks.job_id IN (${join(keysFor(jobId))}) AND ${IS_OF_JOB}`;
}

export function conditionsOnCallbacks({ botId, jobId, status, result, from, to }: CallbackFilter): Sql[] {
  const conditions = [sql`callbacks.id > 0`];
  if (botId !== undefined) conditions.push(isOfBot(botId));
  if (jobId !== undefined) conditions.push(isOfJob(jobId));
  // Botbell's own notices have no status (their column is always 1).
  if (status !== undefined) conditions.push(sql`callbacks.kind = 'callback' AND status = ${status}`);
  if (result !== undefined) conditions.push(sql`${RESULT} = ${result}`);
  if (from !== undefined) conditions.push(sql`received_at >= ${from}`);
  if (to !== undefined) conditions.push(sql`received_at <= ${to}`);
  return conditions;
}

/** The conditions of the partial indexes, literally. */
const IS_IN_STATE = Object.fromEntries(
  DELIVERY_STATES.map((state) => [state, raw(`state = '${state}'`)]),
) as Record<DeliveryState, Sql>;

export function conditionsOnDeliveries({ state, destination, errorClass, errorCode }: CallbackFilter): Sql[] {
  const conditions: Sql[] = [];
  if (state !== undefined) conditions.push(IS_IN_STATE[state]);
  if (destination !== undefined) conditions.push(sql`destination = ${destination}`);
  if (errorClass !== undefined) conditions.push(sql`coalesce(error_class, '') = ${errorClass}`);
  if (errorCode !== undefined) conditions.push(sql`coalesce(error_code, '') = ${errorCode}`);
  return conditions;
}

/** Alerts, which are about a BOT and no callbacks of it, are listed where all deliveries of a state are: these are counted, too. */
function isListed({ state, notTold, botId, jobId, search }: CallbackFilter): Sql[] {
  const isOfAll = state !== undefined && (botId ?? jobId ?? search) === undefined;
  if (notTold === undefined) return isOfAll ? [] : [sql`kind <> 'alert'`];
  const told = sql`SELECT callback_id FROM deliveries
    WHERE destination = ${notTold} AND state = 'delivered' AND deliveries.callback_id = callbacks.id`;
  return [sql`kind = 'callback' AND NOT EXISTS (${told})`];
}

function hasDelivery(filter: CallbackFilter): Sql[] {
  const { state } = filter;
  const conditions = conditionsOnDeliveries(filter);
  if (conditions.length === 0) return [];
  const found = sql`SELECT callback_id FROM deliveries WHERE ${join(conditions, ' AND ')}`;
  // Delivered ones have no index, since they are too many.
  const isIndexed = state !== undefined && state !== 'delivered';
  return [
    isIndexed
      ? sql`callbacks.id IN (${found})`
      : sql`EXISTS (${found} AND deliveries.callback_id = callbacks.id)`,
  ];
}

/** A job with this id; if there is none, BOTs by name, id or glob, and jobs by the beginning of their ids. */
async function soughtBy(tx: Tx, search: string): Promise<Sql> {
  const ofJob = isOfJob(search);
  if (await tx.first(sql`SELECT id FROM callbacks WHERE ${ofJob} LIMIT 1`)) return ofJob;
  const text = cleanText(search).trim();
  return sql`(${isLike(text.toLowerCase())} OR substr(callbacks.job_id, 1, length(CAST(${text} AS TEXT))) = ${text})`;
}

/** Matches a part of a BOT's id or name, or all of it if the text has an asterisk. */
function isLike(text: string): Sql {
  const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = text.includes('*') ? literal.replaceAll('*', '%') : `%${literal}%`;
  const escape = sql`ESCAPE '\\'`;
  return sql`(lower(bot_key) LIKE ${pattern} ${escape} OR lower(bot_name) LIKE ${pattern} ${escape})`;
}
