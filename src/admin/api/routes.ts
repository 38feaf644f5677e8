/** Creates the API's routes, which refuse unknown and invalid parameters by name. */
import { Router, type RouterContext } from '@koa/router';
import type { Actor } from '../../ledger/history.ts';
import { type Known, readParameters, wholeNumberIn } from '../../people/filters.ts';
import { type Outcome, Refused, statusOf } from '../../people/outcomes.ts';
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

/** @throws {Refused} names every invalid parameter */
type Read<Values> = (query: URLSearchParams) => Values;

export type Routes = ReturnType<typeof createRoutes>;

export function createRoutes() {
  const router = new Router(TO_THE_LETTER);
  const asked = <Values>(ctx: RouterContext, read: Read<Values>): Asked<Values> => {
    const values = read(new URLSearchParams(ctx.querystring));
    const id = wholeNumberIn(ctx.params['id']) ?? 0;
    return { ctx, id, values, actor: actorOf(ctx, 'api') };
  };
  return {
    router,
    /** @param answer the response's body; undefined for a 404 */
    get: <Values>(path: string, read: Read<Values>, answer: (asked: Asked<Values>) => Promise<unknown>) => {
      router.get(path, async (ctx) => {
        const body = await answer(asked(ctx, read));
        if (body === undefined) throw new Refused({ name: 'unknown' });
        ctx.body = body;
      });
    },
    /** Answers as the table of outcomes says. */
    act: <Values>(
      method: 'post' | 'delete',
      path: string,
      read: Read<Values>,
      act: (asked: Asked<Values>) => Promise<Outcome>,
    ) => {
      router[method](path, async (ctx) => {
        const outcome = await act(asked(ctx, read));
        ctx.status = statusOf(outcome);
        ctx.body = outcome.json ?? {};
      });
    },
  };
}

/** Reads a query that may have no parameters but these. */
export function only<Names extends Known>(known: Names) {
  return (query: URLSearchParams) => readParameters(query, known);
}

export const NONE = only({});
