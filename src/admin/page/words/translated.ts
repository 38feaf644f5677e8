/** The words of a view in every language that the page speaks: what one has and another lacks does not compile. */
import type { Language } from '../../../time/display.ts';

/** What is written, or a sentence around what is handed in. */
type Phrase = string | ((...values: never[]) => string);

export interface Catalogue {
  readonly [key: string]: Phrase | Catalogue;
}

/** The same keys, each with a phrase that takes the same. */
export type SameKeys<Words> = {
  readonly [Key in keyof Words]: Words[Key] extends string
    ? string
    : Words[Key] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : SameKeys<Words[Key]>;
};

export type Translated<Words> = Readonly<Record<Language, SameKeys<Words>>>;

/** The first language says which keys there are. */
export function translated<Words extends Catalogue>(words: {
  readonly en: Words & SameKeys<NoInfer<Words>>;
  readonly ja: SameKeys<NoInfer<Words>>;
}): Translated<Words> {
  return words;
}

const plurals = new Intl.PluralRules('en');

/** In English; Japanese has one form. `count(2, 'run')` is `2 runs`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  const noun = plurals.select(number) === 'one' ? singular : plural;
  return `${number.toLocaleString('en')} ${noun}`;
}
