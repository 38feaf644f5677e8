/** Translates the page's phrases: `t('bots.title')`, `t('ago', { time })`. */
import type { Language } from '../../time/display.ts';
import { PHRASES } from './phrases.ts';

type Table = typeof PHRASES;
type Key = keyof Table;

/** The names in the braces of a phrase. */
type NamesIn<Text> = Text extends `${string}{${infer Braces}}${infer Rest}`
  ? (Braces extends `${infer Name}|${string}` ? Name : Braces) | NamesIn<Rest>
  : never;

type ValuesOf<K extends Key> = [NamesIn<Table[K][0]>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<Table[K][0]>, string | number>>];

/** The phrases without braces. */
export type Word = { [K in Key]: ValuesOf<K> extends [] ? K : never }[Key];

/** Formats numbers for the language. */
export type Translate = <K extends Key>(key: K, ...values: ValuesOf<K>) => string;

/** Makes `Reader.word`. */
export function namer(language: Language): (group: string, value: string) => string {
  const phrases: Readonly<Record<string, readonly string[] | undefined>> = PHRASES;
  return (group, value) => phrases[`${group}.${value}`]?.[language === 'ja' ? 1 : 0] ?? value;
}

const BRACES = /\{(\w+)(?:\|([^|}]+)\|([^}]+))?\}/g;

export function translator(language: Language): Translate {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (key, ...[values = {}]) => {
    const given: Readonly<Record<string, string | number | undefined>> = values;
    const phrase = PHRASES[key][language === 'ja' ? 1 : 0];
    return phrase.replaceAll(BRACES, (_, name: string, one?: string, other?: string) => {
      const value = given[name] ?? '';
      const text = typeof value === 'number' ? numbers.format(value) : value;
      if (one === undefined || typeof value !== 'number') return text;
      return `${text} ${plurals.select(value) === 'one' ? one : other}`;
    });
  };
}
