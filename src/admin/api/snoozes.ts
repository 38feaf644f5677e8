/** `/api/snoozes`: what somebody asked not to be told for a while. */
import type { Router } from '@koa/router';
import { readSnoozeEnd } from '../../signal/calendar.ts';
import { snoozeJson } from '../../story/story-json.ts';
import { HttpProblem } from '../../http/problem.ts';
import { cleanText } from '../../text/clean.ts';
import type { JsonObject } from '../../text/json-object.ts';
import { readJson } from '../body.ts';
import { actorOf } from '../password.ts';
import type { ApiServices, Surroundings } from '../services.ts';
import { badBody, idIn, parametersIn, unknownId } from './asked.ts';

const FIELDS: readonly string[] = ['bot_id', 'destination', 'until', 'because'];

export function addSnoozes(router: Router, { operations, surroundings }: ApiServices): void {
  router.get('/api/snoozes', async (ctx) => {
    parametersIn(ctx, {});
    ctx.body = { items: (await operations.snoozes()).map(snoozeJson) };
  });
  router.post('/api/snoozes', async (ctx) => {
    parametersIn(ctx, {});
    const asked = snoozeIn(await readJson(ctx), surroundings);
    refuseUnknown(asked.destination, operations);
    const id = await operations.snooze({ ...asked, actor: actorOf(ctx, 'api') });
    const kept = (await operations.snoozes()).find((each) => each.id === id);
    ctx.status = 201;
    ctx.body = kept === undefined ? { id } : snoozeJson(kept);
  });
  router.delete('/api/snoozes/:id', async (ctx) => {
    parametersIn(ctx, {});
    const id = idIn(ctx.params['id']);
    if (!(await operations.endSnooze(id, actorOf(ctx, 'api')))) throw unknownId();
    ctx.status = 202;
    ctx.body = { id, result: 'ended' };
  });
}

/** @throws {HttpProblem} 400 */
function snoozeIn(body: JsonObject, { display, now }: Pick<Surroundings, 'display' | 'now'>) {
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw badBody(`The body may have ${FIELDS.join(', ')}, and nothing else.`);
  const [botId, destination] = [textAt(body, 'bot_id'), textAt(body, 'destination')];
  if ((botId ?? destination) === undefined) throw badBody('Name a "bot_id", a "destination", or both.');
  const until = textAt(body, 'until') ?? '';
  const end = readSnoozeEnd(until, { now: now(), timezone: display().timezone });
  if (end === undefined || (end.untilSuccess && botId === undefined))
    throw badBody('"until" must be a date-time to come, tomorrow, or next-success of a BOT.');
  return { botId, destination, ...end, because: reasonIn(body['because'] ?? '') };
}

const LONGEST_REASON = 1000;

function reasonIn(because: unknown): string {
  if (typeof because === 'string' && because.length <= LONGEST_REASON) return cleanText(because).trim();
  throw badBody(`"because" must be text of ${LONGEST_REASON} characters at most.`);
}

/** @throws {HttpProblem} 422: nothing is ever sent there */
function refuseUnknown(destination: string | undefined, operations: ApiServices['operations']) {
  const hint = operations.unknownDestination(destination);
  if (hint !== undefined)
    throw new HttpProblem({ status: 422, detail: `The config has no destination ${destination}${hint}` });
}

function textAt(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? cleanText(value) : '';
  if (text === '') throw badBody(`"${name}" must be text.`);
  return text;
}
