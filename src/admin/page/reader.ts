/** The reader of a page: language, time zone and formats of one request. */
import type { Context } from 'koa';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LANGUAGES } from '../../config/schema.ts';
import type { Language } from '../../time/display.ts';
import type { Surroundings } from '../services.ts';
import { keptLanguage } from './cookies.ts';
import { createFormats, type Formats } from './formats.ts';
import { namer, type Translate, translator } from './words/words.ts';

export interface Reader {
  readonly language: Language;
  /** IANA name of the display's time zone. */
  readonly timezone: string;
  /** Milliseconds since the epoch; the same for the whole page. */
  readonly now: number;
  readonly formats: Formats;
  readonly t: Translate;
  /** The phrase for a value of a group, such as `status.error`; the value itself if there is none. */
  readonly word: (group: string | undefined, value: string) => string;
  /** The page's path and query, to which a form returns. */
  readonly here: string;
}

export function readerOf(ctx: Context, { display, now }: Pick<Surroundings, 'display' | 'now'>): Reader {
  const { timezone, ...common } = display();
  const language = keptLanguage(ctx) ?? acceptedLanguage(ctx) ?? common.language;
  const at = now();
  return {
    language,
    timezone,
    now: at,
    formats: createFormats(language, timezone, at),
    t: translator(language),
    word: namer(language),
    here: ctx.path + ctx.search,
  };
}

/** The browser's preferred language. Without the header, koa would accept the first one. */
function acceptedLanguage(ctx: Context): Language | undefined {
  const accepted = ctx.get('Accept-Language') === '' ? false : ctx.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === accepted);
}

/** Gives all components the reader of the page. */
export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('a page is drawn for nobody');
  return reader;
}
