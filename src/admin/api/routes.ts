/** Creates the API's routes, which refuse unknown and invalid parameters by name. */
import { Router, type RouterContext } from '@koa/router';
import { HttpProblem } from '../../http/problem.ts';
import type { Actor } from '../../ledger/history.ts';
import { type Known, type Parameter, readParameters, refuseParameters, wholeNumberIn } from '../filters.ts';
import { actorOf } from '../password.ts';
import { TO_THE_LETTER } from '../routed.ts';

export interface Asked<Values> {
  readonly ctx: RouterContext;
  /** The path's `:id`; 0, which is no row's id, if it is missing or invalid. */
  readonly id: number;
  /** The query's parameters. */
  readonly values: Values;
  readonly actor: Actor;
}

/** @throws {HttpProblem} 400 that lists every invalid parameter */
type Read<Values> = (query: URLSearchParams) => Values;

/** @returns the response's body; undefined for a 404 */
type Answer<Values> = (asked: Asked<Values>) => unknown;

export type Routes = ReturnType<typeof createRoutes>;

export function createRoutes() {
  const router = new Router(TO_THE_LETTER);
  /** @param status the response's status unless the answer sets one */
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

/** Reads a query that may have no parameters but these. */
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
