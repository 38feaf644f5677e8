/** The JSON API: what the page shows and does, for scripts. */
import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { routed, TO_THE_LETTER } from '../routed.ts';
import { actorOf } from '../actor.ts';
import { readJson } from '../body.ts';
import { HttpProblem } from '../../http/problem.ts';
import { pageParameters } from '../filters.ts';
import { badBody, parametersIn } from './asked.ts';
import { addBots } from './bots.ts';
import { addCallbacks } from './callbacks.ts';
import { addDeliveries } from './deliveries.ts';
import { type ApiParts, type ApiServices, partsOf } from './parts.ts';
import { addReload } from './reload.ts';
import { addRedeliveries } from './redeliveries.ts';
import { refusalShape, testShape } from './shapes.ts';

export function createApi(services: ApiServices): Middleware {
  const parts = partsOf(services);
  const router = new Router(TO_THE_LETTER);
  addCallbacks(router, parts);
  addDeliveries(router, parts);
  addRedeliveries(router, parts);
  addBots(router, parts);
  addRefusals(router, parts);
  addTest(router, parts);
  addReload(router, parts.services.reloading);
  return routed(router);
}

function addRefusals(router: Router, { services: { archive } }: ApiParts): void {
  router.get('/api/refused', async (ctx) => {
    const { items, next } = await archive.refusals(parametersIn(ctx, pageParameters('en')));
    ctx.body = { items: items.map(refusalShape), next: next ?? null };
  });
}

function addTest(router: Router, { services: { operations }, redact }: ApiParts): void {
  router.post('/api/test', async (ctx) => {
    parametersIn(ctx, {});
    const { destination, ...others } = await readJson(ctx);
    if (typeof destination !== 'string' || Object.keys(others).length > 0)
      throw badBody('The body must be {"destination": "<channel>:<address>"}.');
    const result = await operations.test(destination, actorOf(ctx, 'api'));
    if (result === undefined)
      throw new HttpProblem({ status: 404, detail: 'The config in force has no such destination.' });
    ctx.body = testShape(result, redact);
  });
}
