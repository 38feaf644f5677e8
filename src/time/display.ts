/** Durations, instants and sizes as the reader of a notification sees them. */

/** Of the built-in templates, dates and durations. */
export type Language = 'en' | 'ja';

const ELAPSED_UNITS = [
  { seconds: 86_400, en: ' d', ja: '日' },
  { seconds: 3600, en: ' h', ja: '時間' },
  { seconds: 60, en: ' min', ja: '分' },
  { seconds: 1, en: ' s', ja: '秒' },
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
  let rest = Math.round(seconds);
  if (!Number.isSafeInteger(rest)) return `${seconds}${ELAPSED_UNITS[3][language]}`;
  const parts: string[] = [];
  for (const unit of ELAPSED_UNITS) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    if (count > 0) parts.push(`${count}${unit[language]}`);
  }
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
