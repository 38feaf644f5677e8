/** `/api/callbacks`: which there were, what became of one, and to route it anew. */
import type { Router, RouterContext } from '@koa/router';
import { HttpProblem } from '../../http/problem.ts';
import { readFilter, refuseParameters } from '../filters.ts';
import { actorOf } from '../password.ts';
import type { ApiServices } from '../services.ts';
import { conflict, filterContext, idIn, parametersIn, unknownId } from './asked.ts';
import { loadStory } from '../../story/story.ts';
import { callbackJson, storyJson } from '../../story/story-json.ts';

/** Of a callback that is shown with its story; a larger one has an address of its own. */
const LARGEST_SHOWN = 1024 * 1024;

export function addCallbacks(router: Router, services: ApiServices): void {
  const { archive, operations } = services;
  router.get('/api/callbacks', (ctx) => list(ctx, services));
  router.get('/api/callbacks/:id', (ctx) => one(ctx, services));
  router.get('/api/callbacks/:id/body', async (ctx) => {
    parametersIn(ctx, {});
    const body = await archive.body(idIn(ctx.params['id']));
    if (body === undefined) throw unknownId();
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = Buffer.from(body);
  });
  router.post('/api/callbacks/:id/route', async (ctx) => {
    parametersIn(ctx, {});
    const id = idIn(ctx.params['id']);
    const routed = await operations.routeAnew(id, actorOf(ctx, 'api'));
    if (routed === undefined) throw unknownId();
    if (routed === 'superseded')
      throw conflict('Its job’s result is known already, so nobody is told any more that it began.');
    ctx.status = 202;
    ctx.body = { id, ...routed };
  });
}

async function list(ctx: RouterContext, { archive, surroundings }: ApiServices): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const { filter, page, problems } = readFilter(query, filterContext(surroundings));
  refuseParameters(problems);
  const { items, next } = await archive.callbacks(filter, page);
  ctx.body = { items: items.map((item) => callbackJson(item, surroundings.redact)), next: next ?? null };
}

async function one(ctx: RouterContext, { archive, surroundings }: ApiServices): Promise<void> {
  parametersIn(ctx, {});
  const { display, now, redact } = surroundings;
  const context = { ...display(), now: now(), redact };
  const found = await loadStory(archive, idIn(ctx.params['id']), context);
  if (found === undefined) throw unknownId();
  const { id } = found.callback;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = withCallback(storyJson(found, redact), id, await archive.body(id));
}

/** To the letter, since no number that JavaScript reads is as exact. */
function withCallback(shape: object, id: number, body: Uint8Array | undefined): string {
  if (body === undefined)
    throw new HttpProblem({ status: 404, detail: 'The callback has just been forgotten.' });
  const isShown = body.byteLength <= LARGEST_SHOWN;
  const callback = isShown ? new TextDecoder().decode(body) : 'null';
  const url = JSON.stringify(`/api/callbacks/${id}/body`);
  return `${JSON.stringify(shape).slice(0, -1)},"callback":${callback},"callback_url":${url}}`;
}
