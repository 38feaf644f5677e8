/** What the ledger looks callbacks up by, shows of them in lists, and counts of each BOT and day. */
import { hash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { type Callback, identityOf } from '../callback/callback.ts';
import { parseExactly } from '../callback/decode.ts';
import { cleanText } from '../text/clean.ts';
import { shortText } from '../text/cut.ts';
import type { Arrival, CallbackKind } from './ledger.ts';
import { bodyText, type BodyToStore, type StoredBody } from './stored-body.ts';
import type { BotDayRow, CallbackRow } from './tables.ts';

/** Longer than any name that a pattern of a route is looked for in, so that a cut one is no more routed than the whole. */
const LONGEST_NAME = 2000;

/** A callback to be written, each of its columns; its body as bytes. */
export type NewCallback = Required<Omit<Insertable<CallbackRow>, 'id' | 'body'>> & {
  readonly body: BodyToStore;
};

export function callbackRow(
  {
    callback,
    startedAt,
    receivedAt,
    routing,
  }: Pick<Arrival, 'callback' | 'startedAt' | 'receivedAt' | 'routing'>,
  body: BodyToStore,
  jobId: string,
  identity: string,
) {
  return {
    kind: 'callback' satisfies CallbackKind,
    identity,
    // The columns are for looking up and showing; what came, to the letter, is in the body.
    job_id: jobId,
    bot_id: botIdIn(callback.bot_id),
    bot_name: shortText(callback.bot_name, LONGEST_NAME),
    status: callback.status,
    started_at: startedAt,
    received_at: receivedAt,
    last_received_at: receivedAt,
    times_received: 1,
    body,
    routing: JSON.stringify(routing),
    elapsed_time: elapsedSeconds(callback) ?? null,
    about: null,
  } satisfies NewCallback;
}

/** An arrival, and what the ledger knows its callback by. */
export interface IdentifiedArrival {
  readonly arrival: Arrival;
  readonly jobId: string;
  readonly identity: string;
  /** As the ledger will keep it. */
  readonly row: ReturnType<typeof callbackRow>;
}

export function identified(arrival: Arrival, body: BodyToStore): IdentifiedArrival {
  const jobId = jobIdOf(arrival.callback);
  const identity = identityOf(arrival.callback);
  return { arrival, jobId, identity, row: callbackRow(arrival, body, jobId, identity) };
}

/** Longer than any run; sums of it stay integers that every database has. */
const LONGEST_SECONDS = 1_000_000_000;

/** Undefined where the callback does not say. */
export function elapsedSeconds({ elapsed_time }: Pick<Callback, 'elapsed_time'>): number | undefined {
  const isGiven = typeof elapsed_time === 'number' && elapsed_time >= 0;
  return isGiven ? Math.min(Math.round(elapsed_time), LONGEST_SECONDS) : undefined;
}

/** Of what the ledger keeps, read as it was when it came. */
export function callbackIn(body: StoredBody): Callback {
  return parseExactly(bodyText(body)) as Callback;
}

/** An id may be as long as a body, but PostgreSQL's indexes take 2.7 KB. */
const LONGEST_KEY = 200;

/** Of a longer one, no more is cleaned: it is known by what came. */
const LONGEST_CLEANED = 10_000;

/** As it stands in the ledger's column. */
export function botIdIn(text: string): string {
  return shortText(text, LONGEST_NAME);
}

/**
 * As it stands in the ledger: of a longer one its beginning, and its hash, which tells it from its like. A callback is
 * known again by it, so whoever changes it, or what is clean, must think of the rows that are there.
 */
export function jobIdOf({ job_id }: Callback): string {
  return keyOf(job_id);
}

/** The same of any id. */
export function keyOf(id: string): string {
  const isCleanedWhole = id.length <= LONGEST_CLEANED;
  const text = cleanText(isCleanedWhole ? id : id.slice(0, LONGEST_CLEANED));
  if (isCleanedWhole && text.length <= LONGEST_KEY) return text;
  const known = hash('sha256', isCleanedWhole ? text : id, 'hex');
  return `${text.slice(0, LONGEST_KEY).toWellFormed()}… ${known}`;
}

/** Of an id as somebody asks for it: as callbacks name it, or as the ledger does. */
export function keysFor(id: string): readonly string[] {
  return [...new Set([keyOf(id), cleanText(id.slice(0, LONGEST_CLEANED))])];
}

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

export function isResult({ status }: { readonly status: number }): boolean {
  return status !== EXECUTING;
}

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
