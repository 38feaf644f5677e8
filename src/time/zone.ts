/** Local times of IANA time zones, with their gaps and overlaps. */

/** A local date and time that exists in the calendar. */
export interface ZonedParts {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

const DAY_MS = 86_400_000;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether `name` is a time zone of the IANA database; offsets such as `+09:00` are none. */
export function isTimezone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant (ms) at which clocks in `timezone` show `parts`: the earlier one where they show it twice; where they skip
 * it, as if they had not been put forward yet, so that 02:30 is read as 03:30 (as Temporal's `compatible`, RFC 5545,
 * 3.3.5). @throws {RangeError} for an unknown time zone
 */
export function zonedToInstant(parts: ZonedParts, timezone: string): number {
  const asIfUtc = utcInstant(parts);
  // No zone changes its offset twice within two days, so these are the only offsets the time can have.
  const offsets = [offsetAt(asIfUtc - DAY_MS, timezone), offsetAt(asIfUtc + DAY_MS, timezone)];
  const candidates = offsets.map((offset) => asIfUtc - offset).sort((a, b) => a - b);
  const shown = candidates.find((instant) => instant + offsetAt(instant, timezone) === asIfUtc);
  return shown ?? Math.max(...candidates);
}

/** The instant (ms) of the same parts in UTC. */
export function utcInstant(parts: ZonedParts): number {
  const date = new Date(0);
  // Unlike Date.UTC, this takes the years 0 to 99 as they are.
  date.setUTCFullYear(parts.year, parts.month - 1, parts.day);
  return date.setUTCHours(parts.hour, parts.minute, parts.second, parts.millisecond);
}

/** How far the zone's clocks are ahead of UTC, in ms. */
function offsetAt(instant: number, timezone: string): number {
  const wholeSecond = Math.floor(instant / 1000) * 1000;
  const shown = new Map<string, string>();
  for (const part of formatterOf(timezone).formatToParts(wholeSecond)) shown.set(part.type, part.value);
  const number = (type: string) => Number(shown.get(type));
  const year = shown.get('era')?.startsWith('B') ? 1 - number('year') : number('year');
  const local = utcInstant({
    year,
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    millisecond: 0,
  });
  return local - wholeSecond;
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timezone, formatter);
  return formatter;
}
