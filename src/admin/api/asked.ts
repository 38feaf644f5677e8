/** What a request to the API asks for, read strictly: what cannot be meant is refused, by name. */
import type { Context } from 'koa';
import { HttpProblem } from '../../http/problem.ts';
import {
  type FilterContext,
  type Parameter,
  readParameters,
  refuseParameters,
  wholeNumberIn,
} from '../filters.ts';
import { translator } from '../page/words/words.ts';
import type { Surroundings } from '../services.ts';

export const FLAG: Parameter<boolean> = {
  read: (text) => ({ true: true, false: false })[text],
  rule: 'must be true or false',
};

/** Problems over HTTP are said in English. */
export const ENGLISH = translator('en');

/** @throws {HttpProblem} 400 that says all that is wrong */
export function parametersIn<Names extends Readonly<Record<string, Parameter<unknown>>>>(
  { querystring }: Context,
  known: Names,
) {
  const { values, problems } = readParameters(new URLSearchParams(querystring), known, ENGLISH);
  refuseParameters(problems);
  return values;
}

/** Of this moment. */
export function filterContext({ display, now }: Pick<Surroundings, 'display' | 'now'>): FilterContext {
  return { timezone: display().timezone, now: now(), t: ENGLISH };
}

/** Of a path. @throws {HttpProblem} 404: nothing can have it */
export function idIn(text: string | undefined): number {
  const id = wholeNumberIn(text);
  if (id === undefined) throw unknownId();
  return id;
}

export function unknownId(): HttpProblem {
  return new HttpProblem({ status: 404, detail: 'The ledger has nothing of this id.' });
}

/** What can be done no more, or not without being said so. */
export function conflict(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, detail });
}

export function badBody(detail: string): HttpProblem {
  return new HttpProblem({ status: 400, detail });
}
