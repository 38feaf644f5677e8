/** Finds callbacks, newest first, among a bounded number that may be what is looked for. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { ArchivedCallback, CallbackFilter, Page, PageRequest } from './archive.ts';
import { cleanText } from '../../text/clean.ts';
import { keysFor } from '../keys.ts';
import { botKeysWhere, isOfBot } from './bots.ts';
import { callbacksWith } from './stories.ts';

/** Of what is rare no more are looked at for one page: that takes some ten milliseconds. */
const LOOKED_AT = 10_000;

const COMMON_PAGE = 50;
const LARGEST_PAGE = 500;

export function boundsOf({ before = Number.MAX_SAFE_INTEGER, limit = COMMON_PAGE }: PageRequest) {
  return { before, limit: Math.max(1, Math.min(limit, LARGEST_PAGE)) };
}

export async function findCallbacks(
  tx: Tx,
  filter: CallbackFilter,
  page: PageRequest = {},
): Promise<Page<ArchivedCallback>> {
  const { before, limit } = boundsOf(page);
  const sought = filter.search === undefined ? undefined : await soughtBy(tx, filter.search);
  const candidates = candidatesOf(filter, sought?.indexed ?? [], await rangeOf(tx, filter, before));
  const looked = await tx.first<{ count: number; lowest: number | undefined }>(
    sql`SELECT count(*) AS count, min(id) AS lowest FROM (${candidates}) AS candidates`,
  );
  const conditions = [
    sql`kind <> 'alert' AND callbacks.id IN (${candidates})`,
    ...conditionsOnCallbacks(filter),
    ...hasDelivery(filter),
    ...(sought ? [sought.condition] : []),
  ];
  const rows = await tx.all<{ id: number }>(
    sql`SELECT id FROM callbacks WHERE ${join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit}`,
  );
  const ids = rows.map(({ id }) => id);
  const next = ids.length === limit ? ids.at(-1) : looked?.count === LOOKED_AT ? looked.lowest : undefined;
  return { items: await callbacksWith(tx, ids), next };
}

/** Ids that are looked at: from `lowest` on, below `before`. */
interface IdRange {
  readonly lowest: number;
  readonly before: number;
}

async function rangeOf(tx: Tx, { from, to }: CallbackFilter, before: number): Promise<IdRange> {
  return {
    lowest: from === undefined ? 0 : await firstSince(tx, from),
    before: to === undefined ? before : Math.min(before, await firstSince(tx, to + 1)),
  };
}

/** The lowest id of the callbacks that came then or later, as if each had come after those with lower ids. */
async function firstSince(tx: Tx, at: number): Promise<number> {
  // Each from an end of the index: of both in one query, all rows would be read.
  const kept = await tx.first<{ lowest: number | undefined; highest: number | undefined }>(sql`
    SELECT (SELECT min(id) FROM callbacks) AS lowest, (SELECT max(id) FROM callbacks) AS highest`);
  let [low, high] = [kept?.lowest ?? 0, (kept?.highest ?? -1) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await tx.first<{ id: number; receivedAt: number }>(
      sql`SELECT id, received_at FROM callbacks WHERE id >= ${middle} ORDER BY id LIMIT 1`,
    );
    if (row === undefined || row.receivedAt >= at) high = middle;
    else low = row.id + 1;
  }
  return high;
}

/** Those that came, and those of Botbell's own: each has an index of its own. */
const KINDS = [sql`kind = 'callback'`, sql`kind <> 'callback'`];

/** From the index that leaves the fewest. @param parts all that is sought, where indexes have it */
function candidatesOf(
  { botId, jobId, state, destination, summaryId }: CallbackFilter,
  parts: readonly Sql[],
  { lowest, before }: IdRange,
): Sql {
  const among = (column: Sql) =>
    sql`${column} >= ${lowest} AND ${column} < ${before} ORDER BY ${column} DESC LIMIT ${LOOKED_AT}`;
  const ofDeliveries = (condition: Sql) =>
    sql`SELECT DISTINCT callback_id AS id FROM deliveries WHERE ${condition} AND ${among(sql`callback_id`)}`;
  const ofCallbacks = (condition: Sql) =>
    sql`SELECT id FROM callbacks WHERE ${condition} AND ${among(sql`id`)}`;
  if (summaryId !== undefined) return ofDeliveries(sql`summary_id = ${summaryId}`);
  if (jobId !== undefined) return ofCallbacks(isOfJob(jobId));
  if (state === 'dead') return ofDeliveries(sql`state = 'dead'`);
  if (state === 'held') return ofDeliveries(sql`state = 'held'`);
  if (state === 'pending' && destination !== undefined)
    return ofDeliveries(sql`state = 'pending' AND destination = ${destination}`);
  const sought = botId === undefined ? parts : [isOfBot(botId)];
  if (sought.length === 0) return ofCallbacks(sql`id > 0`);
  const each = sought
    .flatMap((part) => KINDS.map((kind) => sql`${kind} AND ${part}`))
    .map((part) => sql`SELECT id FROM (${ofCallbacks(part)}) AS part`);
  return sql`SELECT id FROM (${join(each, ' UNION ALL ')}) AS sought ORDER BY id DESC LIMIT ${LOOKED_AT}`;
}

function isOfJob(jobId: string): Sql {
  return sql`callbacks.job_key IN (${join(keysFor(jobId))})`;
}

/** What a filter says of rows of `callbacks`; one at least. */
export function conditionsOnCallbacks({ botId, jobId, status, result, from, to }: CallbackFilter): Sql[] {
  const conditions = [sql`callbacks.id > 0`];
  if (botId !== undefined) conditions.push(isOfBot(botId));
  if (jobId !== undefined) conditions.push(isOfJob(jobId));
  // What Botbell says by itself has none.
  if (status !== undefined) conditions.push(sql`callbacks.kind = 'callback' AND status = ${status}`);
  if (result !== undefined) conditions.push(sql`result = ${result}`);
  if (from !== undefined) conditions.push(sql`received_at >= ${from}`);
  if (to !== undefined) conditions.push(sql`received_at <= ${to}`);
  return conditions;
}

function hasDelivery({ state, destination }: CallbackFilter): Sql[] {
  const conditions = [sql`deliveries.callback_id = callbacks.id`];
  if (state !== undefined) conditions.push(sql`deliveries.state = ${state}`);
  if (destination !== undefined) conditions.push(sql`deliveries.destination = ${destination}`);
  if (conditions.length === 1) return [];
  return [sql`EXISTS (SELECT 1 FROM deliveries WHERE ${join(conditions, ' AND ')})`];
}

/** More have too many callbacks to be looked up one by one. */
const MOST_BOTS = 20;

/** Conditions on rows of `callbacks`. */
interface Sought {
  readonly condition: Sql;
  /** All that the condition finds, each part by an index; none: it is looked for among the newest. */
  readonly indexed: readonly Sql[];
}

/** A job by its id, else BOTs by name, id or glob, else jobs whose ids begin so. */
async function soughtBy(tx: Tx, search: string): Promise<Sought> {
  const ofJob = isOfJob(search);
  const [job] = await tx.all(sql`SELECT id FROM callbacks WHERE ${ofJob} LIMIT 1`);
  if (job !== undefined) return { condition: ofJob, indexed: [ofJob] };
  const text = cleanText(search).trim();
  const isNamed = isLike(text.toLowerCase());
  const bots = await botKeysWhere(tx, isNamed, MOST_BOTS + 1);
  if (bots.length > MOST_BOTS) return { condition: isNamed, indexed: [] };
  if (bots.length > 0) {
    const indexed = bots.map((key) => sql`bot_key = ${key}`);
    return { condition: sql`bot_key IN (${join(bots)})`, indexed };
  }
  return {
    condition: sql`substr(callbacks.job_key, 1, length(CAST(${text} AS TEXT))) = ${text}`,
    indexed: [],
  };
}

/** A part of a BOT's id or name; with an asterisk, the whole. */
function isLike(text: string): Sql {
  const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = text.includes('*') ? literal.replaceAll('*', '%') : `%${literal}%`;
  const escape = sql`ESCAPE '\\'`;
  return sql`(lower(bot_key) LIKE ${pattern} ${escape} OR lower(bot_name) LIKE ${pattern} ${escape})`;
}
