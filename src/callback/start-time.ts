/** Reads `start_time`: an ISO 8601 calendar date and time of day, extended or basic, as one instant. */
import { utcInstant, zonedToInstant } from '../time/zone.ts';
import type { ZonedParts } from '../time/zone.ts';

/** Longer than any real date-time, fraction included; a bound on the work a hostile one can cause. */
const MAX_LENGTH = 1000;

const FRACTION = '(?:[.,](?<fraction>\\d+))?';
const ZONE = '(?<zone>[Zz]|(?<sign>[-+\\u2212])(?<zoneHour>\\d{2})(?::?(?<zoneMinute>\\d{2}))?)?';
const EXTENDED = isoPattern('-', ':');
const BASIC = isoPattern('', '');

/** The common shape, on a day that every month has: JavaScript reads it as we do, and in a fraction of the time. */
const COMMON =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The instant (ms; finer digits are dropped) that an ISO 8601 calendar date-time names. Minutes and seconds may be left
 * out, a fraction belongs to the last one given; without an offset it is local to `timezone`, where a time that the clocks
 * skip is read as that much later: the zone is only our guess. Undefined for any other text, and for a day or time that
 * no calendar has.
 */
export function parseStartTime(text: string, timezone: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (COMMON.test(text)) return Date.parse(text);
  const groups: Groups | undefined = (EXTENDED.exec(text) ?? BASIC.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const parts = partsOf(groups);
  const isLeapSecond = parts.second === 60;
  const regular = isLeapSecond ? { ...parts, second: 59 } : parts;
  if (!exists(regular)) return undefined;
  const instant = instantOf(regular, groups, timezone);
  if (instant === undefined) return undefined;
  if (!isLeapSecond) return instant + fractionMs(groups);
  return endsHalfYear(instant + 1000) ? instant + 1000 + fractionMs(groups) : undefined;
}

function isoPattern(dash: string, colon: string): RegExp {
  const date = `(?<year>\\d{4})${dash}(?<month>\\d{2})${dash}(?<day>\\d{2})`;
  const time = `(?<hour>\\d{2})(?:${colon}(?<minute>\\d{2})(?:${colon}(?<second>\\d{2}))?)?`;
  return new RegExp(`^${date}[Tt]${time}${FRACTION}${ZONE}$`);
}

function partsOf(groups: Groups): ZonedParts {
  const number = (name: string) => Number(groups[name] ?? 0);
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    millisecond: 0,
  };
}

function exists({ year, month, day, hour, minute, second }: ZonedParts): boolean {
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  );
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function instantOf(parts: ZonedParts, groups: Groups, timezone: string): number | undefined {
  if (groups.zone === undefined) return zonedToInstant(parts, timezone);
  const hours = Number(groups.zoneHour ?? 0);
  const minutes = Number(groups.zoneMinute ?? 0);
  if (hours > 23 || minutes > 59) return undefined;
  const offset = hours * HOUR_MS + minutes * MINUTE_MS;
  return utcInstant(parts) - (groups.sign === '+' ? offset : -offset);
}

function fractionMs({ fraction = '0', minute, second }: Groups): number {
  const unit = second !== undefined ? 1000 : minute !== undefined ? MINUTE_MS : HOUR_MS;
  // Nine digits keep the product an exact integer and name less than a millisecond of an hour.
  return Math.floor((Number(fraction.slice(0, 9).padEnd(9, '0')) * unit) / 1e9);
}

/** RFC 3339, "Leap Seconds": they are inserted at the end of June or December, UTC. */
function endsHalfYear(instant: number): boolean {
  return /-0[17]-01T00:00:00\.000Z$/.test(new Date(instant).toISOString());
}
