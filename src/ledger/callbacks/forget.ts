/** Deletes finished callbacks in small steps. Each step continues where the last one ended, so that what stays is not read each time. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { REPORTED_MS } from '../../report/report.ts';
import { DAY_MS } from '../../signal/calendar.ts';
import { idsOf, type Tx } from '../database.ts';
import { countedFrom, rollUpTo } from '../days/roll-up.ts';
import { hasResult, lockFreeJobs } from '../deliveries/rows.ts';
import { IDLE_MS } from '../deliveries/failing.ts';

/** Rows per step: few, since a callback may have megabytes, or a thousand rows of history. */
const AT_ONCE = 20;

/** Rows per step when callbacks are deleted before their time: fewer, so that no more go than necessary. */
const EARLY_AT_ONCE = 4;

/** Rows per step of small tables. */
const SMALL_AT_ONCE = 500;

const SNOOZES_KEPT_MS = 3 * DAY_MS;

/** Rows of `runs` are kept for so long after the run's day: a callback that comes later counts as another run. */
const RUNS_KEPT_MS = 62 * DAY_MS;

/** How long a BOT's facts and bulk redeliveries are kept. */
const LONG_KEPT_MS = 400 * DAY_MS;

/** A condition on a row of `callbacks`: an `executing` without a result that a timer watches. */
const IS_WATCHED = sql`(callbacks.status = 2
  AND NOT ${hasResult('callbacks')}
  AND EXISTS (SELECT 1 FROM timers WHERE kind = 'overdue' AND timers.key LIKE 'overdue ' || callbacks.id || ' %'))`;

/** A condition on a row of `callbacks`: the result of a job whose `executing`, which it supersedes, or overdue notice is still kept. */
const SUPERSEDES = sql`(callbacks.kind = 'callback' AND callbacks.status <> 2 AND EXISTS (
  SELECT 1 FROM callbacks AS begun
  WHERE begun.job_id = callbacks.job_id AND begun.bot_key = callbacks.bot_key AND (begun.status = 2 OR begun.kind = 'overdue')))`;

const isNewerTrouble = (kinds: Sql) => sql`EXISTS (
  SELECT 1 FROM callbacks AS newer
  WHERE ${kinds} AND newer.bot_key = callbacks.bot_key AND newer.id > callbacks.id AND newer.status = 1)`;

/** A condition on a row of `callbacks`: the latest trouble of a BOT whose incident is open. Steps tell it, and whom it was told hears who is on it. */
const IS_LAST_TROUBLE = sql`(callbacks.status = 1
  AND EXISTS (SELECT 1 FROM incidents WHERE incidents.kind = 'bot' AND subject_key = callbacks.bot_key AND over_at IS NULL)
  AND CASE callbacks.kind WHEN 'callback' THEN NOT ${isNewerTrouble(sql`newer.kind = 'callback'`)}
    ELSE callbacks.kind IN ('overdue', 'missed')
      AND NOT ${isNewerTrouble(sql`newer.kind <> 'callback' AND newer.kind IN ('overdue', 'missed')`)} END)`;

/** A condition on a row of `callbacks`: unwatched, no latest trouble, and none of its deliveries is pending, dead, or held to be sent later. */
const IS_DONE = sql`NOT ${IS_WATCHED} AND NOT ${SUPERSEDES} AND NOT ${IS_LAST_TROUBLE} AND NOT EXISTS (
  SELECT 1 FROM deliveries
  WHERE callback_id = callbacks.id AND (state IN ('pending', 'dead') OR held_until IS NOT NULL
    OR (state = 'held' AND summary_id IS NOT NULL AND reason <> 'dismissed')))`;

/** A condition on a row of `callbacks`: unwatched, and all its deliveries, if any, were let go by a rule or superseded. */
const REACHED_NOBODY = sql`NOT ${IS_WATCHED} AND NOT ${SUPERSEDES} AND NOT EXISTS (
  SELECT 1 FROM deliveries WHERE callback_id = callbacks.id AND NOT (state = 'held' AND held_until IS NULL
    AND summary_id IS NULL AND reason IN ('superseded', 'on', 'when', 'after_failures', 'repeat')))`;

/** How far each sweep has come: the id of the last callback that it looked at. */
export interface ForgetPosition {
  readonly done: number;
  readonly reachedNobody: number;
  /** The small tables have been gone through. */
  readonly isTidied?: boolean;
}

export interface ForgetRequest {
  readonly doneKeptMs: number;
  readonly nobodyKeptMs: number;
  readonly from: ForgetPosition;
  /** If the store's clock is past it, nothing is deleted. */
  readonly latest?: number;
}

/** @returns `next`: where to go on; `isMore`: whether there is more to do at once; `asOf`: the store's time */
export async function forget(tx: Tx, { doneKeptMs, nobodyKeptMs, from, latest = Infinity }: ForgetRequest) {
  if (tx.now > latest) return { next: from, isMore: false, asOf: tx.now };
  const uncounted = await countedFrom(tx);
  const before = (keptMs: number) => Math.min(tx.now - keptMs, uncounted);
  const done = await sweep(tx, IS_DONE, before(doneKeptMs), from.done);
  const reachedNobody = await sweep(tx, REACHED_NOBODY, before(nobodyKeptMs), from.reachedNobody);
  const isTidied = from.isTidied === true || (await tidy(tx));
  return {
    next: { done: done.next, reachedNobody: reachedNobody.next, isTidied },
    isMore: !done.isThrough || !reachedNobody.isThrough || !isTidied,
    asOf: tx.now,
  };
}

/** Deletes old rows of the small tables, of which some have no index for that. @returns whether that is all */
async function tidy(tx: Tx): Promise<boolean> {
  const more = [
    await forgetRows(tx, 'snoozes', 'id', sql`until_at < ${tx.now - SNOOZES_KEPT_MS}`),
    await forgetRows(tx, 'streaks', 'bot_key', sql`updated_at < ${tx.now - LONG_KEPT_MS}`),
    await forgetRows(tx, 'paces', 'key', sql`next_at < ${tx.now - IDLE_MS}`),
    await forgetRows(tx, 'bulks', 'id', sql`ended_at < ${tx.now - LONG_KEPT_MS}`),
    await forgetRows(tx, 'incidents', 'id', sql`over_at < ${tx.now - REPORTED_MS}`),
    await forgetRows(tx, 'runs', 'bot_key, job_id', sql`day < ${tx.now - RUNS_KEPT_MS}`),
    await forgetRows(tx, 'days', 'bot_key, day', sql`day < ${tx.now - REPORTED_MS}`),
  ];
  return !more.includes(true);
}

/** Makes room in SQLite: deletes finished callbacks before their time. */
export function forgetDone(tx: Tx, after: number) {
  return sweep(tx, IS_DONE, tx.now + 1, after, EARLY_AT_ONCE);
}

/**
 * Looks at the next callbacks by id, up to the first one that is too young.
 * @param which of those received before `before` are deleted @param after id of the last one that the previous step looked at
 * @returns how many were deleted; `next`: id of the last one that was looked at; `isThrough`: none after it is old enough
 */
async function sweep(tx: Tx, which: Sql, before: number, after: number, atOnce = AT_ONCE) {
  const some = await tx.all<{ id: number; receivedAt: number }>(
    sql`SELECT id, received_at FROM callbacks WHERE id > ${after} ORDER BY id LIMIT ${atOnce}`,
  );
  const ahead = some.filter(({ receivedAt }) => receivedAt > tx.now).map(({ id }) => id);
  // The clock was set back after these came: those to be deleted are dated now, so that their turn comes. The others keep their time,
  // which is part of the names of their deliveries (`DeliveryName`): these may be in hand.
  if (ahead.length > 0)
    await tx.all(sql`UPDATE callbacks SET received_at = ${tx.now} WHERE ${which} AND id IN (
      SELECT id FROM callbacks WHERE id IN (${join(ahead)}) ORDER BY id ${tx.skipLocked})`);
  const young = some.findIndex(({ receivedAt }) => receivedAt >= before && receivedAt <= tx.now);
  const looked = young === -1 ? some : some.slice(0, young);
  const old = looked.filter(({ receivedAt }) => receivedAt < before);
  const ids = await lockDeletable(tx, which, old);
  if (!(await rollUpTo(tx, ids))) return { forgotten: 0, next: after, isThrough: false };
  if (ids.length > 0) {
    // The database deletes their deliveries with them: nobody writes history after that.
    await tx.all(sql`DELETE FROM callbacks WHERE id IN (${join(ids)})`);
    await tx.all(sql`DELETE FROM history WHERE callback_id IN (${join(ids)})`);
  }
  return {
    forgotten: ids.length,
    next: looked.at(-1)?.id ?? after,
    isThrough: young !== -1 || some.length < atOnce,
  };
}

/** Locks those of the old callbacks that are to be deleted. Skips callbacks that, or whose jobs, another transaction has locked. */
async function lockDeletable(
  tx: Tx,
  which: Sql,
  old: readonly { readonly id: number }[],
): Promise<readonly number[]> {
  const ids = old.map(({ id }) => id);
  const free = await lockFreeJobs(tx, ids);
  if (free.length === 0) return [];
  return idsOf(
    tx,
    sql`SELECT id FROM callbacks WHERE id IN (${join(free)}) AND ${which} ORDER BY id ${tx.skipLocked}`,
  );
}

/** @param key the primary key's columns. @returns whether there may be more */
async function forgetRows(tx: Tx, table: string, key: string, which: Sql): Promise<boolean> {
  const gone = await tx.all(sql`
    DELETE FROM ${raw(table)} WHERE (${raw(key)}) IN (
      SELECT ${raw(key)} FROM ${raw(table)} WHERE ${which} LIMIT ${SMALL_AT_ONCE} ${tx.skipLocked})
    RETURNING 1`);
  return gone.length === SMALL_AT_ONCE;
}
