/** The reader of a page: language, time zone and formats of one request; and the view, which draws the parts of a page for a reader. */
import type { Context } from 'koa';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LANGUAGES } from '../../config/schema/schema.ts';
import type { ArchivedIncident } from '../../ledger/archive/archive.ts';
import {
  formatAge,
  formatElapsed,
  formatInstant,
  formatSize,
  formatTimeOfDay,
  type Language,
} from '../../time/display.ts';
import type { AdminServices, Surroundings } from '../services.ts';
import { keptLanguage, keptName } from './cookies.ts';
import { namer, type Translate, translator } from './words.ts';

export interface Reader {
  readonly language: Language;
  /** IANA name of the display's time zone. */
  readonly timezone: string;
  /** Milliseconds since the epoch; the same for the whole page. */
  readonly now: number;
  readonly formats: ReturnType<typeof formatsFor>;
  readonly t: Translate;
  /** The phrase for a value of a group, such as `status.error`; the value itself if there is none. */
  readonly word: (group: string, value: string) => string;
  /** The page's path and query, to which a form returns. */
  readonly here: string;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** The name with which this browser's user took up an incident before; '' if never. */
  readonly signedAs: string;
}

export interface ViewRequest {
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly reader: Reader;
  readonly services: AdminServices;
  /** Incidents that are not over. Rejects if they cannot be read. */
  readonly open: Promise<readonly ArchivedIncident[]>;
  /** Undefined if the ledger cannot be read. */
  readonly counts: Awaited<ReturnType<AdminServices['archive']['countOpen']>> | undefined;
}

export interface Shown {
  /** In the reader's language, without the product's name; may contain foreign text. */
  readonly title: string;
  /** A sentence about what the page shows, or the text of an error. */
  readonly lead?: ComponentChildren;
  /** Shown under the title: a status, an id, links. */
  readonly facts?: ComponentChildren;
  readonly body?: ComponentChildren;
  /** HTTP status code; default: 200. */
  readonly status?: number;
  /** Whether the page must not refresh itself. */
  readonly isStill?: boolean;
}

/** @returns undefined for a 404 */
export type View = (request: ViewRequest) => Promise<Shown | undefined>;

/** Gives all components the reader of the page. */
export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('a component of a page is drawn without a reader');
  return reader;
}

export function readerOf(ctx: Context, { display, redact, ...surroundings }: Surroundings): Reader {
  const { timezone, ...common } = display();
  const now = surroundings.now();
  const language = keptLanguage(ctx) ?? acceptedLanguage(ctx) ?? common.language;
  const formats = formatsFor(language, timezone, now);
  const said = { language, formats, t: translator(language), word: namer(language) };
  return { ...said, timezone, now, here: ctx.path + ctx.search, redact, signedAs: keptName(ctx) };
}

/** The browser's preferred language. Without the header, koa would accept the first one. */
function acceptedLanguage(ctx: Context): Language | undefined {
  const accepted = ctx.get('Accept-Language') === '' ? false : ctx.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === accepted);
}

const LOCALES = { en: 'en-GB', ja: 'ja-JP' } as const satisfies Readonly<Record<Language, string>>;

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** Formats times, in milliseconds since the epoch, durations and numbers. */
export function formatsFor(language: Language, timezone: string, now: number) {
  const t = translator(language);
  const locale = LOCALES[language];
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
    took: (seconds: number | undefined) => (seconds === undefined ? '–' : elapsed(seconds)),
    number: (value: number) => value.toLocaleString(locale),
    size: formatSize,
  };
}
