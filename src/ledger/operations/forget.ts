/** Forgetting what is done, a little at a time, from where the step before came to: what has to stay is not looked at again and again. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';

/** Few, since each may be of megabytes, or have come a thousand times. */
const AT_ONCE = 20;

/** Of what goes before its time: no more than has to. */
const EARLY_AT_ONCE = 4;

const DAY_MS = 86_400_000;

/** Who is told of a cause after so long is told nothing of what was not told before. */
const CAUSES_KEPT_MS = 3 * DAY_MS;

/** For whoever asks what came of a redelivery. */
const LONG_KEPT_MS = 400 * DAY_MS;

/** Of a row of `callbacks`: a start whose result is still waited for. */
const IS_WATCHED = sql`(callbacks.status = 2
  AND EXISTS (SELECT 1 FROM jobs WHERE jobs.key = callbacks.job_key AND jobs.result IS NULL)
  AND EXISTS (SELECT 1 FROM timers WHERE kind = 'overdue' AND timers.key LIKE 'overdue ' || callbacks.id || ' %'))`;

/** Nothing of it is undelivered. */
const IS_DONE = sql`NOT ${IS_WATCHED} AND NOT EXISTS (
  SELECT 1 FROM deliveries
  WHERE callback_id = callbacks.id AND (state IN ('pending', 'dead') OR held_until IS NOT NULL
    OR (state = 'held' AND summary_id IS NOT NULL AND reason <> 'dismissed')))`;

/** Nobody was to be told, a rule let it go for good, or its result was there first. */
const REACHED_NOBODY = sql`NOT ${IS_WATCHED} AND NOT EXISTS (
  SELECT 1 FROM deliveries WHERE callback_id = callbacks.id AND NOT (state = 'held' AND held_until IS NULL
    AND summary_id IS NULL AND reason IN ('superseded', 'when', 'after_failures', 'repeat')))`;

/** How far retention has come: ids of the last callbacks that were looked at. */
export interface ForgetPosition {
  readonly done: number;
  readonly reachedNobody: number;
}

export interface ForgetRequest {
  readonly doneBefore: number;
  readonly reachedNobodyBefore: number;
  readonly from: ForgetPosition;
}

/** @returns where to go on, and whether there is more to do at once */
export async function forget(tx: Tx, { doneBefore, reachedNobodyBefore, from }: ForgetRequest) {
  const done = await sweep(tx, { goes: IS_DONE, before: doneBefore, after: from.done });
  const nobody = { goes: REACHED_NOBODY, before: reachedNobodyBefore, after: from.reachedNobody };
  const reachedNobody = await sweep(tx, nobody);
  const tidied = [
    await forgetRows(tx, 'alert_causes', 'cause', sql`told_at < ${tx.now - CAUSES_KEPT_MS}`),
    await forgetRows(tx, 'snoozes', 'id', sql`until_at < ${tx.now - CAUSES_KEPT_MS}`),
    await forgetRows(tx, 'streaks', 'bot_key', sql`updated_at < ${tx.now - LONG_KEPT_MS}`),
    await forgetRows(tx, 'bulks', 'id', sql`ended_at < ${tx.now - LONG_KEPT_MS}`),
  ];
  return {
    next: { done: done.next, reachedNobody: reachedNobody.next },
    isMore: !done.isThrough || !reachedNobody.isThrough || tidied.includes(true),
  };
}

export interface Swept {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** The id of the last callback that was looked at. */
  readonly next: number;
  /** What comes after that is too young. */
  readonly isThrough: boolean;
}

/** To make room in SQLite: what is done goes before its time. */
export function forgetDone(tx: Tx, after: number): Promise<Swept> {
  return sweep(tx, { goes: IS_DONE, before: tx.now + 1, after, atOnce: EARLY_AT_ONCE });
}

interface Sweep {
  /** What goes, of what came before `before`. */
  readonly goes: Sql;
  readonly before: number;
  /** The id of the last callback that was looked at before. */
  readonly after: number;
  readonly atOnce?: number;
}

/** Looks at the next callbacks in the order in which they were written, no further than the first one that is too young. */
async function sweep(tx: Tx, { goes, before, after, atOnce = AT_ONCE }: Sweep): Promise<Swept> {
  const some = await tx.all<{ id: number; receivedAt: number }>(
    sql`SELECT id, received_at FROM callbacks WHERE id > ${after} ORDER BY id LIMIT ${atOnce}`,
  );
  const young = some.findIndex(({ receivedAt }) => receivedAt >= before && receivedAt <= tx.now);
  const looked = young === -1 ? some : some.slice(0, young);
  const old = looked.filter(({ receivedAt }) => receivedAt < before);
  return {
    forgotten: await forgetCallbacks(tx, goes, old),
    next: looked.at(-1)?.id ?? after,
    isThrough: young !== -1 || some.length < atOnce,
  };
}

/** With their deliveries and their history, which the database deletes with them. Not those of which anything is being written. */
async function forgetCallbacks(tx: Tx, goes: Sql, old: readonly { readonly id: number }[]): Promise<number> {
  if (old.length === 0) return 0;
  const isOld = sql`id IN (${join(old.map(({ id }) => id))})`;
  const jobs = await tx.all<{ key: string }>(sql`
    SELECT key FROM jobs WHERE key IN (SELECT job_key FROM callbacks WHERE ${isOld}) ORDER BY key ${tx.skipLocked}`);
  // What Botbell says by itself has no job.
  const keys = join(['', ...jobs.map(({ key }) => key)]);
  const gone = await tx.all(sql`
    DELETE FROM callbacks WHERE id IN (
      SELECT id FROM callbacks WHERE ${isOld} AND coalesce(job_key, '') IN (${keys}) AND ${goes} ORDER BY id ${tx.skipLocked})
    RETURNING id`);
  await tx.all(sql`
    DELETE FROM jobs WHERE key IN (${keys}) AND NOT EXISTS (SELECT 1 FROM callbacks WHERE callbacks.job_key = jobs.key)`);
  return gone.length;
}

/** @param key column. @returns whether there may be more */
async function forgetRows(tx: Tx, table: string, key: string, which: Sql): Promise<boolean> {
  const gone = await tx.all(sql`
    DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (
      SELECT ${raw(key)} FROM ${raw(table)} WHERE ${which} ORDER BY ${raw(key)} LIMIT ${AT_ONCE} ${tx.skipLocked})
    RETURNING 1`);
  return gone.length === AT_ONCE;
}
