/** Who reads a page: the language and time zone of one request, and how values are written for them. */
import type { Context } from 'koa';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LANGUAGES } from '../../config/schema.ts';
import type { Language } from '../../time/display.ts';
import { formTokenOf } from '../form-token.ts';
import type { Surroundings } from '../services.ts';
import { keptLanguage } from './cookies.ts';
import { createFormats, type Formats } from './formats.ts';
import { namer, type Translate, translator } from './words/words.ts';

export interface Reader {
  readonly language: Language;
  /** IANA name of the display's time zone. */
  readonly timezone: string;
  /** Milliseconds since the epoch: one for the whole page. */
  readonly now: number;
  readonly formats: Formats;
  readonly t: Translate;
  /** What a value of a group is called, `status.error`; a name that has no phrase stands for itself. */
  readonly word: (group: string | undefined, value: string) => string;
  /** This page, for a form to come back to: path and query. */
  readonly here: string;
  /** What the forms of this page carry, so that no other site can post them. */
  readonly formToken: string;
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
    formToken: formTokenOf(ctx) ?? '',
  };
}

/** What the browser wants; without the header, koa would take the first one for accepted. */
function acceptedLanguage(ctx: Context): Language | undefined {
  const accepted = ctx.get('Accept-Language') === '' ? false : ctx.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === accepted);
}

/** The reader of the page that is drawn, for every part of it. */
export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('a page is drawn for nobody');
  return reader;
}
