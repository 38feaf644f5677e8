/** Formats and parses durations, sizes, instants and local times as people write them in configs, callbacks and notifications. */

/** A language of the built-in templates, dates and durations. */
export type Language = 'en' | 'ja';

/** Sizes in seconds. */
const ELAPSED_UNITS = [
  { size: 86_400, en: ' d', ja: '日' },
  { size: 3600, en: ' h', ja: '時間' },
  { size: 60, en: ' min', ja: '分' },
  { size: 1, en: ' s', ja: '秒' },
] as const;

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

interface ZonedFormat extends Intl.DateTimeFormatOptions {
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

/** The formats of an instant in each language, and of an offset from UTC. */
const FORMATS: Readonly<Record<Language | 'offset', ZonedFormat>> = {
  en: { ...LOCAL_TIME, locale: 'en-GB', month: 'short', hour: '2-digit' },
  ja: { ...LOCAL_TIME, locale: 'ja-JP', month: 'numeric', hour: 'numeric' },
  offset: { locale: 'en-US', timeZoneName: 'longOffset' },
};

/** The same in each language. */
const SHORT_NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** 3661 is `1 h 1 min 1 s` or `1時間1分1秒`, 0.4 `0 s`; values past safe integers stay in seconds. '' for what is no duration. */
export function formatElapsed(seconds: number, language: Language): string {
  if (!(seconds >= 0 && seconds < Infinity)) return '';
  let rest = Math.round(seconds);
  if (!Number.isSafeInteger(rest)) return `${seconds}${ELAPSED_UNITS[3][language]}`;
  const parts = ELAPSED_UNITS.flatMap((unit) => {
    const count = Math.floor(rest / unit.size);
    rest %= unit.size;
    return count > 0 ? [`${count}${unit[language]}`] : [];
  });
  return parts.join(language === 'ja' ? '' : ' ') || `0${ELAPSED_UNITS[3][language]}`;
}

/** Rounded down to its largest unit: `2 d`, `1 h`, `3時間`; `0 s` below a second. */
export function formatAge(ms: number, language: Language): string {
  const { size } = ELAPSED_UNITS.find((unit) => ms >= unit.size * 1000) ?? ELAPSED_UNITS[3];
  return formatElapsed(Math.max(0, Math.floor(ms / 1000 / size)) * size, language);
}

/** Programs write the beginning of the year 1 for a time that is not known (Go, .NET). */
const FIRST_KNOWN = Date.parse('0002-01-01T00:00:00Z');
/** ECMAScript, "Time Values": no date is later. */
const LAST_MS = 8.64e15;

/** False for what no date can be, and for the year 1, which stands for an unknown time, in any time zone. */
export function isKnownInstant(ms: number): boolean {
  return ms >= FIRST_KNOWN && ms <= LAST_MS;
}

/**
 * Local date and time with the zone: `20 Nov 2026, 09:00:00 (GMT+9)`, `2026年11月20日 9:00:00 (JST)`; '' if it is not known.
 * @param timezone an IANA name that `isTimezone` takes
 */
export function formatInstant(ms: number, timezone: string, language: Language): string {
  if (!isKnownInstant(ms)) return '';
  const parts = partsOf(ms, timezone, language);
  const time = `${parts.hour}:${parts.minute}:${parts.second} (${parts.timeZoneName})`;
  return language === 'ja'
    ? `${parts.year}年${parts.month}月${parts.day}日 ${time}`
    : `${parts.day} ${parts.month} ${parts.year}, ${time}`;
}

/** `10:42` on the day of `now`, else `21 Nov, 10:42` or `11月21日 10:42`; with the year if it is another. '' if it is not known. */
export function formatTimeOfDay(
  ms: number,
  {
    timezone,
    now,
    language,
  }: { readonly timezone: string; readonly now: number; readonly language: Language },
): string {
  if (!isKnownInstant(ms)) return '';
  const parts = partsOf(ms, timezone, language);
  const today = partsOf(now, timezone, language);
  const time = `${parts.hour}:${parts.minute}`;
  const isThisYear = parts.year === today.year;
  if (isThisYear && parts.month === today.month && parts.day === today.day) return time;
  if (language === 'ja')
    return `${isThisYear ? '' : `${parts.year}年`}${parts.month}月${parts.day}日 ${time}`;
  return `${parts.day} ${parts.month}${isThisYear ? '' : ` ${parts.year}`}, ${time}`;
}

/** 603956 is `589.8 KB` (1024-based); '' for a negative number, a fraction, or one past safe integers. */
export function formatSize(bytes: number): string {
  if (!Number.isSafeInteger(bytes) || bytes < 0) return '';
  let size = bytes;
  let unit = 0;
  // From 1023.95 on, one decimal would round up to 1,024 of the unit.
  while (size >= 1023.95 && unit < SIZE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${SHORT_NUMBERS.format(size)} ${SIZE_UNITS[unit]}`;
}

const MINUTE_MS = 60_000;

/** Keeps the results of `make`, since computing with time zones is slow. Forgets them all once there are `most`. */
export function memoized<Args extends readonly (string | number)[], Result>(
  most: number,
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  const results = new Map<string, Result>();
  return (...args) => {
    const key = args.join(' ');
    const known = results.get(key);
    if (known !== undefined) return known;
    if (results.size >= most) results.clear();
    const made = make(...args);
    results.set(key, made);
    return made;
  };
}

const formatterOf = memoized(1000, (timezone: string, kind: keyof typeof FORMATS) => {
  const { locale, ...options } = FORMATS[kind];
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone });
});

/** Kept by the minute, since runs that end together have begun in the same few minutes. */
const partsOfMinute = memoized(1000, formattedParts);

/** Until then, some zones were seconds off a whole minute, so that their minutes begin at other times. */
const WHOLE_MINUTES_FROM = Date.UTC(1973, 0);

function partsOf(ms: number, timezone: string, language: Language) {
  if (ms < WHOLE_MINUTES_FROM) return formattedParts(ms, timezone, language);
  const minute = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const second = String(Math.floor((ms - minute) / 1000)).padStart(2, '0');
  return Object.assign({}, partsOfMinute(minute, timezone, language), { second });
}

/** Parts instead of a formatted string, since Intl's punctuation differs between Node releases. */
function formattedParts(ms: number, timezone: string, language: Language) {
  const parts = formatterOf(timezone, language).formatToParts(ms);
  const byType = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', hour = '', minute = '', second = '', timeZoneName = '' } = byType;
  return { year, month, day, hour, minute, second, timeZoneName };
}

/** In milliseconds. */
const DURATION_SIZES = [86_400_000, 3_600_000, 60_000, 1000, 1];

/** Each unit at most once. */
export const DURATION = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

export const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight; undefined if `text` is no time of day. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = TIME_OF_DAY.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** A size of more than 0; 1024-based. */
export const SIZE = /^(0*[1-9]\d*)(?:[bB]|([kKmMgG])[bB])?$/;

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `8s`, `250ms`, `2m`, `24h`, `30d`, `1h30m` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const counts = DURATION.exec(text)?.slice(1);
  if (counts === undefined) return undefined;
  const ms = DURATION_SIZES.reduce((sum, size, index) => sum + Number(counts[index] ?? 0) * size, 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** `8mb`, `512kb`, `1gb`, `100b` (any case) or a bare number of bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, count, unit = ''] = SIZE.exec(text) ?? [];
  const bytes = Number(count) * (BYTES_PER_UNIT[unit.toLowerCase()] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const DAY_MS = 86_400_000;

/** An offset at the end of a formatted `offset`: `GMT`, `GMT+09:00`, `GMT-00:44:30`. */
const OFFSET = /GMT(?:([+-])([\d:]+))?$/;

const SHORT_ZONES = 'CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'
  .replaceAll(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`)
  .replaceAll(' ', '|');

/** Of names with three letters, only the IANA database's: ICU takes further ones, some of which mean several zones (CST, IST, BST). */
export const TIMEZONE = new RegExp(`^(?:(?!...$)[A-Za-z][\\w+/-]*|${SHORT_ZONES})$`, 'u');

/** Whether `name` is a time zone of the IANA database; false for offsets such as `+09:00`. */
export function isTimezone(name: string): boolean {
  if (!TIMEZONE.test(name)) return false;
  try {
    formatterOf(name, 'offset');
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant (ms) at which clocks in `timezone` show a local time that is encoded as if it were UTC. Of two such instants, the earlier; a
 * skipped 02:30 is read as 03:30 (Temporal's `compatible`; RFC 5545, 3.3.5). @param after of two such instants, the earlier that comes
 * after this one @throws {RangeError} the time zone is unknown
 */
export function zonedToInstant(asIfUtc: number, timezone: string, after = -Infinity): number {
  // No zone changes its offset twice within two days, so these are the only offsets the time can have.
  const offsets = [offsetAt(asIfUtc - DAY_MS, timezone), offsetAt(asIfUtc + DAY_MS, timezone)];
  // The earlier first: only clocks that are set back show a time twice, and their offset falls.
  const candidates = offsets.map((offset) => asIfUtc - offset);
  const shown = candidates.filter((instant) => instant + offsetAt(instant, timezone) === asIfUtc);
  return shown.find((instant) => instant > after) ?? shown[0] ?? Math.max(...candidates);
}

/** The local time in `timezone` at an instant, encoded as if it were UTC. @throws {RangeError} the time zone is unknown */
export function instantToZoned(instant: number, timezone: string): number {
  return instant + offsetAt(instant, timezone);
}

/** The zone's offset from UTC in ms, positive east of it. Kept, since `mute` asks for the same midnights again and again. */
const offsetAt = memoized(10_000, (instant: number, timezone: string): number => {
  const [, sign, offset = ''] = OFFSET.exec(formatterOf(timezone, 'offset').format(instant)) ?? [];
  const seconds = offset.split(':').reduce((sum, part, index) => sum + Number(part) * 60 ** (2 - index), 0);
  return (sign === '-' ? -seconds : seconds) * 1000;
});

/** A limit of digits that no real date-time exceeds. */
const FRACTION = '(?:[.,](\\d{1,1000}))?';
const ZONE = '([Zz]|[-+\\u2212](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?';
const EXTENDED = isoPattern('-', ':');
const BASIC = isoPattern('', '');

const HOUR_MS = 60 * MINUTE_MS;

/**
 * The instant (ms) of an ISO 8601 calendar date-time, also with a blank for the T; undefined if the text is none, or the day or time
 * does not exist. Minutes and seconds may be left out; a fraction belongs to the last unit given. Without an offset it is local to
 * `timezone`. That is our guess, so a time that the clocks skip is read as that much later. A leap second is the second after it.
 * @param after as of `zonedToInstant`
 */
export function parseStartTime(text: string, timezone: string, after?: number): number | undefined {
  // Named groups would be a dictionary for each text.
  const [, year, month, day, hour, minute, second, fraction = '', zone] =
    EXTENDED.exec(text) ?? BASIC.exec(text) ?? [];
  if (year === undefined) return undefined;
  const leapMs = second === '60' ? 1000 : 0;
  const seconds = leapMs === 0 ? (second ?? '00') : '59';
  const asIfUtc = Date.parse(`${year}-${month}-${day}T${hour}:${minute ?? '00'}:${seconds}Z`);
  // `Date.parse` reads a day that the month does not have, and hour 24, as a time on another date.
  if (new Date(asIfUtc).getUTCDate() !== Number(day)) return undefined;
  const instant = zone === undefined ? zonedToInstant(asIfUtc, timezone, after) : asIfUtc - offsetMs(zone);
  return instant + leapMs + fractionMs(fraction, minute, second);
}

function isoPattern(dash: string, colon: string): RegExp {
  const date = `(\\d{4})${dash}(\\d{2})${dash}(\\d{2})`;
  const time = `(\\d{2})(?:${colon}(\\d{2})(?:${colon}(\\d{2}))?)?`;
  return new RegExp(`^${date}[Tt ]${time}${FRACTION}${ZONE}$`);
}

/** @param zone such as `Z`, `+09`, `+0900`, `-09:30` */
function offsetMs(zone: string): number {
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  const ms = Number(zone.slice(1, 3)) * HOUR_MS + minutes * MINUTE_MS;
  return zone.startsWith('+') ? ms : -ms;
}

function fractionMs(fraction: string, minute?: string, second?: string): number {
  const unit = second !== undefined ? 1000 : minute !== undefined ? MINUTE_MS : HOUR_MS;
  // With nine digits, the product is an exact integer, and a fraction of an hour is exact to the millisecond.
  return Math.floor((Number(fraction.slice(0, 9).padEnd(9, '0')) * unit) / 1e9);
}
