/** The JSON API: gives scripts what the page shows and does. Unknown and invalid parameters are refused by name. */
import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { object, string } from 'yup';
import type { Problem } from '../config/config.ts';
import { problemInWords } from '../config/problems.ts';
import type { BulkKind } from '../ledger/deliveries/by-hand.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import {
  FLAG,
  type KnownParameters,
  PAGE,
  pageAfter,
  type Parameter,
  readFilter,
  readParameters,
  readRedelivery,
  TEXT,
  wholeNumberIn,
} from '../people/filters.ts';
import {
  botJson,
  bulkJson,
  callbackJson,
  incidentJson,
  pageJson,
  refusalJson,
  runJson,
  snoozeJson,
  storyJson,
  tallyJson,
} from '../people/json.ts';
import { type Outcome, Refused, statusOf } from '../people/outcomes.ts';
import { readIncidentFilter, TAKE_UP_BODY } from '../people/incidents.ts';
import { csvFileOf, loadReport, readReport, reportJson } from '../people/report.ts';
import { SNOOZE_BODY } from '../people/snooze.ts';
import { COMMON_PAGE } from '../ledger/archive/stories.ts';
import { loadStory } from '../story/story.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { readFields } from './body.ts';
import { actorOf } from './password.ts';
import { routed, TO_THE_LETTER } from './routed.ts';
import type { AdminServices } from './services.ts';

type ApiServices = Pick<AdminServices, 'archive' | 'people' | 'reloading' | 'surroundings' | 'drawing'>;

export function createApi(services: ApiServices): Middleware {
  const routes = createRoutes(services);
  for (const add of [
    addCallbacks,
    addActions,
    addBulks,
    addBots,
    addReport,
    addIncidents,
    addSnoozes,
    addReload,
  ])
    add(routes, services);
  return routed(routes.router);
}

interface Asked<Values> {
  readonly ctx: RouterContext;
  /** The path's `:id`; 0, which is no row's id, if it is missing or invalid. */
  readonly id: number;
  /** The query's parameters. */
  readonly values: Values;
  readonly actor: Actor;
}

/** @throws {Refused} names every invalid parameter */
type Read<Values> = (query: URLSearchParams) => Values;

type Routes = ReturnType<typeof createRoutes>;

function createRoutes({ people }: Pick<ApiServices, 'people'>) {
  const router = new Router(TO_THE_LETTER);
  const asked = <Values>(ctx: RouterContext, read: Read<Values>): Asked<Values> => {
    const values = read(new URLSearchParams(ctx.querystring));
    const id = wholeNumberIn(ctx.params['id']) ?? 0;
    return { ctx, id, values, actor: actorOf(ctx, 'api') };
  };
  return {
    router,
    /** @param answer the response's body; undefined for a 404 */
    get: <Values>(path: string, read: Read<Values>, answer: (asked: Asked<Values>) => Promise<unknown>) => {
      router.get(path, async (ctx) => {
        const body = await answer(asked(ctx, read));
        if (body === undefined) throw new Refused({ name: 'unknown' });
        ctx.body = body;
      });
    },
    /** Answers as the table of outcomes says. */
    act: <Values>(
      method: 'post' | 'delete',
      path: string,
      read: Read<Values>,
      act: (asked: Asked<Values>) => Promise<Outcome>,
    ) => {
      router[method](path, async (ctx) => {
        const one = asked(ctx, read);
        const outcome = await people.confirmed(path, one.actor, one.id, act(one));
        ctx.status = statusOf(outcome);
        ctx.body = outcome.json ?? {};
      });
    },
  };
}

/** Reads a query that may have no parameters but these. */
function only<Names extends KnownParameters>(known: Names) {
  return (query: URLSearchParams) => readParameters(query, known);
}

const NONE = only({});

/** Bytes of a callback's body that is included with its story; a larger one is available at `callback_url` only. */
const LARGEST_SHOWN = 1024 * 1024;

const JSON_TYPE = 'application/json; charset=utf-8';

function addCallbacks({ get }: Routes, { archive, surroundings }: ApiServices): void {
  const { display, now, redact } = surroundings;
  const context = () => ({ ...display(), now: now(), redact });
  const readList = (query: URLSearchParams) => readFilter(query, context());
  get('/api/callbacks', readList, async ({ values: { filter, page } }) =>
    pageJson(await archive.callbacks(filter, page), (item) => callbackJson(item, context())),
  );
  get('/api/callbacks/:id', NONE, async ({ ctx, id }) => {
    const found = await loadStory(archive, id, context());
    const body = found && (await archive.body(id));
    ctx.type = JSON_TYPE;
    return body && withCallback(storyJson(found, context()), id, body);
  });
  get('/api/callbacks/:id/body', NONE, async ({ ctx, id }) => {
    const body = await archive.body(id);
    ctx.type = JSON_TYPE;
    return body && Buffer.from(body);
  });
  get('/api/refused', only(PAGE), async ({ values }) =>
    pageJson(await archive.refusals(values), (item) => refusalJson(item, redact)),
  );
}

/** Inserts the body as received, since parsing would change numbers that JavaScript cannot represent exactly. */
function withCallback(story: object, id: number, body: Uint8Array): string {
  const isShown = body.byteLength <= LARGEST_SHOWN;
  const callback = isShown ? new TextDecoder().decode(body) : 'null';
  const url = JSON.stringify(`/api/callbacks/${id}/body`);
  return `${JSON.stringify(story).slice(0, -1)},"callback":${callback},"callback_url":${url}}`;
}

const TEST_BODY = object({ destination: string().required() });

function addActions({ act }: Routes, { people }: ApiServices): void {
  act('post', '/api/callbacks/:id/route', NONE, ({ id, actor }) => people.routeAnew(id, actor));
  act('post', '/api/deliveries/:id/redeliver', only({ again: FLAG }), ({ id, actor, values }) =>
    people.redeliver(id, actor, values.again ?? false),
  );
  act('post', '/api/deliveries/:id/dismiss', NONE, ({ id, actor }) => people.dismiss(id, actor));
  act('post', '/api/test', NONE, async ({ ctx, actor }) =>
    people.test((await readFields(ctx, TEST_BODY)).destination, actor),
  );
}

/** Redelivers or dismisses all deliveries that a filter matches, and reports the progress. */
function addBulks({ get, act }: Routes, { archive, people, surroundings }: ApiServices): void {
  const { display, now } = surroundings;
  const read = (query: URLSearchParams) => readRedelivery(query, { ...display(), now: now() });
  const start =
    (what: BulkKind) =>
    async ({
      ctx,
      actor,
      values: { filter, isDryRun },
    }: Asked<ReturnType<typeof read>>): Promise<Outcome> => {
      if (isDryRun) return { name: 'counted', json: tallyJson(await archive.tally(filter, what), now()) };
      const begun = await people.startBulk(filter, actor, what);
      ctx.set('Location', `/api/redeliveries/${String(begun.json?.['id'])}`);
      return begun;
    };
  act('post', '/api/redeliver', read, start('redelivered'));
  act('post', '/api/dismiss', read, start('dismissed'));
  get('/api/redeliveries', NONE, async () => ({ items: (await archive.bulks()).map(bulkJson) }));
  get('/api/redeliveries/:id', NONE, async ({ id }) => {
    const bulk = await archive.bulk(id);
    return bulk && bulkJson(bulk);
  });
  act('post', '/api/redeliveries/:id/stop', NONE, ({ id, actor }) => people.stopBulk(id, actor));
}

const RUNS_SHOWN = 50;

const keyOfBot = ({ botId }: ArchivedBot) => botId;

const AFTER: Parameter<string> = { read: (text) => text, rule: PAGE.before.rule, mayBeBlank: true };

function addBots({ get }: Routes, { archive, surroundings: { redact } }: ApiServices): void {
  get('/api/bots', only({ after: AFTER, limit: PAGE.limit, search: TEXT }), async ({ values }) => {
    const { after, limit = COMMON_PAGE, search } = values;
    const bots = await archive.bots(after, limit + 1, search);
    return pageJson(pageAfter(bots, keyOfBot, { after, limit }), (bot) => botJson(bot, redact));
  });
  get('/api/bots/:id', NONE, async ({ ctx }) => {
    const bot = await archive.bot(ctx.params['id'] ?? '');
    const runs = bot && (await archive.lastRuns([bot], RUNS_SHOWN)).get(bot.botId);
    return bot && { ...botJson(bot, redact), runs: (runs ?? []).map((run) => runJson(run, redact)) };
  });
}

function addReport({ get }: Routes, { archive, surroundings, drawing }: ApiServices): void {
  const { display, now, redact } = surroundings;
  const read = (query: URLSearchParams) => readReport(query, { ...display(), now: now() });
  get('/api/report', read, async ({ ctx, values: { asked, format } }) => {
    const report = await loadReport(archive, asked, drawing().config);
    if (format !== 'csv') return reportJson(report, redact);
    const { name, text } = csvFileOf(report, redact);
    ctx.attachment(name);
    ctx.type = 'text/csv; charset=utf-8';
    return text;
  });
}

/** Incidents are named by `ids` in the body, or by the path's `:id`. */
function addIncidents({ get, act }: Routes, { archive, people, surroundings }: ApiServices): void {
  get('/api/incidents', readIncidentFilter, async ({ values: { filter, page } }) =>
    pageJson(await archive.incidents(filter, page), (item) => incidentJson(item, surroundings.redact)),
  );
  const takeUp = async ({ ctx, id, actor }: Pick<Asked<unknown>, 'ctx' | 'id' | 'actor'>) => {
    const { ids: named, by, because, quiet = false } = await readFields(ctx, TAKE_UP_BODY);
    const isNamed = ctx.params['id'] !== undefined;
    if (isNamed && named !== undefined) throw new Refused({ name: 'take up what' });
    const fields = { by: by ?? '', because: because ?? '', quiet };
    return people.takeUp(isNamed ? [id] : (named ?? []), fields, actor);
  };
  act('post', '/api/incidents/take-up', NONE, takeUp);
  act('post', '/api/incidents/:id/take-up', NONE, takeUp);
  act('delete', '/api/incidents/:id/take-up', NONE, ({ id, actor }) => people.giveBack([id], actor));
  act('post', '/api/incidents/:id/close', NONE, ({ id, actor }) => people.closeIncidents([id], actor));
}

function addSnoozes({ get, act }: Routes, { archive, people }: ApiServices): void {
  get('/api/snoozes', only(PAGE), async ({ values }) => pageJson(await archive.snoozes(values), snoozeJson));
  act('post', '/api/snoozes', NONE, async ({ ctx, actor }) =>
    people.snooze(await readFields(ctx, SNOOZE_BODY), actor),
  );
  act('delete', '/api/snoozes/:id', NONE, ({ id, actor }) => people.endSnooze(id, actor));
}

function addReload({ act }: Routes, { reloading }: ApiServices): void {
  act('post', '/-/reload', only({ dry_run: FLAG }), async ({ values }) => {
    if (values.dry_run === true) {
      const preview = await reloading.preview();
      const { problems, configHash: config, unchanged, since, isComplete: is_complete } = preview;
      if (config === undefined) throw notLoaded(problems);
      const changes = preview.changes.map(({ botId: bot_id, ...change }) => ({ bot_id, ...change }));
      const shown = { warnings: placed(problems), unchanged, since, is_complete, changes };
      return { name: 'counted', json: { result: 'dry_run', config, ...shown } };
    }
    const result = await reloading.reload('POST /-/reload');
    if (!result.isLoaded) throw notLoaded(result.problems);
    const { hasChanged, configHash: config, warnings, unchanged } = result;
    const json = { config, warnings: placed(warnings), unchanged };
    if (!hasChanged) return { name: 'unchanged', json: { result: 'unchanged', ...json } };
    return { name: 'loaded', json: { result: 'reloaded', ...json } };
  });
}

function notLoaded(problems: readonly Problem[]): Refused {
  const errors = placed(problems.filter(({ severity }) => severity === 'error'));
  return new Refused({ name: 'not loaded', json: { errors } });
}

/** The most problems in one response. */
const MOST_PROBLEMS = 200;

function placed(problems: readonly Problem[]) {
  return problems.slice(0, MOST_PROBLEMS).map(({ place: { file, line, column }, ...problem }) => ({
    file,
    line,
    column,
    detail: visibleOnOneLine(problemInWords(problem, 'en')),
  }));
}
