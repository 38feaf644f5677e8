/** `/api/callbacks`: which there were, what became of one, and to route it anew. */
import type { Router, RouterContext } from '@koa/router';
import { HttpProblem } from '../../http/problem.ts';
import type { CallbackStory } from '../../ledger/archive/archive.ts';
import { readFilter } from '../filters.ts';
import { refuseParameters } from '../parameters.ts';
import type { ApiParts } from './parts.ts';
import { actionRequestIn, conflict, idIn, parametersIn, unknownId } from './asked.ts';
import { eventJson } from '../../story/story-json.ts';
import { callbackShape } from './shapes.ts';

/** Of a callback that is shown with its story; a larger one has an address of its own. */
const LARGEST_SHOWN = 1024 * 1024;

/** Alerts about one callback whose stories are told within its own. */
const MOST_ALERTS = 20;

export function addCallbacks(router: Router, parts: ApiParts): void {
  const { archive, operations } = parts.services;
  router.get('/api/callbacks', (ctx) => list(ctx, parts));
  router.get('/api/callbacks/:id', (ctx) => one(ctx, parts));
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
    const routed = await operations.routeAnew(id, await actionRequestIn(ctx));
    if (routed === undefined) throw unknownId();
    if (routed === 'superseded')
      throw conflict('Its job’s result is known already, so nobody is told any more that it began.');
    ctx.status = 202;
    ctx.body = { id, ...routed };
  });
}

async function list(ctx: RouterContext, { services, filterContext, redact }: ApiParts): Promise<void> {
  const asked = readFilter(new URLSearchParams(ctx.querystring), filterContext());
  if (!asked.isGood) return refuseParameters(asked.problems);
  const { items, next } = await services.archive.callbacks(asked.filter, asked.page);
  ctx.body = { items: items.map((item) => callbackShape(item, redact)), next: next ?? null };
}

async function one(ctx: RouterContext, { services: { archive }, tell, redact }: ApiParts): Promise<void> {
  parametersIn(ctx, {});
  const story = await archive.story(idIn(ctx.params['id']));
  if (story === undefined) throw unknownId();
  const alerts = await Promise.all(story.alerts.slice(-MOST_ALERTS).map((id) => archive.story(id)));
  const { summary, events } = tell(
    story,
    alerts.filter((alert) => alert !== undefined),
  );
  const shape = {
    ...callbackShape(story, redact),
    kind: story.kind,
    summary,
    timeline: events.map(eventJson),
    alerts: story.alerts,
  };
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = withCallback(shape, story, await archive.body(story.id));
}

/** To the letter, since no number that JavaScript reads is as exact. */
function withCallback(shape: object, { id }: CallbackStory, body: Uint8Array | undefined): string {
  if (body === undefined)
    throw new HttpProblem({ status: 404, detail: 'The callback has just been forgotten.' });
  const isShown = body.byteLength <= LARGEST_SHOWN;
  const callback = isShown ? new TextDecoder().decode(body) : 'null';
  const url = JSON.stringify(`/api/callbacks/${id}/body`);
  return `${JSON.stringify(shape).slice(0, -1)},"callback":${callback},"callback_url":${url}}`;
}
