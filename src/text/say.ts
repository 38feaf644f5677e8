/** Says the phrases of a table in one language: `say('ago', { time })`. */

/** By key, in English and Japanese. Braces name values: `{name}`, or a number with its noun `{count|result|results}`; `{id}` has no separators. */
export type Phrases = Readonly<Record<string, readonly [en: string, ja: string]>>;

/** The names in the braces of a phrase; other braces are plain text. */
type NamesIn<Text> = Text extends `${infer Before}{${infer Braces}}${infer Rest}`
  ? (Before extends `${string}$` ? never : NameIn<Braces>) | NamesIn<Rest>
  : never;

type NameIn<Braces> = Braces extends `${infer Name}|${string}`
  ? Name
  : Braces extends `${string}${' ' | '…' | ','}${string}`
    ? never
    : Braces;

/** Both languages must use the same values: `tsc` refuses a table in which they do not. */
export type Balanced<Table extends Phrases> = {
  readonly [Key in keyof Table]: [NamesIn<Table[Key][0]>, NamesIn<Table[Key][1]>] extends [
    NamesIn<Table[Key][1]>,
    NamesIn<Table[Key][0]>,
  ]
    ? Table[Key]
    : never;
};

/** The arguments that fill in a row. */
export type ValuesOf<Row extends Phrases[string], Value = string | number> = [NamesIn<Row[0]>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<Row[0]>, Value>>];

/** Formats numbers for the language. */
export type Say<Table extends Phrases> = <K extends keyof Table>(
  key: K,
  ...values: ValuesOf<Table[K]>
) => string;

const BRACES = /(?<!\$)\{(\w+)(?:\|([^|}]+)\|([^}]+))?\}/g;

const formatsOf = (language: string) => ({
  plurals: new Intl.PluralRules(language),
  numbers: new Intl.NumberFormat(language),
});
const FORMATS = { en: formatsOf('en'), ja: formatsOf('ja') };

/** @param phrase in both languages */
export function filled(
  [english = '', japanese = '']: Phrases[string] | readonly [],
  values: Readonly<Record<string, string | number | undefined>>,
  language: 'en' | 'ja',
): string {
  const { plurals, numbers } = FORMATS[language];
  const phrase = language === 'ja' ? japanese : english;
  return phrase.replaceAll(BRACES, (_, name: string, one?: string, other?: string) => {
    const value = values[name] ?? '';
    const text = typeof value === 'number' && name !== 'id' ? numbers.format(value) : String(value);
    if (one === undefined || typeof value !== 'number') return text;
    return `${text} ${plurals.select(value) === 'one' ? one : other}`;
  });
}

/** @param speaks its language is read at each call */
export function sayIn<Table extends Phrases>(
  table: Table & Balanced<Table>,
  speaks: { readonly language: 'en' | 'ja' },
): Say<Table> {
  return (key, ...[values = {}]) => filled(table[key], values, speaks.language);
}
