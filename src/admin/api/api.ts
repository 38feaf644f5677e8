/** The JSON API: what the page shows and does, for scripts. */
import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { HttpProblem } from '../../http/problem.ts';
import { actorOf } from '../password.ts';
import { readJson } from '../body.ts';
import { pageParameters, type Parameter } from '../filters.ts';
import { routed, TO_THE_LETTER } from '../routed.ts';
import type { ApiServices } from '../services.ts';
import { badBody, conflict, ENGLISH, FLAG, idIn, parametersIn, unknownId } from './asked.ts';
import { addCallbacks } from './callbacks.ts';
import { addRedeliveries } from './redeliveries.ts';
import { addReload } from './reload.ts';
import { addSnoozes } from './snoozes.ts';
import { botShape, refusalShape, runShape, testShape } from './shapes.ts';

export function createApi(services: ApiServices): Middleware {
  const router = new Router(TO_THE_LETTER);
  addCallbacks(router, services);
  addDeliveries(router, services);
  addRedeliveries(router, services);
  addBots(router, services);
  addRefusals(router, services);
  addTest(router, services);
  addSnoozes(router, services);
  addReload(router, services.reloading);
  return routed(router);
}

function addDeliveries(router: Router, { operations }: ApiServices): void {
  router.post('/api/deliveries/:id/redeliver', async (ctx) => {
    const { again = false } = parametersIn(ctx, { again: FLAG });
    const id = idIn(ctx.params['id']);
    const result = await operations.redeliver(id, actorOf(ctx, 'api'), again);
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
    const result = await operations.dismiss(id, actorOf(ctx, 'api'));
    if (result === 'unknown') throw unknownId();
    if (result === 'not dead') throw conflict('It is neither a dead letter nor held as no longer routed.');
    ctx.status = 202;
    ctx.body = { id, result };
  });
}

const BOTS_A_PAGE = 50;
const RUNS_SHOWN = 50;

const AFTER: Parameter<string> = { read: (text) => text, rule: 'must be the "next" of another page' };

function addBots(router: Router, { archive }: ApiServices): void {
  router.get('/api/bots', async (ctx) => {
    const { after = '' } = parametersIn(ctx, { after: AFTER });
    const bots = await archive.bots(after, BOTS_A_PAGE);
    const next = bots.length < BOTS_A_PAGE ? undefined : bots.at(-1)?.botId;
    ctx.body = { items: bots.map(botShape), next: next ?? null };
  });
  router.get('/api/bots/:id', async (ctx) => {
    parametersIn(ctx, {});
    const bot = await archive.bot(ctx.params['id'] ?? '');
    if (bot === undefined) throw unknownId();
    const runs = (await archive.lastRuns([bot], RUNS_SHOWN)).get(bot.botId) ?? [];
    ctx.body = { ...botShape(bot), runs: runs.map(runShape) };
  });
}

function addRefusals(router: Router, { archive }: ApiServices): void {
  router.get('/api/refused', async (ctx) => {
    const { items, next } = await archive.refusals(parametersIn(ctx, pageParameters(ENGLISH)));
    ctx.body = { items: items.map(refusalShape), next: next ?? null };
  });
}

function addTest(router: Router, { operations, surroundings }: ApiServices): void {
  router.post('/api/test', async (ctx) => {
    parametersIn(ctx, {});
    const { destination, ...others } = await readJson(ctx);
    if (typeof destination !== 'string' || Object.keys(others).length > 0)
      throw badBody('The body must be {"destination": "<channel>:<address>"}.');
    const result = await operations.test(destination, actorOf(ctx, 'api'));
    if (result === undefined)
      throw new HttpProblem({ status: 404, detail: 'The config in force has no such destination.' });
    ctx.body = testShape(result, surroundings.redact);
  });
}
