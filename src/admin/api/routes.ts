/** How the API's routes are made: what a request asks for is read strictly, and what cannot be meant is refused, by name. */
import { Router, type RouterContext } from '@koa/router';
import { HttpProblem } from '../../http/problem.ts';
import type { Actor } from '../../ledger/history.ts';
import { type Known, type Parameter, readParameters, refuseParameters, wholeNumberIn } from '../filters.ts';
import { actorOf } from '../password.ts';
import { TO_THE_LETTER } from '../routed.ts';

export interface Asked<Values> {
  readonly ctx: RouterContext;
  /** Of the path; 0, which nothing has: none. */
  readonly id: number;
  /** Of the query. */
  readonly values: Values;
  readonly actor: Actor;
}

/** @throws {HttpProblem} 400 that says all that is wrong */
type Read<Values> = (query: URLSearchParams) => Values;

/** @returns the body of the answer; undefined: there is no such thing, which is a 404 */
type Answer<Values> = (asked: Asked<Values>) => unknown;

export type Routes = ReturnType<typeof createRoutes>;

export function createRoutes() {
  const router = new Router(TO_THE_LETTER);
  /** @param status of an answer that sets none */
  const routes =
    (method: 'get' | 'post' | 'delete', status: number) =>
    <Values>(path: string, read: Read<Values>, answer: Answer<Values>) => {
      router[method](path, async (ctx) => {
        const values = read(new URLSearchParams(ctx.querystring));
        const id = wholeNumberIn(ctx.params['id']) ?? 0;
        ctx.status = status;
        const body = await answer({ ctx, id, values, actor: actorOf(ctx, 'api') });
        if (body === undefined) throw problem(404, 'The ledger has nothing of this id.');
        ctx.body = body;
      });
    };
  return {
    router,
    get: routes('get', 200),
    post: routes('post', 200),
    act: routes('post', 202),
    end: routes('delete', 202),
  };
}

export const FLAG: Parameter<boolean> = {
  read: (text) => ({ true: true, false: false })[text],
  rule: 'must be true or false',
};

/** Reads a query that may have these parameters. */
export function only<Names extends Known>(known: Names) {
  return (query: URLSearchParams) => {
    const { values, problems } = readParameters(query, known);
    refuseParameters(problems);
    return values;
  };
}

export const NONE = only({});

export function problem(status: number, detail: string, members = {}): HttpProblem {
  return new HttpProblem({ status, detail, members });
}
