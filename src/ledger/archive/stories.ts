/** Finds callbacks by a filter, a page at a time, newest first; reads one callback's story, one delivery, and bodies. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Escalation, NextStep } from '../../incident/escalation.ts';
import { distinctValues, isAnyLike, onlyRow, type Tx } from '../database.ts';
import type { HistoryRow } from '../callbacks/history.ts';
import { currentPaces, placeOf, probesOf } from '../deliveries/failing.ts';
import {
  deliveriesOf,
  type DeliveryRow,
  IS_OF_JOB,
  type NoticeRow,
  RESULT,
  deliveriesById,
} from '../deliveries/rows.ts';
import { keysFor, storedJson } from '../callbacks/keys.ts';
import {
  type ArchivedCallback,
  type CallbackFilter,
  type CallbackStory,
  type DeliveryOfCallback,
  MOST_HISTORY,
  type Page,
  type PageRequest,
} from './archive.ts';
import { channelOf, DELIVERY_STATES, type DeliveryState } from '../ledger.ts';
import { cleanText } from '../../text/clean.ts';

const ARCHIVED = sql`id, kind, job_id, bot_id, bot_name, status, started_at, received_at, times_received,
  elapsed AS elapsed_seconds, ${RESULT} AS result, error AS gist`;

/** Newest first. */
async function callbacksWith(tx: Tx, ids: readonly number[]): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const deliveries = await withWaits(tx, ids);
  const rows = await tx.all<Omit<ArchivedCallback, 'deliveries'>>(
    sql`SELECT ${ARCHIVED} FROM callbacks WHERE id IN (${join(ids)}) ORDER BY id DESC`,
  );
  return rows.map((row) => ({
    ...row,
    deliveries: deliveries.filter(({ callbackId }) => callbackId === row.id),
  }));
}

/** Deliveries of these callbacks, with what they wait for: the end of a pause, or the next attempt at a destination that is down. */
async function withWaits(tx: Tx, callbackIds: readonly number[]): Promise<readonly DeliveryRow[]> {
  const probes = await probesOf(tx);
  const paces = await currentPaces(tx);
  return (await deliveriesOf(tx, callbackIds)).map((delivery) => {
    const { destination, isTakenOver } = delivery;
    const concerned = paces.filter(({ key }) => [destination, channelOf(destination)].includes(placeOf(key)));
    const pausedMs = isTakenOver ? Math.max(0, ...concerned.map((each) => each.pausedMs ?? 0)) : 0;
    // Nothing is sent in a pause, whichever process the remote has asked for it.
    const dueInMs = pausedMs > 0 ? Math.max(delivery.dueInMs, pausedMs) : delivery.dueInMs;
    return { ...delivery, dueInMs, probeInMs: probes.get(destination) };
  });
}

export async function readStory(tx: Tx, id: number): Promise<CallbackStory | undefined> {
  const row = await tx.first<Omit<CallbackStory, 'deliveries' | 'history' | 'next'>>(
    sql`SELECT ${ARCHIVED}, about, routing, bot_key FROM callbacks WHERE id = ${id}`,
  );
  if (row === undefined) return undefined;
  const next = row.status === 1 ? await nextSteps(tx, row.botKey, row.receivedAt) : [];
  const deliveries = await withWaits(tx, [id]);
  const newest = await tx.all<HistoryRow>(sql`
    SELECT at, what, delivery_id, result, entry FROM history
    WHERE callback_id = ${id} ORDER BY id DESC LIMIT ${MOST_HISTORY}`);
  const history = [...plainCourse(deliveries), ...newest.toReversed()].toSorted((a, b) => a.at - b.at);
  return { ...row, deliveries, history: history.slice(-MOST_HISTORY), next };
}

async function nextSteps(tx: Tx, botKey: string, receivedAt: number): Promise<readonly NextStep[]> {
  const timers = await tx.all<{ data: Escalation }>(sql`
    SELECT data FROM timers WHERE kind = 'escalation' AND key LIKE (
      SELECT 'escalation ' || id || ' %' FROM incidents
      WHERE kind = 'bot' AND subject_key = ${botKey} AND over_at IS NULL AND since <= ${receivedAt}
        AND (taken_up IS NULL OR timers.data LIKE '%"unlessDelivered":true%'))`);
  return timers.flatMap(({ data }) => data.next ?? []).toSorted((a, b) => a.at - b.at);
}

/** The events of the plain course, which have no rows of history, since the deliveries' own rows have them. */
function plainCourse(deliveries: readonly DeliveryRow[]): readonly HistoryRow[] {
  const attempts = deliveries.flatMap(
    ({ id: deliveryId, toldAt: at, toldMs: durationMs = 0 }): HistoryRow[] =>
      at === undefined
        ? []
        : [{ at, what: 'attempt', deliveryId, result: 'delivered', entry: { durationMs } }],
  );
  const answers = deliveries.flatMap(({ postedAt, answeredAt: at }): HistoryRow[] => {
    if (at === undefined) return [];
    const result = postedAt === undefined ? 'accepted' : 'delivered';
    const entry = { receivedAt: postedAt ?? at, status: 200 };
    return [{ at, what: 'answered', deliveryId: undefined, result, entry }];
  });
  return [...attempts, ...answers];
}

export async function readDelivery(tx: Tx, id: number): Promise<DeliveryOfCallback | undefined> {
  const [delivery] = await deliveriesById(tx, [id]);
  const told = delivery && (await readTold(tx, delivery.callbackId));
  if (delivery === undefined || told === undefined) return undefined;
  const config = await tx.first<{ readonly hash: string }>(
    sql`SELECT hash FROM loaded_configs WHERE loaded_at <= ${delivery.updatedAt} ORDER BY id DESC LIMIT 1`,
  );
  return { delivery, told, configHash: config?.hash };
}

function readTold(tx: Tx, id: number): Promise<NoticeRow | undefined> {
  return tx.first<NoticeRow>(
    sql`SELECT kind, started_at, times_received, body FROM callbacks WHERE id = ${id}`,
  );
}

/** The callback as received: JSON in UTF-8. */
export async function readBody(tx: Tx, id: number): Promise<Uint8Array | undefined> {
  const row = await readTold(tx, id);
  return row && storedJson(row.body);
}

export const COMMON_PAGE = 50;
export const LARGEST_PAGE = 500;

export function boundsOf({ before = Number.MAX_SAFE_INTEGER, limit = COMMON_PAGE }: PageRequest) {
  return { before, limit: Math.max(1, Math.min(limit, LARGEST_PAGE)) };
}

/** @param rows one more than the page has, if there are so many */
export function pageOf<Row extends { readonly id: number }>(rows: readonly Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? items.at(-1)?.id : undefined };
}

/** Newest first. Whatever has no index, such as a status that a BOT has seldom, is scanned from the newest back. */
export async function findCallbacks(tx: Tx, filter: CallbackFilter, page: PageRequest = {}) {
  const { before, limit } = boundsOf(page);
  const { botId, search, notTold } = filter;
  const [first, last] = await cameBetween(tx, filter);
  const end = Math.min(last, before);
  const begin = notTold === undefined ? first : Math.max(first, end - MOST_LOOKED_THROUGH);
  // Before any other bound of ids, since SQLite uses only one of them for its search.
  const conditions = [sql`callbacks.id >= ${begin} AND callbacks.id < ${end}`];
  conditions.push(...conditionsOnCallbacks(filter), ...hasDelivery(filter));
  if (notTold !== undefined) conditions.push(isUntoldAt(notTold));
  const kinds = botId === undefined ? [sql`1 = 1`] : OF_EITHER_KIND;
  const ways = search === undefined ? kinds : await waysTo(tx, search);
  // In the order of ids, PostgreSQL may look through all callbacks for few.
  const order = fewIn(filter).length > 0 ? sql`+id` : sql`id`;
  const parts = ways.map(
    (way) => sql`
      SELECT id FROM (
        SELECT id FROM callbacks WHERE ${join([...conditions, way], ' AND ')} ORDER BY ${order} DESC LIMIT ${limit + 1}
      ) AS part`,
  );
  if (parts.length === 0) return { items: [], next: undefined };
  const found = sql`SELECT DISTINCT id FROM (${join(parts, ' UNION ALL ')}) AS found ORDER BY id DESC LIMIT ${limit + 1}`;
  const { items, next } = pageOf(await tx.all<{ id: number }>(found), limit);
  const ids = items.map(({ id }) => id);
  return { items: await callbacksWith(tx, ids), next: next ?? (begin > first ? begin : undefined) };
}

/** If nearly all callbacks were told there, so many are looked through for those that were not. */
const MOST_LOOKED_THROUGH = 50_000;

/** Each kind has an index by BOT and id of its own: received callbacks, and notices of Botbell's own. */
const OF_EITHER_KIND = [sql`kind = 'callback'`, sql`kind <> 'callback'`];

function isOfJob(jobId: string): Sql {
  return sql`callbacks.job_id IN (${join(keysFor(jobId))}) AND ${IS_OF_JOB}`;
}

/** A condition: rows of `callbacks` of a BOT. @param botId as callbacks name it, or as the archive does */
export function isOfBot(botId: string): Sql {
  return sql`bot_key IN (${join(keysFor(botId))})`;
}

export function conditionsOnCallbacks(filter: CallbackFilter): Sql[] {
  const { kind, botId, jobId, status, result, from, to } = filter;
  const conditions = [sql`callbacks.id > 0`];
  if (kind !== undefined) conditions.push(sql`callbacks.kind = ${kind}`);
  if (botId !== undefined) conditions.push(isOfBot(botId));
  if (jobId !== undefined) conditions.push(isOfJob(jobId));
  // Botbell's own notices have no status (their column is always 1).
  if (status !== undefined) conditions.push(sql`callbacks.kind = 'callback' AND status = ${status}`);
  // These two results are in the delivery's row, not the callback's, on the plain course.
  if (result === 'delivered' || result === 'accepted') conditions.push(sql`${RESULT} = ${result}`);
  else if (result !== undefined) conditions.push(sql`callbacks.result = ${result}`);
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

function isUntoldAt(destination: string): Sql {
  const told = sql`SELECT callback_id FROM deliveries
    WHERE destination = ${destination} AND state = 'delivered' AND deliveries.callback_id = callbacks.id`;
  return sql`kind = 'callback' AND NOT EXISTS (${told})`;
}

const UNDELIVERED = DELIVERY_STATES.filter((state) => state !== 'delivered');

/** The states, each with an index of its own, in which few deliveries can match; none: many may match. */
function fewIn({ state, errorClass, errorCode }: CallbackFilter): readonly DeliveryState[] {
  if (state !== undefined) return UNDELIVERED.filter((each) => each === state);
  // What was delivered has no error.
  return (errorClass ?? '') + (errorCode ?? '') === '' ? [] : UNDELIVERED;
}

/** If few deliveries match, they are found first; else each callback's own are looked at, with LIMIT 1: for EXISTS, PostgreSQL may read all of a destination. */
function hasDelivery(filter: CallbackFilter): Sql[] {
  const foundBy = (sought: CallbackFilter) =>
    sql`SELECT callback_id FROM deliveries WHERE ${join(conditionsOnDeliveries(sought), ' AND ')}`;
  const few = fewIn(filter).map((state) => foundBy({ ...filter, state }));
  if (few.length > 0) return [sql`callbacks.id IN (${join(few, ' UNION ALL ')})`];
  if (conditionsOnDeliveries(filter).length === 0) return [];
  return [sql`(${foundBy(filter)} AND deliveries.callback_id = callbacks.id LIMIT 1) IS NOT NULL`];
}

/** More BOTs or jobs are not named one by one: the newest callbacks of so many are soon found in the order of ids. */
const MOST_NAMED = 5000;

/** Conditions, each with an index: a job with this id; if there is none, BOTs by a part of their id or last name, or all of it if the text has an asterisk, and jobs by the beginning of their ids. */
async function waysTo(tx: Tx, search: string): Promise<Sql[]> {
  const ofJob = isOfJob(search);
  if (await tx.first(sql`SELECT id FROM callbacks WHERE ${ofJob} LIMIT 1`)) return [ofJob];
  const text = cleanText(search).trim();
  return [...(await waysToBots(tx, text)), ...(await waysToJobs(tx, text))];
}

async function waysToBots(tx: Tx, text: string): Promise<Sql[]> {
  const lastNameOf = (kind: Sql) => sql`(
    SELECT bot_name FROM callbacks WHERE ${kind} AND bot_key = bots.key ORDER BY id DESC LIMIT 1)`;
  const [received, own] = OF_EITHER_KIND.map(
    (kind) => sql`
    SELECT key FROM (${distinctValues(sql`bot_key`, sql`callbacks WHERE ${kind}`)}) AS bots
    WHERE ${isAnyLike(tx, [sql`key`, lastNameOf(kind)], text)}`,
  );
  const bots = await tx.all<{ key: string }>(sql`${received} UNION ${own} LIMIT ${MOST_NAMED}`);
  if (bots.length === MOST_NAMED) return [isAnyLike(tx, [sql`bot_key`, sql`bot_name`], text)];
  if (bots.length === 0) return [];
  const isOne = sql`bot_key IN (${join(bots.map(({ key }) => key))})`;
  return OF_EITHER_KIND.map((kind) => sql`${kind} AND ${isOne}`);
}

async function waysToJobs(tx: Tx, text: string): Promise<Sql[]> {
  const begins = sql`substr(job_id, 1, length(CAST(${text} AS TEXT))) = ${text}`;
  // From an index alone, which is not in the order of ids.
  const jobs = await tx.all<{ jobId: string }>(
    sql`SELECT job_id FROM callbacks WHERE ${begins} LIMIT ${MOST_NAMED}`,
  );
  if (jobs.length === MOST_NAMED) return [begins];
  const ids = [...new Set(jobs.map(({ jobId }) => jobId))];
  return ids.length > 0 ? [sql`job_id IN (${join(ids)})`] : [];
}

/** Ids are in the order of `received_at`, unless the store's clock is set by more than this. */
const CLOCK_SET_BY_MS = 3_600_000;

/** The ids between which callbacks of the period are to be sought, the second one excluded. */
async function cameBetween(tx: Tx, { from, to }: CallbackFilter): Promise<readonly [number, number]> {
  const { low, high } = onlyRow(
    await tx.all<{ low: number; high: number }>(sql`
      SELECT coalesce(min(id), 0) AS low, (SELECT coalesce(max(id), 0) FROM callbacks) + 1 AS high FROM callbacks`),
  );
  return [
    from === undefined ? low : await firstFrom(tx, from - CLOCK_SET_BY_MS, low, high),
    to === undefined ? high : await firstFrom(tx, to + CLOCK_SET_BY_MS, low, high),
  ];
}

/** By bisection, the id of the first callback that came at `at` or later; `end`: none did. */
async function firstFrom(tx: Tx, at: number, begin: number, end: number): Promise<number> {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await tx.first<{ id: number; receivedAt: number }>(
      sql`SELECT id, received_at FROM callbacks WHERE id >= ${middle} ORDER BY id LIMIT 1`,
    );
    if (found === undefined || found.receivedAt >= at) high = middle;
    else low = found.id + 1;
  }
  return low;
}
