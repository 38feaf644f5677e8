/** `/api/deliveries`: to deliver one again, or to dismiss it. */
import type { Router } from '@koa/router';
import type { ApiParts } from './parts.ts';
import { actionRequestIn, conflict, FLAG, idIn, parametersIn, unknownId } from './asked.ts';

export function addDeliveries(router: Router, { services: { operations } }: ApiParts): void {
  router.post('/api/deliveries/:id/redeliver', async (ctx) => {
    const { again = false } = parametersIn(ctx, { again: FLAG });
    const id = idIn(ctx.params['id']);
    const result = await operations.redeliver(id, await actionRequestIn(ctx), again);
    if (result === 'unknown') throw unknownId();
    if (result === 'delivered')
      throw conflict('It was delivered. To deliver it once more all the same, add again=true.');
    if (result === 'superseded')
      throw conflict('Its job’s result is known already, so nobody is told any more that it began.');
    ctx.status = 202;
    ctx.body = { id, result };
  });
  router.post('/api/deliveries/:id/dismiss', async (ctx) => {
    parametersIn(ctx, {});
    const id = idIn(ctx.params['id']);
    const result = await operations.dismiss(id, await actionRequestIn(ctx));
    if (result === 'unknown') throw unknownId();
    if (result === 'not dead') throw conflict('It is neither a dead letter nor held as no longer routed.');
    ctx.status = 202;
    ctx.body = { id, result };
  });
}
