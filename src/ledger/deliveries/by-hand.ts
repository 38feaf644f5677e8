/**
 * Redelivers or dismisses one delivery, or all that a filter matches, or routes a callback anew, as a person has asked. For a filter, a row of
 * `bulks` records the progress, and any process takes the next short step.
 */
import sql, { join, type Sql } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import { onlyRow, type Tx } from '../database.ts';
import { type ActionEntry, type Actor, writeHistory } from '../callbacks/history.ts';
import {
  type DeliveryRecord,
  type DeliveryTarget,
  DISMISSED,
  NO_LONGER_ROUTED,
  SUPERSEDED,
} from '../ledger.ts';
import { addRows, updateRows, makePending } from './deliveries.ts';
import { IS_OUTDATED, lockCallback, lockDeliveries, type DeliveryRow, deliveriesById } from './rows.ts';
import { splitTargets, isUnrouted, siblingsOf } from './rerouting.ts';
import type { CallbackFilter } from '../archive/archive.ts';
import { conditionsOnCallbacks, conditionsOnDeliveries } from '../archive/stories.ts';

/** `delivered`: it was, and `again` was not set; `superseded`: its message is no longer true; `let go`: a rule let it go; `open`: it is held for now. */
export type RedeliverResult = 'accepted' | 'delivered' | 'superseded' | 'let go' | 'open' | 'unknown';

export type DismissResult = 'dismissed' | 'not dead' | 'unknown';

export interface PlanByHand {
  readonly targets: readonly DeliveryTarget[];
  readonly routing: unknown;
  /** The type of each channel, by its name: an address told under a channel's former name is not told again. */
  readonly channels: ReadonlyMap<string, string>;
}

export interface RoutedByHand {
  /** Destinations that are new, or whose delivery is attempted again. */
  readonly told: readonly string[];
  /** Destinations for which nothing changes: they have it already, or get it anyway. */
  readonly untouched: readonly string[];
}

const LONGEST_NAME = 200;

/** Cleaned and cut, since a header or a name on a command line may hold anything. */
function keptActor({ via, user, from }: Actor): Actor {
  const kept = (text: string) => shortText(cleanText(text), LONGEST_NAME);
  return { via, user: user && kept(user), from: kept(from) };
}

/** A double click sends a form of the page twice within this time. */
const SAME_REQUEST_MS = 1000;

/** @param again also redelivers a delivered one */
export async function redeliver(tx: Tx, id: number, actor: Actor, again: boolean): Promise<RedeliverResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  const result = redeliverResult(row, again);
  const isRepeated = actor.via === 'page' && Math.abs(tx.now - (row.givenBackAt ?? 0)) < SAME_REQUEST_MS;
  if (result !== 'accepted' || (isRepeated && row.state !== 'dead')) return result;
  await giveBack(tx, [row], 'redelivered', { actor: keptActor(actor) });
  return result;
}

/** Marks a dead letter, or a delivery no longer routed, as done; its last error is kept. */
export async function dismiss(tx: Tx, id: number, actor: Actor): Promise<DismissResult> {
  const row = await lockedRow(tx, id);
  if (row === undefined) return 'unknown';
  if (row.reason === DISMISSED) return 'dismissed';
  if (row.state !== 'dead' && !isUnrouted(row)) return 'not dead';
  await giveBack(tx, [row], 'dismissed', { actor: keptActor(actor) });
  return 'dismissed';
}

/** Has deliveries that are locked attempted again, or marks them as done. */
export async function giveBack(
  tx: Tx,
  rows: readonly { readonly id: number; readonly callbackId: number }[],
  what: 'redelivered' | 'dismissed',
  entry: ActionEntry,
): Promise<void> {
  const anew = { countsAnew: true, givenBackAt: tx.now, bulkId: entry.bulkId };
  if (what === 'redelivered') return makePending(tx, rows, anew, what, entry);
  const done = sql`state = 'held', reason = ${DISMISSED}, held_until = NULL, updated_at = ${tx.now}`;
  await updateRows(tx, rows, done, what, { entry });
  // Dismissing a summary dismisses what it contains.
  await tx.all(sql`
    UPDATE deliveries SET reason = ${DISMISSED}, updated_at = ${tx.now}
    WHERE state = 'held' AND summary_id IN (${join([-1, ...rows.map(({ callbackId }) => callbackId)])})`);
}

async function lockedRow(tx: Tx, id: number): Promise<DeliveryRow | undefined> {
  await lockDeliveries(tx, [id]);
  return (await deliveriesById(tx, [id]))[0];
}

function redeliverResult(row: DeliveryRow, again: boolean): RedeliverResult {
  const { state, reason, isOutdated, heldUntil, summaryId, isSummaryPending } = row;
  // If made pending, it would be held as superseded again.
  if (reason === SUPERSEDED || isOutdated) return 'superseded';
  if (state === 'delivered') return again ? 'accepted' : 'delivered';
  if (state !== 'held') return 'accepted';
  if (reason === NO_LONGER_ROUTED || reason === DISMISSED) return 'accepted';
  if (heldUntil !== undefined || isSummaryPending === true) return 'open';
  return summaryId === undefined ? 'let go' : 'accepted';
}

/**
 * Adds the targets that the callback lacks, and attempts those again that are dead or no longer routed.
 * @param plan by today's config
 * @returns undefined: there is no such callback; superseded: its job's result is known, so nothing is sent
 */
export async function routeByHand(
  tx: Tx,
  callbackId: number,
  { targets, routing, channels }: PlanByHand,
  actor: Actor,
): Promise<RoutedByHand | 'superseded' | undefined> {
  await lockCallback(tx, callbackId);
  const callback = await tx.first<Pick<DeliveryRow, 'isOutdated'>>(
    sql`SELECT ${IS_OUTDATED} AS is_outdated FROM callbacks WHERE id = ${callbackId}`,
  );
  if (callback === undefined) return undefined;
  if (callback.isOutdated) return 'superseded';
  const { lacking, revived } = splitTargets(
    targets,
    await siblingsOf(tx, sql`${callbackId}`),
    channels,
    (each) => each.state === 'dead' || isUnrouted(each),
  );
  const told = [...revived, ...lacking].map(({ destination }) => destination);
  const untouched = targets.map(({ destination }) => destination).filter((name) => !told.includes(name));
  await writeHistory(tx, [
    { callbackId, what: 'routed_anew', entry: { actor: keptActor(actor), told, untouched } },
    { callbackId, what: 'routed', entry: { by: 'hand', explanations: routing } },
  ]);
  const added = await addRows(tx, callbackId, lacking);
  await makePending(tx, [...revived, ...added], { countsAnew: true, givenBackAt: tx.now });
  return { told, untouched };
}

/**
 * Selects deliveries that are dead, or held as no longer routed; `state` limits it to one of them. Nothing else is redelivered in
 * bulk. Notices of Botbell's own match unless a filter for BOT, job, status or result is set.
 */
export interface RedeliveryFilter extends Omit<CallbackFilter, 'search' | 'notTold'> {
  /** Leaves out what has become so since then, as nobody has been shown it. */
  readonly asOf?: number | undefined;
}

export interface RedeliveryTally {
  readonly messages: number;
  readonly destinations: readonly { readonly destination: string; readonly messages: number }[];
  /** When the oldest and the newest matching callback came; milliseconds since 1970; undefined: none matches. */
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
  /** By the store's clock, as of a filter. */
  readonly asOf: number;
}

export type BulkKind = 'redelivered' | 'dismissed';

/** A redelivery or dismissal of all that a filter matched when it began; it goes on after restarts. */
export interface BulkRedelivery {
  readonly id: number;
  readonly what: BulkKind;
  readonly filter: RedeliveryFilter;
  readonly actor: Actor;
  /** `running`: deliveries remain to be given back; `delivering`: all were, and some are pending. */
  readonly state: 'running' | 'delivering' | 'done' | 'stopped';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly stoppedBy: Actor | undefined;
  /** Given back or dismissed so far. `delivered`, `dead` and `pending` count the present states of those given back by this bulk last. */
  readonly given: number;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
}

export interface BulkStep {
  readonly isMore: boolean;
  readonly given: number;
  readonly ended: Pick<BulkRedelivery, 'id' | 'what' | 'given'> | undefined;
}

const AT_ONCE = 100;

const MOST_LISTED = 100;

/** Dead, or held as no longer routed; literally the conditions of two partial indexes. */
const IS_UNDELIVERED = sql`deliveries.id IN (
  SELECT id FROM deliveries WHERE state = 'dead'
  UNION ALL SELECT id FROM deliveries WHERE reason = 'no longer routed' AND state = 'held')`;

/** What is no longer true is not redelivered, and can be dismissed. */
function matches(filter: RedeliveryFilter, what: BulkKind): Sql {
  const isMeant = what === 'dismissed' ? IS_UNDELIVERED : sql`${IS_UNDELIVERED} AND NOT ${IS_OUTDATED}`;
  const { asOf } = filter;
  const conditions = [isMeant, ...conditionsOnCallbacks(filter), ...conditionsOnDeliveries(filter)];
  if (asOf !== undefined) conditions.push(sql`deliveries.updated_at <= ${asOf}`);
  return join(conditions, ' AND ');
}

/** The first matches by id. @param among a condition on rows of `deliveries` */
function undelivered(tx: Tx, { filter, what }: Pick<BulkRedelivery, 'filter' | 'what'>, among: Sql) {
  return tx.all<Pick<DeliveryRecord, 'id' | 'callbackId'>>(sql`
    SELECT deliveries.id, callback_id FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE ${among} AND ${matches(filter, what)} ORDER BY deliveries.id LIMIT ${AT_ONCE}`);
}

export async function tally(tx: Tx, filter: RedeliveryFilter, what: BulkKind): Promise<RedeliveryTally> {
  const found = sql`
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id WHERE ${matches(filter, what)}`;
  const all = await tx.all<Omit<RedeliveryTally, 'destinations' | 'asOf'>>(
    sql`SELECT count(*) AS messages, min(received_at) AS oldest_at, max(received_at) AS newest_at ${found}`,
  );
  const destinations = await tx.all<RedeliveryTally['destinations'][number]>(
    sql`SELECT destination, count(*) AS messages ${found} GROUP BY destination ORDER BY 2 DESC, 1`,
  );
  return { ...onlyRow(all), destinations, asOf: tx.now };
}

export async function startBulk(
  tx: Tx,
  filter: RedeliveryFilter,
  actor: Actor,
  what: BulkKind = 'redelivered',
): Promise<BulkRedelivery> {
  const started = await tx.all<{ id: number }>(sql`
    INSERT INTO bulks (what, filter, actor, state, started_at, until_id)
    VALUES (${what}, ${filter}, ${keptActor(actor)}, 'running', ${tx.now},
      (SELECT coalesce(max(id), 0) FROM deliveries))
    RETURNING id`);
  return onlyRow(await bulksWhere(tx, sql`id = ${onlyRow(started).id}`));
}

/** Stops a bulk; what it has given back stays pending. */
export async function stopBulk(tx: Tx, id: number, actor: Actor): Promise<BulkRedelivery | undefined> {
  await tx.all(sql`
    UPDATE bulks SET state = 'stopped', ended_at = ${tx.now}, stopped_by = ${keptActor(actor)}
    WHERE id = ${id} AND state = 'running'`);
  return readBulk(tx, id);
}

/** Newest first, at most a hundred. */
export function readBulks(tx: Tx): Promise<readonly BulkRedelivery[]> {
  return bulksWhere(tx, sql`1 = 1`);
}

export async function readBulk(tx: Tx, id: number): Promise<BulkRedelivery | undefined> {
  return (await bulksWhere(tx, sql`id = ${id}`))[0];
}

async function bulksWhere(tx: Tx, which: Sql): Promise<readonly BulkRedelivery[]> {
  const given = (state: string) =>
    sql`(SELECT count(*) FROM deliveries WHERE bulk_id = bulks.id AND deliveries.state = ${state})`;
  const rows = await tx.all<BulkRedelivery>(sql`
    SELECT id, what, filter, actor, state, started_at, ended_at, stopped_by, given,
      ${given('delivered')} AS delivered, ${given('dead')} AS dead, ${given('pending')} AS pending
    FROM bulks WHERE ${which} ORDER BY id DESC LIMIT ${MOST_LISTED}`);
  return rows.map((row) => (row.state === 'done' && row.pending > 0 ? { ...row, state: 'delivering' } : row));
}

interface RunningBulk extends Pick<BulkRedelivery, 'id' | 'what' | 'filter' | 'actor' | 'given'> {
  readonly lookedAt: number;
  readonly untilId: number;
}

/** Takes the next step of a running bulk that no other transaction has locked: of a hundred deliveries, those that still match once they are locked. */
export async function continueBulk(tx: Tx): Promise<BulkStep> {
  const bulk = await tx.first<RunningBulk>(
    sql`SELECT id, what, filter, actor, given, looked_at, until_id FROM bulks WHERE state = 'running' ORDER BY id LIMIT 1 ${tx.skipLocked}`,
  );
  if (bulk === undefined) return { isMore: false, given: 0, ended: undefined };
  const isNext = sql`deliveries.id > ${bulk.lookedAt} AND deliveries.id <= ${bulk.untilId}`;
  const next = (await undelivered(tx, bulk, isNext)).map(({ id }) => id);
  await lockDeliveries(tx, next);
  const isStill = sql`deliveries.id IN (${join([-1, ...next])})`;
  const rows = await undelivered(tx, bulk, isStill);
  await giveBack(tx, rows, bulk.what, { actor: bulk.actor, bulkId: bulk.id });
  const given = rows.length;
  const total = bulk.given + given;
  const last = next.at(-1);
  const place = last === undefined ? sql`state = 'done', ended_at = ${tx.now}` : sql`looked_at = ${last}`;
  await tx.all(sql`UPDATE bulks SET given = ${total}, ${place} WHERE id = ${bulk.id}`);
  const ended = last === undefined ? { id: bulk.id, what: bulk.what, given: total } : undefined;
  return { isMore: true, given, ended };
}
