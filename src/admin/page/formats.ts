/** Times, durations and numbers as one reader sees them. */
import { formatElapsed, formatInstant, formatSize, type Language } from '../../time/display.ts';
import { translator } from './words/words.ts';

export type Formats = ReturnType<typeof createFormats>;

const LOCALES = { en: 'en-GB', ja: 'ja-JP' } as const satisfies Readonly<Record<Language, string>>;

const MINUTE_MS = 60_000;

/** Of a duration in words, the largest two units say enough. */
const UNITS_SHOWN = 2;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** To make one takes Intl longer than to use it a thousand times. */
function formatterOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, formatter);
  return formatter;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const DATE = { day: 'numeric', month: 'short' } as const;

/** @param now milliseconds since the epoch, as all times are */
export function createFormats(language: Language, timezone: string, now: number) {
  const t = translator(language);
  const locale = LOCALES[language];
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dayOf = (ms: number) => formatterOf('en-CA', { ...DAY, timeZone: timezone }).format(ms);
  const short = (ms: number) => {
    const isToday = dayOf(ms) === dayOf(now);
    const isThisYear = dayOf(ms).slice(0, 4) === dayOf(now).slice(0, 4);
    const date = isToday ? {} : isThisYear ? DATE : ({ ...DATE, year: 'numeric' } as const);
    return formatterOf(locale, { ...date, ...CLOCK, timeZone: timezone }).format(ms);
  };
  /** `3 h 20 min`, of seconds. */
  const elapsed = (seconds: number) => largestUnits(seconds, UNITS_SHOWN, language);
  /** `3 h ago`, `in 5 min`. */
  const relative = (ms: number) => {
    const seconds = (now - ms) / 1000;
    if (Math.abs(seconds) < 5) return t('justNow');
    const amount = largestUnits(Math.abs(seconds), 1, language);
    if (seconds > 0) return t('ago', { time: amount });
    return t('in', { time: amount });
  };
  return {
    /** The whole of it, with the zone: `22 Nov 2026, 10:42:05 (GMT+9)`. */
    instant: (ms: number) => formatInstant(ms, timezone, language),
    /** `10:42` today, `21 Nov, 10:42` else. */
    short,
    /** `10:42:05` */
    clock: (ms: number) =>
      formatterOf(locale, { ...CLOCK, second: '2-digit', timeZone: timezone }).format(ms),
    /** `2026-01-31`, where the reader is. */
    dayOf,
    /** `31 Jan`, of `2026-01-31`. */
    day: (day: string) =>
      formatterOf(locale, { ...DATE, timeZone: 'UTC' }).format(Date.parse(`${day}T00:00:00Z`)),
    relative,
    elapsed,
    /** `250 ms`, `1.2 s`, `3 min 20 s`, of milliseconds. */
    duration: (ms: number) => {
      if (ms < 1000) return language === 'ja' ? `${Math.round(ms)}ミリ秒` : `${Math.round(ms)} ms`;
      if (ms < MINUTE_MS) return `${numbers.format(ms / 1000)}${language === 'ja' ? '秒' : ' s'}`;
      return elapsed(ms / 1000);
    },
    number: (value: number) => numbers.format(value),
    size: (bytes: number) => formatSize(bytes, language),
  };
}

/** Each of the units that `formatElapsed` writes, with its number. */
const UNIT = { en: /\d+ (?:d|h|min|s)/g, ja: /\d+(?:日|時間|分|秒)/g };

function largestUnits(seconds: number, most: number, language: Language): string {
  const units = formatElapsed(seconds, language).match(UNIT[language]);
  return (units ?? []).slice(0, most).join(language === 'ja' ? '' : ' ') || formatElapsed(0, language);
}
