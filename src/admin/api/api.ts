/** The JSON API: gives scripts what the page shows and does. */
import type { Middleware } from 'koa';
import { PAGE, type Parameter } from '../filters.ts';
import { routed } from '../routed.ts';
import type { ApiServices } from '../services.ts';
import { addActions, addCallbacks } from './callbacks.ts';
import { addRedeliveries, addReload, addSnoozes, addTest } from './operation.ts';
import { createRoutes, NONE, only, type Routes } from './routes.ts';
import { botShape, refusalShape, runShape } from './shapes.ts';

const PARTS = [
  addCallbacks,
  addActions,
  addRedeliveries,
  addBots,
  addRefusals,
  addTest,
  addSnoozes,
  addReload,
];

export function createApi(services: ApiServices): Middleware {
  const routes = createRoutes();
  for (const add of PARTS) add(routes, services);
  return routed(routes.router);
}

const BOTS_A_PAGE = 50;
const RUNS_SHOWN = 50;

const AFTER: Parameter<string> = { read: (text) => text, rule: 'must be the "next" of another page' };

function addBots({ get }: Routes, { archive }: ApiServices): void {
  get('/api/bots', only({ after: AFTER }), async ({ values: { after = '' } }) => {
    const bots = await archive.bots(after, BOTS_A_PAGE);
    const next = bots.length < BOTS_A_PAGE ? undefined : bots.at(-1)?.botId;
    return { items: bots.map(botShape), next: next ?? null };
  });
  get('/api/bots/:id', NONE, async ({ ctx }) => {
    const bot = await archive.bot(ctx.params['id'] ?? '');
    const runs = bot && (await archive.lastRuns([bot], RUNS_SHOWN)).get(bot.botId);
    return bot && { ...botShape(bot), runs: (runs ?? []).map(runShape) };
  });
}

function addRefusals({ get }: Routes, { archive }: ApiServices): void {
  get('/api/refused', only(PAGE), async ({ values }) => {
    const { items, next } = await archive.refusals(values);
    return { items: items.map(refusalShape), next: next ?? null };
  });
}
