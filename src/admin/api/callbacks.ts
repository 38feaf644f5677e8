/** `/api/callbacks` and `/api/deliveries`: lists, stories and actions. */
import { loadStory } from '../../story/story.ts';
import { callbackJson, storyJson } from '../../story/story-json.ts';
import { readFilter, refuseParameters } from '../filters.ts';
import type { ApiServices } from '../services.ts';
import { FLAG, NONE, only, problem, type Routes } from './routes.ts';

/** Bytes of a callback's body that is included with its story; a larger one is available at `callback_url` only. */
const LARGEST_SHOWN = 1024 * 1024;

const JSON_TYPE = 'application/json; charset=utf-8';

export function addCallbacks({ get }: Routes, { archive, surroundings }: ApiServices): void {
  const { display, now, redact } = surroundings;
  const context = () => ({ ...display(), now: now(), redact });
  const readList = (query: URLSearchParams) => readFilter(query, context());
  get('/api/callbacks', readList, async ({ values: { filter, page, problems } }) => {
    refuseParameters(problems);
    const { items, next } = await archive.callbacks(filter, page);
    return { items: items.map((item) => callbackJson(item, redact)), next: next ?? null };
  });
  get('/api/callbacks/:id', NONE, async ({ ctx, id }) => {
    const found = await loadStory(archive, id, context());
    ctx.type = JSON_TYPE;
    return found && withCallback(storyJson(found, redact), id, await archive.body(id));
  });
  get('/api/callbacks/:id/body', NONE, async ({ ctx, id }) => {
    const body = await archive.body(id);
    ctx.type = JSON_TYPE;
    return body && Buffer.from(body);
  });
}

/** Inserts the body as received, since parsing would change numbers that JavaScript cannot represent exactly. */
function withCallback(shape: object, id: number, body: Uint8Array | undefined): string {
  if (body === undefined) throw problem(404, 'The callback has just been forgotten.');
  const isShown = body.byteLength <= LARGEST_SHOWN;
  const callback = isShown ? new TextDecoder().decode(body) : 'null';
  const url = JSON.stringify(`/api/callbacks/${id}/body`);
  return `${JSON.stringify(shape).slice(0, -1)},"callback":${callback},"callback_url":${url}}`;
}

const SUPERSEDED = 'Its job’s result is known already, so nobody is told any more that it began.';

export function addActions({ act }: Routes, { operations }: ApiServices): void {
  act('/api/callbacks/:id/route', NONE, async ({ id, actor }) => {
    const routed = await operations.routeAnew(id, actor);
    if (routed === 'superseded') throw problem(409, SUPERSEDED);
    return routed && { id, ...routed };
  });
  act('/api/deliveries/:id/redeliver', only({ again: FLAG }), async ({ id, actor, values }) => {
    const result = await operations.redeliver(id, actor, values.again ?? false);
    if (result === 'superseded') throw problem(409, SUPERSEDED);
    if (result === 'delivered')
      throw problem(409, 'It was delivered. To deliver it once more all the same, add again=true.');
    return result === 'unknown' ? undefined : { id, result };
  });
  act('/api/deliveries/:id/dismiss', NONE, async ({ id, actor }) => {
    const result = await operations.dismiss(id, actor);
    if (result === 'not dead')
      throw problem(409, 'It is neither a dead letter nor held as no longer routed.');
    return result === 'unknown' ? undefined : { id, result };
  });
}
