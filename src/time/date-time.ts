/** Reads date-times by ISO 8601. */
import { zonedToInstant } from './display.ts';

/** A limit of digits that no real date-time exceeds. */
const FRACTION = '(?:[.,](?<fraction>\\d{1,1000}))?';
const ZONE =
  '(?:(?<utc>[Zz])|(?<sign>[-+\\u2212])(?<zoneHour>[01]\\d|2[0-3])(?::?(?<zoneMinute>[0-5]\\d))?)?';
const EXTENDED = isoPattern('-', ':');
const BASIC = isoPattern('', '');

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The instant (ms) of an ISO 8601 calendar date-time, also with a blank for the T; undefined if the text is none, or the day or time
 * does not exist. Minutes and seconds may be left out; a fraction belongs to the last unit given. Without an offset it is local to
 * `timezone`: our guess, so a time that the clocks skip is read as that much later. A leap second is the second after it.
 */
export function parseStartTime(text: string, timezone: string): number | undefined {
  const groups: Groups | undefined = (EXTENDED.exec(text) ?? BASIC.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const { year, month, day, hour, minute = '00', second = '00' } = groups;
  const date = `${year}-${month}-${day}`;
  const leapMs = second === '60' ? 1000 : 0;
  const asIfUtc = Date.parse(`${date}T${hour}:${minute}:${leapMs === 0 ? second : '59'}Z`);
  // `Date.parse` reads a day that the month does not have, and hour 24, as a time on another date.
  if (Number.isNaN(asIfUtc) || new Date(asIfUtc).getUTCDate() !== Number(day)) return undefined;
  return instantOf(asIfUtc, groups, timezone) + leapMs + fractionMs(groups);
}

function isoPattern(dash: string, colon: string): RegExp {
  const date = `(?<year>\\d{4})${dash}(?<month>\\d{2})${dash}(?<day>\\d{2})`;
  const time = `(?<hour>\\d{2})(?:${colon}(?<minute>\\d{2})(?:${colon}(?<second>\\d{2}))?)?`;
  return new RegExp(`^${date}[Tt ]${time}${FRACTION}${ZONE}$`);
}

function instantOf(asIfUtc: number, { utc, sign, zoneHour, zoneMinute }: Groups, timezone: string): number {
  if (utc === undefined && sign === undefined) return zonedToInstant(asIfUtc, timezone);
  const offset = Number(zoneHour ?? 0) * HOUR_MS + Number(zoneMinute ?? 0) * MINUTE_MS;
  return asIfUtc - (sign === '+' ? offset : -offset);
}

function fractionMs({ fraction = '0', minute, second }: Groups): number {
  const unit = second !== undefined ? 1000 : minute !== undefined ? MINUTE_MS : HOUR_MS;
  // With nine digits, the product is an exact integer, and a fraction of an hour is exact to the millisecond.
  return Math.floor((Number(fraction.slice(0, 9).padEnd(9, '0')) * unit) / 1e9);
}
