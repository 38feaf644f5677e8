/** The API's actions other than those on single deliveries: bulk redelivery, snoozes, tests and reloads. */
import type { Problem } from '../../config/config.ts';
import type { HttpProblem } from '../../http/problem.ts';
import type { BulkKind } from '../../ledger/actions/actions.ts';
import { snoozeJson } from '../../story/story-json.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { readTexts } from '../body.ts';
import { readRedelivery } from '../filters.ts';
import { translator } from '../page/words/words.ts';
import type { ApiServices, ReloadPreview, ReloadResult } from '../services.ts';
import { readSnooze, SNOOZE_FIELDS } from '../snooze-request.ts';
import { type Asked, FLAG, NONE, only, problem, type Routes } from './routes.ts';
import { bulkShape, tallyShape, testShape } from './shapes.ts';

/** Redelivers or dismisses all deliveries that a filter matches, and reports the progress. */
export function addRedeliveries({ get, act }: Routes, { operations, surroundings }: ApiServices): void {
  const { display, now } = surroundings;
  const read = (query: URLSearchParams) =>
    readRedelivery(query, { ...display(), now: now() }, { dry_run: FLAG });
  const start =
    (what: BulkKind) =>
    async ({ ctx, actor, values: { filter, values } }: Asked<ReturnType<typeof read>>) => {
      if (values.dry_run === true) {
        ctx.status = 200;
        return tallyShape(await operations.tally(filter), now());
      }
      const bulk = await operations.startBulk(filter, actor, what);
      ctx.set('Location', `/api/redeliveries/${bulk.id}`);
      return bulkShape(bulk);
    };
  act('/api/redeliver', read, start('redelivered'));
  act('/api/dismiss', read, start('dismissed'));
  get('/api/redeliveries', NONE, async () => ({ items: (await operations.bulks()).map(bulkShape) }));
  get('/api/redeliveries/:id', NONE, async ({ id }) => bulkShape(await operations.bulk(id)));
  act('/api/redeliveries/:id/stop', NONE, async ({ id, actor }) =>
    bulkShape(await operations.stopBulk(id, actor)),
  );
}

export function addSnoozes({ get, post, end }: Routes, { operations, surroundings }: ApiServices): void {
  const { display, now } = surroundings;
  const snoozes = async () => (await operations.snoozes()).map(snoozeJson);
  get('/api/snoozes', NONE, async () => ({ items: await snoozes() }));
  post('/api/snoozes', NONE, async ({ ctx, actor }) => {
    const snooze = readSnooze(await readTexts(ctx, SNOOZE_FIELDS), { ...display(), now: now() });
    if (typeof snooze === 'string') throw problem(400, translator('en')(`act.snooze.${snooze}`));
    const hint = operations.unknownDestination(snooze.destination);
    if (hint !== undefined) throw problem(422, `The config has no destination ${snooze.destination}${hint}`);
    const id = await operations.snooze({ ...snooze, actor });
    ctx.status = 201;
    return (await snoozes()).find((each) => each.id === id) ?? { id };
  });
  end('/api/snoozes/:id', NONE, async ({ id, actor }) =>
    (await operations.endSnooze(id, actor)) ? { id, result: 'ended' } : undefined,
  );
}

export function addTest({ post }: Routes, { operations }: ApiServices): void {
  post('/api/test', NONE, async ({ ctx, actor }) => {
    const { destination } = await readTexts(ctx, ['destination']);
    if (destination === '') throw problem(400, 'The body must be {"destination": "<channel>:<address>"}.');
    const result = await operations.test(destination, actor);
    if (result === undefined) throw problem(404, 'The config in force has no such destination.');
    return testShape(result);
  });
}

/** `POST /-/reload`: reloads the config, or with `dry_run` reports what a reload would change. */
export function addReload({ post }: Routes, { reloading }: ApiServices): void {
  post('/-/reload', only({ dry_run: FLAG }), async ({ values }) =>
    values.dry_run === true
      ? previewAnswer(await reloading.preview())
      : reloadAnswer(await reloading.reload('POST /-/reload')),
  );
}

/** @throws {HttpProblem} 422 with the errors of the config, in the order of its files */
function reloadAnswer(result: ReloadResult) {
  if (!result.isLoaded)
    throw refused(result.problems, 'The config was refused; the one before stays in force.');
  const { hasChanged, configHash: config, warnings, unchanged } = result;
  return { result: hasChanged ? 'reloaded' : 'unchanged', config, warnings: placed(warnings), unchanged };
}

/** @throws {HttpProblem} 422 with the errors, if a reload would be refused */
function previewAnswer({ problems, configHash: config, changes, unchanged, ...preview }: ReloadPreview) {
  if (config === undefined) throw refused(problems, 'The config would be refused.');
  return {
    result: 'dry_run',
    config,
    warnings: placed(problems),
    unchanged,
    since: preview.since,
    is_complete: preview.isComplete,
    changes: changes.map(({ botId: bot_id, ...change }) => ({ bot_id, ...change })),
  };
}

function refused(problems: readonly Problem[], detail: string): HttpProblem {
  const errors = placed(problems.filter(({ severity }) => severity === 'error'));
  return problem(422, detail, { errors });
}

/** The most problems in one response. */
const MOST_PROBLEMS = 200;

function placed(problems: readonly Problem[]) {
  return problems.slice(0, MOST_PROBLEMS).map(({ place: { file, line, column }, message }) => ({
    file,
    line,
    column,
    detail: visibleOnOneLine(message),
  }));
}
