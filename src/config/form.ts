/** How a value of the config is written: `check`, what is read and the JSON Schema are made of its form, so that they agree. */
import type { Calendar } from '../signal/rules.ts';
import { didYouMean } from '../text/nearest.ts';
import type { NotifyList } from './destination.ts';
import type { Path } from './path.ts';

/** What the values of a config may refer to. */
export interface Known {
  readonly groups: readonly string[];
  readonly calendars: ReadonlyMap<string, { readonly calendar: Calendar }>;
  readonly templateSets: readonly string[];
  /** What is wrong with a Liquid condition; left out: no condition is checked. */
  readonly conditionFault?: ((text: string, names?: readonly string[]) => string | undefined) | undefined;
  readonly linkFault?: ((link: 'job' | 'file', template: string) => string | undefined) | undefined;
  /** Reads a `notify` list, and reports what is wrong with it; left out: there is none. */
  readonly readNotify?: (list: unknown, path: Path) => NotifyList;
}

export const NOTHING_KNOWN: Known = { groups: [], calendars: new Map(), templateSets: [] };

/** JSON Schema of a text with a reference, whose value is known only when the config is loaded. */
export const INTERPOLATED = { $ref: '#/$defs/interpolated' };

/** @returns what is wrong, to be read after the value's path; undefined if nothing is */
export type Rule = (text: string, known: Known) => string | undefined;

export interface Form<Value = string> {
  /** What each text of this form matches, for the JSON Schema; `fault` may say more. */
  readonly pattern: RegExp;
  /** JSON Schema that says more than a pattern. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  readonly fault: Rule;
  /** @param text one without a fault */
  read(this: void, text: string, known: Known): Value;
}

/** @param read takes the text and what the pattern captures in it; undefined for a text that is none */
export function form<Value>(
  pattern: RegExp,
  sentence: string,
  read: (text: string, ...captured: readonly (string | undefined)[]) => Value | undefined,
): Form<Value> {
  const readIf = (text: string) => {
    const match = pattern.exec(text);
    return match ? read(text, ...match.slice(1)) : undefined;
  };
  return {
    pattern,
    fault: (text) => (readIf(text) === undefined ? sentence : undefined),
    read: (text) => readIf(text) as Value,
  };
}

export function matching(pattern: RegExp, sentence: string): Form {
  return form(pattern, sentence, (text) => text);
}

export function and(of: Form, ...rules: readonly Rule[]): Form {
  const all = [of.fault, ...rules];
  return {
    ...of,
    fault: (text, known) => all.map((rule) => rule(text, known)).find((wrong) => wrong !== undefined),
  };
}

export function orElse<const Word extends string, Value>(word: Word, of: Form<Value>): Form<Word | Value> {
  return {
    pattern: new RegExp(`^${word}$|${of.pattern.source}`, 'u'),
    fault: (text, known) => {
      const wrong = text === word ? undefined : of.fault(text, known);
      return wrong && `${wrong}; or ${word}`;
    },
    read: (text, known) => (text === word ? word : of.read(text, known)),
  };
}

/** A text that `rule` alone judges. */
export function judged(rule: Rule, pattern = /(?:)/u): Form {
  return { pattern, fault: rule, read: (text) => text };
}

export function memberOf<const Name extends string>(names: readonly Name[]): Form<Name> {
  const known = new Intl.ListFormat('en', { type: 'disjunction' }).format(names.map((each) => `"${each}"`));
  const sentence = `must be ${known.replace(', or ', ' or ')}`;
  const isMember = (text: string) => (names as readonly string[]).includes(text);
  return {
    ...judged((text) => (isMember(text) ? undefined : `${sentence}${didYouMean(text, names)}`)),
    jsonSchema: { anyOf: [{ enum: names }, INTERPOLATED] },
    read: (text) => text as Name,
  };
}

export function wholeNumber(min: number, max: number): Form<number> {
  const bounds = { type: 'integer', minimum: min, maximum: max };
  const of = form(/^\d+$/u, `must be a whole number from ${min} to ${max}`, (text) =>
    Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  );
  return { ...of, jsonSchema: { anyOf: [bounds, { type: 'string', pattern: '^\\d+$|\\$\\{' }] } };
}

/** @param sentence what it must be, of which true or false is one */
export function flag(sentence: string): Form<boolean> {
  return form(/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/u, sentence, (text) => text.toLowerCase() === 'true');
}

/** An editor reads some texts as numbers, true or false, which `check` takes as they are written. */
export function scalarSchema({ pattern, jsonSchema }: Form<unknown>): Readonly<Record<string, unknown>> {
  if (jsonSchema !== undefined) return jsonSchema;
  const number = pattern.test('1.5') ? 'number' : 'integer';
  const types = [
    'string',
    ...(pattern.test('1') ? [number] : []),
    ...(pattern.test('true') ? ['boolean'] : []),
  ];
  const least = pattern.test('0') ? 0 : 1;
  return {
    type: types.length > 1 ? types : 'string',
    ...(pattern.source !== '(?:)' && { pattern: `${pattern.source}|\\$\\{` }),
    ...(types.includes(number) && !pattern.test('-1') && { minimum: least }),
  };
}
