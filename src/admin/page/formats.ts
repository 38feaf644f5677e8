/** Formats times, durations and numbers for one reader's language and time zone. */
import {
  formatAge,
  formatElapsed,
  formatInstant,
  formatSize,
  formatTimeOfDay,
  type Language,
} from '../../time/display.ts';
import { translator } from './words/words.ts';

export type Formats = ReturnType<typeof createFormats>;

const LOCALES = { en: 'en-GB', ja: 'ja-JP' } as const satisfies Readonly<Record<Language, string>>;

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** @param now milliseconds since the epoch, as all times are */
export function createFormats(language: Language, timezone: string, now: number) {
  const t = translator(language);
  const locale = LOCALES[language];
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const formatter = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone });
  const [clock, day] = [formatter(CLOCK), formatter({ day: 'numeric', month: 'short' })];
  /** `3 h 20 min` from seconds; from an hour on rounded to minutes. */
  const elapsed = (seconds: number) =>
    formatElapsed(seconds < 3600 ? seconds : Math.round(seconds / 60) * 60, language);
  /** `3 h ago`, `in 5 min`. */
  const relative = (ms: number) => {
    const away = Math.abs(now - ms);
    if (away < 5000) return t('justNow');
    return t(now > ms ? 'ago' : 'in', { time: formatAge(away, language) });
  };
  return {
    /** Date, time and zone: `22 Nov 2026, 10:42:05 (GMT+9)`. */
    instant: (ms: number) => formatInstant(ms, timezone, language),
    /** `10:42` for today, otherwise `21 Nov, 10:42`. */
    short: (ms: number) => formatTimeOfDay(ms, { timezone, now, language }),
    /** `10:42:05` */
    clock: (ms: number) => clock.format(ms),
    /** `31 Jan` */
    day: (ms: number) => day.format(ms),
    relative,
    elapsed,
    /** `250 ms` or `3 min 20 s`, from milliseconds. */
    duration: (ms: number) => (ms >= 1000 ? elapsed(ms / 1000) : t('milliseconds', { ms: Math.round(ms) })),
    number: (value: number) => numbers.format(value),
    size: (bytes: number) => formatSize(bytes, language),
  };
}
