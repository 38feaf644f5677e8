/** Days and times of day where the display's clocks are. A day is its midnight, as if that were UTC's. */
import { instantToZoned, zonedToInstant } from '../time/display.ts';
import { WEEKDAYS, type Weekday } from './rules.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The day that an instant is in. */
export function dayOf(instant: number, timezone: string): number {
  return Math.floor(instantToZoned(instant, timezone) / DAY_MS) * DAY_MS;
}

/** The instant at which that day's clocks show `minutes` after midnight. */
export function instantOn(day: number, minutes: number, timezone: string): number {
  return zonedToInstant(day + minutes * MINUTE_MS, timezone);
}

export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[new Date(day).getUTCDay()] ?? 'sun';
}

/** `2026-12-29` */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
