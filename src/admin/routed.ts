/** Router middleware that refuses wrong methods with 405. */
import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { methodNotAllowed } from '../http/problem.ts';

/** Router options: `/healthz` matches neither `/healthz/` nor `/HEALTHZ`, so that guards and routes agree on paths. */
export const TO_THE_LETTER = { sensitive: true, strict: true } as const;

/** Passes unknown paths to the next middleware. @throws {HttpProblem} 405 for a known path with another method */
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
