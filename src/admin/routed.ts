/** A router that says of a path which methods it takes, where it is asked for another one. */
import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { methodNotAllowed } from '../http/problem.ts';

/** Of a router: `/healthz` is neither `/healthz/` nor `/HEALTHZ`, so that guards and routes mean the same paths. */
export const TO_THE_LETTER = { sensitive: true, strict: true } as const;

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
