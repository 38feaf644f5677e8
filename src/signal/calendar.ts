/** Calendars, days and times of day in the display's timezone. A day is its midnight in ms, read as UTC. */
import { hash } from 'node:crypto';
import { instantToZoned, zonedToInstant } from '../time/display.ts';
import { type Calendar, type Digest, type Report, type Weekday, WEEKDAYS } from './rules.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The day of an instant. */
export function dayOf(instant: number, timezone: string): number {
  return Math.floor(instantToZoned(instant, timezone) / DAY_MS) * DAY_MS;
}

/** The instant at which clocks show `minutes` after midnight on that day. @param after as of `zonedToInstant` */
export function instantOn(day: number, minutes: number, timezone: string, after?: number): number {
  return zonedToInstant(day + minutes * MINUTE_MS, timezone, after);
}

/** The first instant at which clocks show that time or a later one: of a time that they skip, when they skip it. */
export function instantFrom(day: number, minutes: number, timezone: string): number {
  let instant = instantOn(day, minutes, timezone);
  while (instantToZoned(instant - MINUTE_MS, timezone) >= day + minutes * MINUTE_MS) instant -= MINUTE_MS;
  return instant;
}

export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[new Date(day).getUTCDay()] ?? 'sun';
}

/** The day in ISO 8601, `2026-12-29`. */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** The day that a date in ISO 8601 names; undefined: there is none. */
export function dayIn(date: string): number | undefined {
  const day = Date.parse(`${date}T00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(date) && day > 0 && dateOf(day) === date ? day : undefined;
}

/** Why a calendar may soon be wrong: it ends, or a file of it has no day of this year. */
export interface CalendarDoubt {
  readonly calendar: string;
  /** In ISO 8601. */
  readonly endsOn?: string | undefined;
  readonly file?: string | undefined;
  readonly year?: number | undefined;
}

/** From one day to another, both included. */
export type DayRange = readonly [from: number, to: number];

/** The days that `2026-12-29` or `2026-12-29..2027-01-03` names; undefined: there are none. */
export function daysIn(text: string): DayRange | undefined {
  const [first = '', last = first, ...more] = text.split('..');
  const [from, to] = [dayIn(first), dayIn(last)];
  return from !== undefined && to !== undefined && from <= to && more.length === 0 ? [from, to] : undefined;
}

/** `except` wins over `days`, `also` over both; after `until`, `except` counts no more. */
interface CalendarDays {
  readonly days: readonly Weekday[];
  readonly except: readonly DayRange[];
  readonly also: readonly DayRange[];
  readonly until: number | undefined;
}

export function calendarOf(of: CalendarDays): Calendar {
  const { days, until = Infinity } = of;
  const [isExcept, isAlso] = [among(of.except), among(of.also)];
  const has = (day: number) =>
    isAlso(day) || (days.includes(weekdayOf(day)) && !(day <= until && isExcept(day)));
  return withKey(hash('sha256', JSON.stringify(of), 'hex').slice(0, 16), has);
}

/** The calendar of all days that this one leaves out. */
export function outside(calendar: Calendar): Calendar {
  return withKey(`outside ${calendar.key}`, (day) => !calendar.has(day));
}

function withKey(key: string, has: Calendar['has']): Calendar {
  return { key, has, toJSON: () => key };
}

/** Looks single days up in a set, since a calendar may have the holidays of many years, and is asked for each message. */
function among(ranges: readonly DayRange[]): (day: number) => boolean {
  const single = new Set(ranges.filter(([from, to]) => from === to).map(([day]) => day));
  const long = ranges.filter(([from, to]) => from !== to);
  return (day) => single.has(day) || long.some(([from, to]) => from <= day && day <= to);
}

/** The last instant that a JavaScript date can hold. */
export const NEVER = 8.64e15;

/** If a calendar leaves out more days in a row, nothing is due any more. */
export const MOST_DAYS_AHEAD = 400;

/** The first instant after `after` at which clocks show `at` on a day that `isMeant`; `NEVER`: none in `MOST_DAYS_AHEAD`. */
function nextOn(isMeant: (day: number) => boolean, at: number, after: number, timezone: string): number {
  // From yesterday, since clocks set forward at midnight may move yesterday's last minutes to today.
  const first = dayOf(after, timezone) - DAY_MS;
  for (let day = first; day <= first + MOST_DAYS_AHEAD * DAY_MS; day += DAY_MS) {
    const due = isMeant(day) ? instantOn(day, at, timezone) : -Infinity;
    if (due > after) return due;
  }
  return NEVER;
}

/** The first time after `after` at which a digest is due. */
export function nextDigest({ at, days, calendar }: Digest, after: number, timezone: string): number {
  const isMeant = (day: number) => days.includes(weekdayOf(day)) && calendar?.has(day) !== false;
  return nextOn(isMeant, at, after, timezone);
}

/** The first day of the day's period: itself, its Monday, or the first of its month. */
export function periodStart(every: Report['every'], day: number): number {
  const date = new Date(day);
  if (every === 'month') return day - (date.getUTCDate() - 1) * DAY_MS;
  return every === 'week' ? day - ((date.getUTCDay() + 6) % 7) * DAY_MS : day;
}

/** The first day of the period after the day's. */
export function periodAfter(every: Report['every'], day: number): number {
  // The length of the longest such period, counted from this one's start, always leads into the next one.
  return periodStart(every, periodStart(every, day) + { day: 1, week: 7, month: 31 }[every] * DAY_MS);
}

/** When the report whose period begins with the day `from` is due: on its calendar's first day after that period. */
export function reportDue({ every, at, calendar }: Report, from: number, timezone: string): number {
  const end = periodAfter(every, from);
  const isMeant = (day: number) => day >= end && calendar?.has(day) !== false;
  return nextOn(isMeant, at, instantOn(end, 0, timezone) - 1, timezone);
}

const DIGEST_STILL_TOLD_MS = 3_600_000;

/** The first due time after a start: the next one, or one that was due within the last hour and not told. */
export function digestAtStart(digest: Digest, now: number, toldAt: number, timezone: string): number {
  return nextDigest(digest, Math.max(now - DIGEST_STILL_TOLD_MS, Math.min(toldAt, now)), timezone);
}
