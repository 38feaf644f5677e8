/** Parameters of a query, each at most once and none that nobody reads. */
import { HttpProblem } from '../http/problem.ts';
import { cleanText } from '../text/clean.ts';
import type { Language } from '../time/display.ts';
import { PARAMETER_WORDS } from './parameter-words.ts';

/** What of a query cannot be meant. */
export interface ParameterProblem {
  /** As it was written, cleaned. */
  readonly parameter: string;
  /** To be read after the parameter's name; holds nothing of its value. */
  readonly detail: string;
}

export interface Parameter<T> {
  /** Of a text without spaces around it. @returns undefined: it cannot be meant */
  readonly read: (text: string) => T | undefined;
  /** What it must be, to be read after its name. */
  readonly rule: string;
  /** Blanks around it are part of it. */
  readonly isAsWritten?: boolean;
}

export type Known = Readonly<Record<string, Parameter<unknown>>>;

/** Undefined is what is not given. */
export type Values<Names extends Known> = {
  readonly [Name in keyof Names]: ReturnType<Names[Name]['read']>;
};

interface Reading {
  readonly language?: Language;
  /** Parameters that are somebody else's to read. */
  readonly besides?: readonly string[];
  /** What is empty is not given, as forms send it; else it is refused: a variable of a shell that is not set, say. */
  readonly isForm?: boolean;
}

/** All that is wrong is found at once. */
export function readParameters<Names extends Known>(
  query: URLSearchParams,
  known: Names,
  { language = 'en', besides = [], isForm = false }: Reading = {},
): { readonly values: Values<Names>; readonly problems: readonly ParameterProblem[] } {
  const words = PARAMETER_WORDS[language];
  const values: Record<string, unknown> = {};
  const problems: ParameterProblem[] = [];
  for (const name of new Set(query.keys())) {
    const given = query.getAll(name).filter((text) => text.trim() !== '');
    if (besides.includes(name) || (isForm && given.length === 0)) continue;
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    const value = parameter && valueOf(parameter, given);
    if (value === undefined)
      problems.push({ parameter: cleanText(name), detail: fault(parameter, given.length) });
    else values[name] = value;
  }
  return { values: values as Values<Names>, problems };

  function fault(parameter: Parameter<unknown> | undefined, times: number): string {
    if (times === 0) return words.empty;
    if (parameter === undefined) return words.unknown;
    return times > 1 ? words.repeated : parameter.rule;
  }
}

function valueOf<T>({ read, isAsWritten }: Parameter<T>, [text, ...more]: readonly string[]): T | undefined {
  if (text === undefined || more.length > 0) return undefined;
  return read(isAsWritten === true ? text : text.trim());
}

/** @throws {HttpProblem} 400 that names each parameter and what is wrong with it */
export function refuseParameters(problems: readonly ParameterProblem[]): undefined {
  if (problems.length > 0) throw refusalOf(problems);
  return undefined;
}

export function refusalOf(problems: readonly ParameterProblem[]): HttpProblem {
  const sentences = problems.map(({ parameter, detail }) => `"${parameter}" ${detail}`);
  return new HttpProblem({
    status: 400,
    detail: `The query cannot be meant: ${sentences.join('; ')}.`,
    members: { errors: problems },
    logged: 'a query that cannot be meant',
  });
}

export function wholeNumberIn(text: string, largest = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= largest ? value : undefined;
}
