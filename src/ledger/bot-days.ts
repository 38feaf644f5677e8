/** What the ledger knows of each BOT and day without a look at its callbacks. */
import { EXECUTING, isResult } from './job-order.ts';
import type { BotDayRow } from './tables.ts';

/** A callback that came, for the first time or again. */
export interface CountedCallback {
  /** Undefined: it came again. */
  readonly newId: number | undefined;
  /** Its id as `keyOf` makes it. */
  readonly botKey: string;
  readonly botName: string;
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** `2026-01-31` */
  readonly day: string;
  /** Seconds; undefined where it does not say. */
  readonly elapsed: number | undefined;
}

/** One row of each BOT and day, in the order in which all lock them. */
export function botDaysOf(callbacks: readonly CountedCallback[]): readonly BotDayRow[] {
  const days = new Map<string, BotDayRow>();
  for (const each of callbacks) {
    const key = `${each.botKey} ${each.day}`;
    const known = days.get(key);
    days.set(key, known === undefined ? botDayOf(each) : added(known, botDayOf(each)));
  }
  return days.size < 2
    ? [...days.values()]
    : [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

function botDayOf({ newId, botKey, botName, status, receivedAt, day, elapsed }: CountedCallback): BotDayRow {
  const isNew = newId !== undefined;
  const at = isNew ? receivedAt : 0;
  return {
    bot_id: botKey,
    day,
    bot_name: botName,
    last_callback_id: newId ?? 0,
    last_received_at: at,
    last_succeeded_at: status === 0 ? at : 0,
    last_failed_at: status === 1 ? at : 0,
    succeeded: Number(isNew && status === 0),
    failed: Number(isNew && status === 1),
    started: Number(isNew && status === EXECUTING),
    retries: Number(!isNew),
    elapsed_time: isNew && isResult({ status }) ? (elapsed ?? 0) : 0,
  };
}

function added(a: BotDayRow, b: BotDayRow): BotDayRow {
  return {
    bot_id: a.bot_id,
    day: a.day,
    bot_name: a.last_callback_id > b.last_callback_id ? a.bot_name : b.bot_name,
    last_callback_id: Math.max(a.last_callback_id, b.last_callback_id),
    last_received_at: Math.max(a.last_received_at, b.last_received_at),
    last_succeeded_at: Math.max(a.last_succeeded_at, b.last_succeeded_at),
    last_failed_at: Math.max(a.last_failed_at, b.last_failed_at),
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    started: a.started + b.started,
    retries: a.retries + b.retries,
    elapsed_time: a.elapsed_time + b.elapsed_time,
  };
}

const later = (column: keyof BotDayRow) =>
  `${column} = case when excluded.${column} > bot_days.${column} then excluded.${column} else bot_days.${column} end`;

const sum = (column: keyof BotDayRow) => `${column} = bot_days.${column} + excluded.${column}`;

/** The same as `added`, of an `insert` in either database: callbacks may be counted in any order. */
export const ADDED_TO_BOT_DAY = `on conflict (bot_id, day) do update set
  bot_name = case
    when excluded.last_callback_id > bot_days.last_callback_id then excluded.bot_name else bot_days.bot_name end,
  ${later('last_callback_id')}, ${later('last_received_at')}, ${later('last_succeeded_at')}, ${later('last_failed_at')},
  ${sum('succeeded')}, ${sum('failed')}, ${sum('started')}, ${sum('retries')}, ${sum('elapsed_time')}`;

/** A day begins on a quarter of an hour, wherever it does. */
const QUARTER_MS = 15 * 60_000;

/** @param timezone today's. @returns the day, `2026-01-31`, of milliseconds since the epoch */
export function dayIn(timezone: () => string): (ms: number) => string {
  let known = { quarter: Number.NaN, timezone: '', day: '' };
  return (ms) => {
    const [quarter, zone] = [Math.floor(ms / QUARTER_MS), timezone()];
    if (quarter !== known.quarter || zone !== known.timezone) {
      known = { quarter, timezone: zone, day: dayOfInstant(ms, zone) };
    }
    return known.day;
  };
}

function dayOfInstant(ms: number, timeZone: string): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, ...parts }).format(ms);
}
