/** A router that says of a path which methods it takes, where it is asked for another one. */
import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { methodNotAllowed } from '../http/problem.ts';

/** What it does not know is handed on. */
export function routed(router: Router): Middleware {
  const routes = router.routes() as unknown as Middleware;
  return async (ctx, next) => {
    await routes(ctx, async () => {
      const { matched = [] } = ctx as unknown as Partial<RouterContext>;
      const methods = new Set(matched.flatMap((layer) => layer.methods));
      if (methods.size > 0) throw methodNotAllowed([...methods].join(', '));
      await next();
    });
  };
}
