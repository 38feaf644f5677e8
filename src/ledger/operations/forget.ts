/** Forgetting what is done, a little at a time. How far each sweep has come is kept, so that what has to stay is not looked at again and again. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { dayIn } from '../keys.ts';
import type { ForgetRequest } from '../ledger.ts';
import { sumAtOnce, sumBotDays } from './bot-days.ts';
import { positionOf, writePosition } from './locks.ts';

const AT_ONCE = 100;

/** With what belongs to a callback that came again and again: its history has some rows for each time. */
const MOST_TIMES = 500;
const MOST_BYTES = 8 * 1024 * 1024;

const DAY_MS = 86_400_000;

/** Who is told of a cause after so long is told nothing of what was not told before. */
const CAUSES_KEPT_MS = 3 * DAY_MS;

/** For plots, sums of a year, and whoever asks what came of a redelivery. */
const LONG_KEPT_MS = 400 * DAY_MS;

/** Of a row of `callbacks`: nothing of it is undelivered. */
const IS_DONE = sql`NOT EXISTS (
  SELECT 1 FROM deliveries
  WHERE callback_id = callbacks.id AND (state IN ('pending', 'dead') OR hold_until IS NOT NULL))`;

/** Nobody was to be told, or its result was there first. */
const REACHED_NOBODY = sql`NOT EXISTS (
  SELECT 1 FROM deliveries WHERE callback_id = callbacks.id AND NOT (state = 'held' AND hold_code = 'superseded'))`;

/** @param timezone where days begin and end. @returns whether there is more */
export async function forget(
  tx: Tx,
  { doneBefore, reachedNobodyBefore, isAnew = false }: ForgetRequest,
  timezone: string,
): Promise<boolean> {
  // Before it is forgotten, it is counted.
  const areMoreDays = await sumBotDays(tx, timezone);
  const done = await sweep(tx, { name: 'done', goes: IS_DONE, before: doneBefore, isAnew });
  const nobody = { name: 'reached_nobody', goes: REACHED_NOBODY, before: reachedNobodyBefore, isAnew: false };
  const reachedNobody = await sweep(tx, nobody);
  const lastDay = dayIn(() => timezone)(tx.now - LONG_KEPT_MS);
  const tidied = [
    await forgetRows(tx, 'alert_causes', 'cause', sql`told_at < ${tx.now - CAUSES_KEPT_MS}`),
    await forgetRows(tx, 'bulks', 'id', sql`ended_at < ${tx.now - LONG_KEPT_MS}`),
    await forgetRows(tx, 'bots', 'bot_key', sql`last_received_at < ${tx.now - LONG_KEPT_MS}`),
    await forgetRows(tx, 'bot_days', 'day, bot_key', sql`day < ${lastDay}`),
  ];
  return areMoreDays || !done.isThrough || !reachedNobody.isThrough || tidied.includes(true);
}

export interface Swept {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** What comes after that is too young. */
  readonly isThrough: boolean;
}

/** To make room in SQLite: what is done goes before its time, once it is counted. */
export async function forgetDone(
  tx: Tx,
  { before, isAnew }: { readonly before: number; readonly isAnew: boolean },
  timezone: string,
): Promise<Swept> {
  const until = await sumAtOnce(tx, timezone);
  return sweep(tx, { name: 'room', goes: IS_DONE, before, isAnew, until });
}

interface Sweep {
  readonly name: string;
  /** What goes, of what came before `before`. */
  readonly goes: Sql;
  readonly before: number;
  /** From the oldest on. */
  readonly isAnew: boolean;
  /** An id, and nothing after it goes; default: whatever there is. */
  readonly until?: number;
}

interface Candidate {
  readonly id: number;
  readonly received_at: number;
  readonly times_received: number;
  readonly bytes: number;
}

/** Looks at the next callbacks in the order in which they were written, no further than the first one that is too young. */
async function sweep(
  tx: Tx,
  { name, goes, before, isAnew, until = Number.MAX_SAFE_INTEGER }: Sweep,
): Promise<Swept> {
  const position = await positionOf(tx, name);
  const from = isAnew ? 0 : position;
  const next = await tx.all<Candidate>(sql`
    SELECT id, received_at, times_received, bytes FROM callbacks WHERE id > ${from} AND id <= ${until} ORDER BY id LIMIT ${AT_ONCE}`);
  const some = withinOneStep(next);
  const young = some.findIndex(({ received_at }) => received_at >= before && received_at <= tx.now);
  const looked = young === -1 ? some : some.slice(0, young);
  const old = looked.filter(({ received_at }) => received_at < before);
  const forgotten = await forgetCallbacks(tx, goes, idsOf(old));
  await writePosition(tx, name, looked.at(-1)?.id ?? from);
  return { forgotten, isThrough: young !== -1 || (some.length === next.length && next.length < AT_ONCE) };
}

/** At least one, however large it is. */
function withinOneStep(rows: readonly Candidate[]): readonly Candidate[] {
  let bytes = 0;
  let times = 0;
  const tooMuch = rows.findIndex((row, index) => {
    bytes += row.bytes;
    times += row.times_received;
    return index > 0 && (bytes > MOST_BYTES || times > MOST_TIMES);
  });
  return tooMuch === -1 ? rows : rows.slice(0, tooMuch);
}

/** With their deliveries and their history, which the database deletes with them. Not those of which anything is being written. */
async function forgetCallbacks(tx: Tx, goes: Sql, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const found = await tx.all<{ job_key: string | null }>(
    sql`SELECT DISTINCT job_key FROM callbacks WHERE id IN (${join(ids)}) AND ${goes}`,
  );
  const keys = await lockedJobs(tx, found);
  const ofJobs = keys.length === 0 ? raw('') : sql`OR job_key IN (${join(keys)})`;
  const locked = await tx.all<{ id: number }>(sql`
    SELECT id FROM callbacks WHERE id IN (${join(ids)}) AND (job_key IS NULL ${ofJobs}) AND ${goes} ORDER BY id ${tx.skipLocked}`);
  if (locked.length > 0) await tx.all(sql`DELETE FROM callbacks WHERE id IN (${join(idsOf(locked))})`);
  if (keys.length > 0) await forgetJobs(tx, join(keys));
  return locked.length;
}

async function lockedJobs(tx: Tx, rows: readonly { job_key: string | null }[]): Promise<readonly string[]> {
  const keys = rows.flatMap(({ job_key }) => job_key ?? []);
  if (keys.length === 0) return [];
  const locked = await tx.all<{ key: string }>(
    sql`SELECT key FROM jobs WHERE key IN (${join(keys)}) ORDER BY key ${tx.skipLocked}`,
  );
  return locked.map(({ key }) => key);
}

/** Those that have no callback any more. */
async function forgetJobs(tx: Tx, keys: Sql): Promise<void> {
  await tx.all(sql`
    DELETE FROM jobs WHERE key IN (${keys}) AND NOT EXISTS (SELECT 1 FROM callbacks WHERE callbacks.job_key = jobs.key)`);
}

/** @param key columns. @returns whether there may be more */
async function forgetRows(tx: Tx, table: string, key: string, which: Sql): Promise<boolean> {
  const gone = await tx.all(sql`
    DELETE FROM ${raw(table)} WHERE (${raw(key)}) IN (
      SELECT ${raw(key)} FROM ${raw(table)} WHERE ${which} ORDER BY ${raw(key)} LIMIT ${AT_ONCE} ${tx.skipLocked})
    RETURNING 1`);
  return gone.length === AT_ONCE;
}

function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
