/** Durations, sizes, instants and local times as people write and read them: in a config, a callback, a log, a notification. */

/** Of the built-in templates, dates and durations. */
export type Language = 'en' | 'ja';

/** In seconds. */
const ELAPSED_UNITS = [
  { size: 86_400, en: ' d', ja: '日' },
  { size: 3600, en: ' h', ja: '時間' },
  { size: 60, en: ' min', ja: '分' },
  { size: 1, en: ' s', ja: '秒' },
] as const;

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Before the year 1 a year needs an era to be told from later ones. */
const YEAR_ONE = new Date('0001-01-02T00:00:00Z').getTime();

/** Since then the clocks of every zone are whole minutes from UTC and are changed on one (tz database; Liberia was the last). */
const WHOLE_MINUTES_SINCE = Date.UTC(1973, 0, 1);
const MINUTE_MS = 60_000;

/** Callbacks come in waves, and those of one wave started in few different minutes. */
const MOST_MINUTES_KNOWN = 500;

const instantFormatters = new Map<string, InstantFormatter>();
const numberFormatters = {
  en: new Intl.NumberFormat('en', { maximumFractionDigits: 1 }),
  ja: new Intl.NumberFormat('ja', { maximumFractionDigits: 1 }),
};

/** 3661 is `1 h 1 min 1 s` or `1時間1分1秒`, 0 is `0 s`. Fractions are rounded; past exact integers it stays in seconds. */
export function formatElapsed(seconds: number, language: Language): string {
  if (seconds < 0) return `-${formatElapsed(-seconds, language)}`;
  const whole = Math.round(seconds);
  if (!Number.isSafeInteger(whole)) return `${seconds}${ELAPSED_UNITS[3][language]}`;
  const parts = countedIn(ELAPSED_UNITS, whole).map(({ count, unit }) => `${count}${unit[language]}`);
  return parts.join(language === 'ja' ? '' : ' ') || `0${ELAPSED_UNITS[3][language]}`;
}

/**
 * Local date and time with the zone: `20 Nov 2026, 09:00:00 (GMT+9)`, `2026年11月20日 9:00:00 (JST)`.
 * @param timezone an IANA name that `isTimezone` takes
 */
export function formatInstant(ms: number, timezone: string, language: Language): string {
  const instant = new Date(ms);
  if (Number.isNaN(instant.getTime())) return '';
  if (ms < YEAR_ONE) return instant.toISOString();
  const parts = instantFormatter(timezone, language).partsOf(instant);
  const second = ms < WHOLE_MINUTES_SINCE ? parts.second : String(instant.getUTCSeconds()).padStart(2, '0');
  const time = `${parts.hour}:${parts.minute}:${second} (${parts.timeZoneName})`;
  return language === 'ja'
    ? `${parts.year}年${parts.month}月${parts.day}日 ${time}`
    : `${parts.day} ${parts.month} ${parts.year}, ${time}`;
}

/** 603956 is `589.8 KB` (1024-based); empty for what is no size: a negative, a fraction, past exact integers. */
export function formatSize(bytes: number, language: Language): string {
  if (!Number.isSafeInteger(bytes) || bytes < 0) return '';
  let size = bytes;
  let unit = 0;
  // What would be rounded up to 1,024 of a unit is 1 of the next.
  while (size >= 1023.95 && unit < SIZE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${oneDecimal(size, language)} ${SIZE_UNITS[unit]}`;
}

/** Only a separator of thousands is worth the time that Intl takes. */
function oneDecimal(size: number, language: Language): string {
  return size < 999.5 ? size.toFixed(1).replace('.0', '') : numberFormatters[language].format(size);
}

type InstantParts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

/** Intl takes longer for an instant than all the rest of a short message. */
class InstantFormatter {
  private readonly formatter: Intl.DateTimeFormat;
  private readonly minutes = new Map<number, InstantParts>();

  constructor(timezone: string, language: Language) {
    this.formatter = new Intl.DateTimeFormat(language === 'ja' ? 'ja-JP' : 'en-GB', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: language === 'ja' ? 'numeric' : 'short',
      day: 'numeric',
      hour: language === 'ja' ? 'numeric' : '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    });
  }

  /** All but the second, which may be another one's of the same minute where the clocks of all zones agree on it. */
  partsOf(instant: Date): InstantParts {
    return instant.getTime() < WHOLE_MINUTES_SINCE ? this.format(instant) : this.minuteOf(instant);
  }

  private minuteOf(instant: Date): InstantParts {
    const minute = Math.floor(instant.getTime() / MINUTE_MS);
    const known = this.minutes.get(minute);
    if (known !== undefined) return known;
    if (this.minutes.size >= MOST_MINUTES_KNOWN) this.minutes.clear();
    const parts = this.format(instant);
    this.minutes.set(minute, parts);
    return parts;
  }

  /** By type: Intl's own punctuation differs between Node releases. */
  private format(instant: Date): InstantParts {
    return Object.fromEntries(this.formatter.formatToParts(instant).map(({ type, value }) => [type, value]));
  }
}

function instantFormatter(timezone: string, language: Language): InstantFormatter {
  const key = `${timezone} ${language}`;
  const known = instantFormatters.get(key);
  if (known !== undefined) return known;
  const formatter = new InstantFormatter(timezone, language);
  instantFormatters.set(key, formatter);
  return formatter;
}

/** In milliseconds. */
const DURATION_UNITS = [
  { name: 'd', size: 86_400_000 },
  { name: 'h', size: 3_600_000 },
  { name: 'm', size: 60_000 },
  { name: 's', size: 1000 },
  { name: 'ms', size: 1 },
] as const;

/** Largest unit first, each at most once. */
const DURATION = new RegExp(`^(?=\\d)${DURATION_UNITS.map(({ name }) => `(?:(\\d+)${name})?`).join('')}$`);

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** `8s`, `250ms`, `2m`, `24h`, `30d`, `1h30m` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const counts = DURATION.exec(text)?.slice(1);
  if (counts === undefined) return undefined;
  const ms = DURATION_UNITS.reduce((sum, unit, index) => sum + Number(counts[index] ?? 0) * unit.size, 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** `8s`, `1h 1m 1s`, `1s 500ms`: largest unit first, none that is zero; milliseconds are rounded. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms < 0) return `-${formatDuration(-ms)}`;
  const parts = countedIn(DURATION_UNITS, Math.round(ms)).map(({ count, unit }) => `${count}${unit.name}`);
  return parts.join(' ') || '0s';
}

/** How many of each unit, the largest first, are in an amount; none of which there are none. */
function countedIn<Unit extends { readonly size: number }>(units: readonly Unit[], amount: number) {
  let rest = amount;
  const counted = units.map((unit) => {
    const count = Math.floor(rest / unit.size);
    rest -= count * unit.size;
    return { count, unit };
  });
  return counted.filter(({ count }) => count > 0);
}

/** `8mb`, `512kb`, `1gb`, `100b` (1024-based, any case) or a bare number of bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = /^(\d+)(b|kb|mb|gb)?$/i.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Number(count) * (BYTES_PER_UNIT[unit?.toLowerCase() ?? 'b'] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

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

const offsetFormatters = new Map<string, Intl.DateTimeFormat>();

/** Whether `name` is a time zone of the IANA database; offsets such as `+09:00` are none. */
export function isTimezone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    offsetFormatter(name);
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
  for (const part of offsetFormatter(timezone).formatToParts(wholeSecond)) shown.set(part.type, part.value);
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

function offsetFormatter(timezone: string): Intl.DateTimeFormat {
  const known = offsetFormatters.get(timezone);
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
  offsetFormatters.set(timezone, formatter);
  return formatter;
}
