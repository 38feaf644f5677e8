/** Parameters of a query, each at most once and none that nobody reads. */
import { HttpProblem } from '../http/problem.ts';
import { cleanText } from '../text/clean.ts';

/** What of a query cannot be meant. */
export interface ParameterProblem {
  /** As it was written, cleaned. */
  readonly parameter: string;
  /** To be read after the parameter's name; holds nothing of its value. */
  readonly detail: string;
}

export interface GivenParameters {
  /** Without spaces around them; what is empty, as forms send it, is not given. */
  readonly values: ReadonlyMap<string, string>;
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
  /** Known or not: a variable of a shell that is not set, or a flag without a value. */
  readonly empty: readonly string[];
}

export function givenParameters(query: URLSearchParams, isKnown: (name: string) => boolean): GivenParameters {
  const all = [...query].map(([name, value]) => [name, value.trim()] as const);
  const given = all.filter(([, value]) => value !== '');
  const values = new Map(given);
  const names = [...values.keys()];
  return {
    values,
    unknown: names.filter((name) => !isKnown(name)).map(cleanText),
    repeated: names.filter((name) => isKnown(name) && given.filter(([other]) => other === name).length > 1),
    empty: all.filter(([, value]) => value === '').map(([name]) => cleanText(name)),
  };
}

/** @throws {HttpProblem} 400 that names each parameter and what is wrong with it */
export function refuseParameters(problems: readonly ParameterProblem[]): void {
  if (problems.length === 0) return;
  const sentences = problems.map(({ parameter, detail }) => `"${parameter}" ${detail}`);
  throw new HttpProblem({
    status: 400,
    detail: `The query cannot be meant: ${sentences.join('; ')}.`,
    members: { errors: problems },
    logged: 'a query that cannot be meant',
  });
}
