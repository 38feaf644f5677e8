/** What came of each BOT on each day, summed a minute behind, since rows are not committed in the order of their ids. */
import sql, { bulk, raw, type RawValue, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { dayIn } from '../keys.ts';
import { EXECUTING } from '../rows.ts';
import { positionOf, writePosition } from './positions.ts';

/** Nobody's transaction takes so long. */
const BEHIND_MS = 60_000;

const AT_ONCE = 100;

/** A callback that came, or came again. */
interface CountedRow {
  readonly id: number;
  readonly kind: string;
  readonly callback_id: number;
  readonly bot_key: string;
  readonly bot_name: string;
  readonly status: number;
  readonly at: number;
  readonly elapsed: number | null;
}

const CALLBACKS = (from: number) => sql`
  SELECT id, kind, id AS callback_id, bot_key, bot_name, status, received_at AS at, elapsed FROM callbacks
  WHERE id > ${from} ORDER BY id LIMIT ${AT_ONCE}`;

const RETURNS = (from: number) => sql`
  SELECT history.id, kind, callback_id, bot_key, bot_name, status, at, elapsed
  FROM history JOIN callbacks ON callbacks.id = callback_id
  WHERE what = 'received' AND history.id > ${from} ORDER BY history.id LIMIT ${AT_ONCE}`;

/** @returns whether there is more */
export async function sumBotDays(tx: Tx, timezone: string): Promise<boolean> {
  const isMore = await sum(tx, 'bot_days', CALLBACKS, (rows) => daysOf(rows, timezone, countFirst));
  return (await sum(tx, 'bot_days_again', RETURNS, (rows) => daysOf(rows, timezone, countAgain))) || isMore;
}

async function sum(
  tx: Tx,
  position: string,
  nextAfter: (id: number) => Sql,
  daysIn: (rows: readonly CountedRow[]) => readonly BotDay[],
): Promise<boolean> {
  const next = await tx.all<CountedRow>(nextAfter(await positionOf(tx, position)));
  const young = next.findIndex(({ at }) => isYoung(at, tx.now));
  const rows = young === -1 ? next : next.slice(0, young);
  const last = rows.at(-1);
  if (last === undefined) return false;
  await add(tx, daysIn(rows.filter(({ kind }) => kind === 'callback')));
  await writePosition(tx, position, last.id);
  return rows.length === AT_ONCE;
}

/** One that came, by a clock that was wrong, in the future stands in nobody's way. */
function isYoung(at: number, now: number): boolean {
  return at > now - BEHIND_MS && at <= now + BEHIND_MS;
}

/** A row of `bot_days`. Times are milliseconds since 1970, 0 for never; elapsed: seconds, of results. */
interface BotDay {
  readonly bot_key: string;
  readonly day: string;
  bot_name: string;
  last_callback_id: number;
  last_received_at: number;
  last_succeeded_at: number;
  last_failed_at: number;
  succeeded: number;
  failed: number;
  started: number;
  retries: number;
  elapsed: number;
}

/** In the order in which all lock them. */
function daysOf(
  rows: readonly CountedRow[],
  timezone: string,
  count: (day: BotDay, row: CountedRow) => void,
): readonly BotDay[] {
  const dayOf = dayIn(() => timezone);
  const days = new Map<string, BotDay>();
  for (const row of rows) {
    const key = `${dayOf(row.at)} ${row.bot_key}`;
    const known = days.get(key) ?? { ...NOTHING, bot_key: row.bot_key, day: dayOf(row.at) };
    days.set(key, known);
    known.bot_name = row.bot_name;
    known.last_callback_id = Math.max(known.last_callback_id, row.callback_id);
    count(known, row);
  }
  return [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

const NOTHING = {
  bot_name: '',
  last_callback_id: 0,
  last_received_at: 0,
  last_succeeded_at: 0,
  last_failed_at: 0,
  succeeded: 0,
  failed: 0,
  started: 0,
  retries: 0,
  elapsed: 0,
};

function countFirst(day: BotDay, { status, at, elapsed }: CountedRow): void {
  day.last_received_at = Math.max(day.last_received_at, at);
  if (status === 0) day.last_succeeded_at = Math.max(day.last_succeeded_at, at);
  if (status === 1) day.last_failed_at = Math.max(day.last_failed_at, at);
  day.succeeded += Number(status === 0);
  day.failed += Number(status === 1);
  day.started += Number(status === EXECUTING);
  day.elapsed += status === EXECUTING ? 0 : (elapsed ?? 0);
}

function countAgain(day: BotDay): void {
  day.retries += 1;
}

const SUMS = ['succeeded', 'failed', 'started', 'retries', 'elapsed'] as const;
const LATEST = ['last_callback_id', 'last_received_at', 'last_succeeded_at', 'last_failed_at'] as const;
const COLUMNS = ['bot_key', 'day', 'bot_name', ...LATEST, ...SUMS] as const;

function later(name: string, by: string): string {
  return `${name} = CASE WHEN excluded.${by} > bot_days.${by} THEN excluded.${name} ELSE bot_days.${name} END`;
}

const ADDED = raw(
  [
    later('bot_name', 'last_callback_id'),
    ...LATEST.map((name) => later(name, name)),
    ...SUMS.map((name) => `${name} = bot_days.${name} + excluded.${name}`),
  ].join(', '),
);

async function add(tx: Tx, days: readonly BotDay[]): Promise<void> {
  if (days.length === 0) return;
  const rows = days.map((day): RawValue[] => COLUMNS.map((column) => day[column]));
  await tx.all(sql`
    INSERT INTO bot_days (${raw(COLUMNS.join(', '))}) VALUES ${bulk(rows)}
    ON CONFLICT (bot_key, day) DO UPDATE SET ${ADDED}`);
}
