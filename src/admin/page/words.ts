/** Says the page's phrases: `t('bots.title')`, `t('ago', { time })`. */
import { type Say, sayIn, type ValuesOf } from '../../text/say.ts';
import type { Language } from '../../time/display.ts';
import { PHRASES } from './phrases.ts';

type Table = typeof PHRASES;

/** The phrases without braces. */
export type Word = { [K in keyof Table]: ValuesOf<Table[K]> extends [] ? K : never }[keyof Table];

export type Translate = Say<Table>;

/** Makes `Reader.word`. */
export function namer(language: Language): (group: string, value: string) => string {
  const phrases: Readonly<Record<string, readonly string[] | undefined>> = PHRASES;
  return (group, value) => phrases[`${group}.${value}`]?.[language === 'ja' ? 1 : 0] ?? value;
}

export function translator(language: Language): Translate {
  return sayIn(PHRASES, { language });
}
