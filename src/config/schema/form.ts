/** How a value of the config is written, its form. `check`, the loader and the JSON Schema all go by the form, so that they agree. */
import type { DayRange } from '../../signal/calendar.ts';
import type { Calendar } from '../../signal/rules.ts';
import { Fault } from '../../text/fault.ts';
import { didYouMean } from '../../text/nearest.ts';
import type { NotifyList } from '../destination.ts';
import type { Path } from '../path.ts';
import { fault } from '../words.ts';

/** What the values of a config may refer to. */
export interface Known {
  readonly groups: readonly string[];
  readonly calendars: ReadonlyMap<string, { readonly calendar: Calendar }>;
  /** Undefined: their folder cannot be read, or is not known here. */
  readonly templateSets: readonly string[] | undefined;
  /** What is wrong with a Liquid condition; left out: no condition is checked. */
  readonly conditionFault?: ((text: string, names?: readonly string[]) => Fault | undefined) | undefined;
  readonly linkFault?: ((link: 'job' | 'file', template: string) => Fault | undefined) | undefined;
  /** Called for a valid text that is probably a mistake, with its path in the section that is checked. */
  readonly doubt?: (path: Path, what: Fault) => void;
  /** Reads a file of days, and warns where its last known days stay in force; left out: there is none. */
  readonly daysOfFile?: (file: string, at: Path) => DaysOfFile | Fault;
  /** Reads a `notify` list, and reports what is wrong with it; left out: there is none. */
  readonly readNotify?: (list: unknown, path: Path) => NotifyList;
}

/** The days that a file has. */
export interface DaysOfFile {
  /** Its whole path. */
  readonly path: string;
  readonly ranges: readonly DayRange[];
}

export const NOTHING_KNOWN: Known = { groups: [], calendars: new Map(), templateSets: [] };

/** JSON Schema of a text with a reference, whose value is known only when the config is loaded. */
export const INTERPOLATED = { $ref: '#/$defs/interpolated' };

/** @returns what is wrong; undefined if nothing is */
export type Rule = (text: string, known: Known) => Fault | undefined;

export interface Form<Value = string> {
  /** What each text of this form matches, for the JSON Schema; `read` may ask for more. */
  readonly pattern: RegExp;
  /** JSON Schema that says more than a pattern. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** @param at the text's path in the section that is checked @returns what is wrong, in place of the value */
  read(this: void, text: string, known: Known, at?: Path): Value | Fault;
}

/** @param read gives the value of a text, from what the pattern captures in it, too; undefined: the text is not of this form */
export function form<Value>(
  pattern: RegExp,
  wrong: Fault,
  read: (text: string, ...captured: readonly (string | undefined)[]) => Value | undefined,
): Form<Value> {
  const readIf = (match: RegExpExecArray | null) =>
    match ? read(match.input, ...match.slice(1)) : undefined;
  return { pattern, read: (text) => readIf(pattern.exec(text)) ?? wrong };
}

export const matching = (pattern: RegExp, wrong: Fault): Form => form(pattern, wrong, (text) => text);

export function and(of: Form, ...rules: readonly Rule[]): Form {
  const firstWrong = (text: string, known: Known) =>
    rules.map((rule) => rule(text, known)).find((wrong) => wrong !== undefined);
  return {
    ...of,
    read: (text, known) => {
      const value = of.read(text, known);
      return value instanceof Fault ? value : (firstWrong(text, known) ?? value);
    },
  };
}

export function orElse<const Word extends string, Value>(word: Word, of: Form<Value>): Form<Word | Value> {
  return {
    pattern: new RegExp(`^${word}$|${of.pattern.source}`, 'u'),
    read: (text, known) => {
      const value = text === word ? word : of.read(text, known);
      return value instanceof Fault ? fault('or', { what: value, word }) : value;
    },
  };
}

/** A text that `rule` alone judges. */
export function judged(rule: Rule, pattern = /(?:)/u): Form {
  return and({ pattern, read: (text) => text }, rule);
}

export function memberOf<const Name extends string>(names: readonly Name[]): Form<Name> {
  const quoted = names.map((each) => `"${each}"`);
  return {
    pattern: /(?:)/u,
    jsonSchema: { anyOf: [{ enum: names }, INTERPOLATED] },
    read: (text) =>
      names.find((each) => each === text) ??
      fault('one of', { names: quoted, hint: didYouMean(text, names) }),
  };
}

export function whole(min: number, max: number): Form<number> {
  const bounds = { type: 'integer', minimum: min, maximum: max };
  const of = form(/^\d+$/u, fault('whole', { min: String(min), max: String(max) }), (text) =>
    Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  );
  return { ...of, jsonSchema: { anyOf: [bounds, { type: 'string', pattern: '^\\d+$|\\$\\{' }] } };
}

/** Allows numbers and booleans that match, too: an editor reads some texts as these, but `check` takes them as they are written. */
export function scalarSchema(of: Omit<Form<unknown>, 'read'>): Readonly<Record<string, unknown>> {
  if (of.jsonSchema !== undefined) return of.jsonSchema;
  const { pattern } = of;
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
