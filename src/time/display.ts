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

interface ZonedFormat extends Intl.DateTimeFormatOptions {
  /** Each format has one of its own. */
  readonly locale: string;
}

const LOCAL_TIME = {
  hourCycle: 'h23',
  year: 'numeric',
  day: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
} as const;

const INSTANT_FORMATS: Readonly<Record<Language, ZonedFormat>> = {
  en: { ...LOCAL_TIME, locale: 'en-GB', month: 'short', hour: '2-digit' },
  ja: { ...LOCAL_TIME, locale: 'ja-JP', month: 'numeric', hour: 'numeric' },
};

const OFFSET_FORMAT: ZonedFormat = { locale: 'en-US', timeZoneName: 'longOffset' };

const formatters = new Map<string, Intl.DateTimeFormat>();

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

/** In milliseconds. */
const AGE_UNITS = [
  { size: 86_400_000, en: 'day', ja: '日' },
  { size: 3_600_000, en: 'hour', ja: '時間' },
  { size: 60_000, en: 'minute', ja: '分' },
  { size: 1000, en: 'second', ja: '秒' },
] as const;

/** In its largest unit: `2 days`, `1 hour`, `3時間`; nothing below a second. */
export function formatAge(ms: number, language: Language): string {
  const unit = AGE_UNITS.find(({ size }) => ms >= size) ?? AGE_UNITS[3];
  const count = Math.max(0, Math.floor(ms / unit.size));
  if (language === 'ja') return `${count}${unit.ja}`;
  return `${count} ${unit.en}${count === 1 ? '' : 's'}`;
}

/**
 * Local date and time with the zone: `20 Nov 2026, 09:00:00 (GMT+9)`, `2026年11月20日 9:00:00 (JST)`.
 * @param timezone an IANA name that `isTimezone` takes
 */
export function formatInstant(ms: number, timezone: string, language: Language): string {
  const instant = new Date(ms);
  if (Number.isNaN(instant.getTime())) return '';
  if (ms < YEAR_ONE) return instant.toISOString();
  const parts = partsOf(instant, timezone, language);
  const time = `${parts.hour}:${parts.minute}:${parts.second} (${parts.timeZoneName})`;
  return language === 'ja'
    ? `${parts.year}年${parts.month}月${parts.day}日 ${time}`
    : `${parts.day} ${parts.month} ${parts.year}, ${time}`;
}

/**
 * `10:42` of the day that `now` is in, else `21 Nov, 10:42`, `11月21日 10:42`; of another year with it.
 * @param timezone an IANA name that `isTimezone` takes
 */
export function formatTimeOfDay(
  ms: number,
  {
    timezone,
    now,
    language,
  }: { readonly timezone: string; readonly now: number; readonly language: Language },
): string {
  if (Number.isNaN(new Date(ms).getTime())) return '';
  const parts = partsOf(new Date(ms), timezone, language);
  const today = partsOf(new Date(now), timezone, language);
  const time = `${parts.hour}:${parts.minute}`;
  const isThisYear = parts.year === today.year;
  if (isThisYear && parts.month === today.month && parts.day === today.day) return time;
  if (language === 'ja')
    return `${isThisYear ? '' : `${parts.year}年`}${parts.month}月${parts.day}日 ${time}`;
  return `${parts.day} ${parts.month}${isThisYear ? '' : ` ${parts.year}`}, ${time}`;
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
  return `${numberFormatters[language].format(size)} ${SIZE_UNITS[unit]}`;
}

type InstantParts = Readonly<
  Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'timeZoneName', string>
>;

const QUARTER_MS = 900_000;

/** Since then all zones are quarters of an hour from UTC, and change only at the full quarter. */
const WHOLE_QUARTERS_SINCE = Date.UTC(2023, 0);

const MOST_QUARTERS = 1000;
/** Intl takes a hundred times as long as looking here: what it made of the beginnings of quarters of an hour. */
const quarters = new Map<string, InstantParts>();

function partsOf(instant: Date, timezone: string, language: Language): InstantParts {
  const ms = instant.getTime();
  if (ms < WHOLE_QUARTERS_SINCE) return formattedParts(ms, timezone, language);
  const quarter = Math.floor(ms / QUARTER_MS);
  const key = `${language} ${timezone} ${quarter}`;
  let parts = quarters.get(key);
  if (parts === undefined) {
    parts = formattedParts(quarter * QUARTER_MS, timezone, language);
    if (quarters.size >= MOST_QUARTERS) quarters.clear();
    quarters.set(key, parts);
  }
  const seconds = Math.floor((ms - quarter * QUARTER_MS) / 1000);
  return {
    ...parts,
    minute: twoDigits(Number(parts.minute) + Math.floor(seconds / 60)),
    second: twoDigits(seconds % 60),
  };
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}

/** By type: Intl's own punctuation differs between Node releases. */
function formattedParts(ms: number, timezone: string, language: Language): InstantParts {
  const parts = formatterOf(timezone, INSTANT_FORMATS[language]).formatToParts(ms);
  const byType = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', hour = '', minute = '', second = '', timeZoneName = '' } = byType;
  return { year, month, day, hour, minute, second, timeZoneName };
}

/** @throws {RangeError} for an unknown time zone */
function formatterOf(timezone: string, { locale, ...options }: ZonedFormat): Intl.DateTimeFormat {
  const key = `${locale} ${timezone}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone });
  formatters.set(key, formatter);
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

const DAY_MS = 86_400_000;

/** As `OFFSET_FORMAT` has them, behind the date: `GMT`, `GMT+09:00`, `GMT-00:44:30`. */
const OFFSET = /GMT(?:([+-])([\d:]+))?$/;

/** Whether `name` is a time zone of the IANA database; offsets such as `+09:00` are none. */
export function isTimezone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatterOf(name, OFFSET_FORMAT);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant (ms) at which clocks in `timezone` show what UTC's show at `asIfUtc`: the earlier one where they show it twice;
 * where they skip it, as if they had not been put forward yet, so that 02:30 is read as 03:30 (as Temporal's `compatible`,
 * RFC 5545, 3.3.5). @throws {RangeError} for an unknown time zone
 */
export function zonedToInstant(asIfUtc: number, timezone: string): number {
  // No zone changes its offset twice within two days, so these are the only offsets the time can have.
  const offsets = [offsetAt(asIfUtc - DAY_MS, timezone), offsetAt(asIfUtc + DAY_MS, timezone)];
  const candidates = offsets.map((offset) => asIfUtc - offset).sort((a, b) => a - b);
  const shown = candidates.find((instant) => instant + offsetAt(instant, timezone) === asIfUtc);
  return shown ?? Math.max(...candidates);
}

/** How far the zone's clocks are ahead of UTC, in ms. */
function offsetAt(instant: number, timezone: string): number {
  const [, sign, offset = ''] = OFFSET.exec(formatterOf(timezone, OFFSET_FORMAT).format(instant)) ?? [];
  const seconds = offset.split(':').reduce((sum, part, index) => sum + Number(part) * 60 ** (2 - index), 0);
  return (sign === '-' ? -seconds : seconds) * 1000;
}
