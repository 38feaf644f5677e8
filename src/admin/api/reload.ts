/** `POST /-/reload`: reloads the config, or with `dry_run` reports what a reload would change. */
import type { Problem } from '../../config/config.ts';
import { FLAG } from '../../people/filters.ts';
import { type Outcome, Refused } from '../../people/outcomes.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import type { ApiServices, ReloadPreview, ReloadResult } from '../services.ts';
import { only, type Routes } from './routes.ts';

export function addReload({ act }: Routes, { reloading }: ApiServices): void {
  act('post', '/-/reload', only({ dry_run: FLAG }), async ({ values }) =>
    values.dry_run === true
      ? previewed(await reloading.preview())
      : reloaded(await reloading.reload('POST /-/reload')),
  );
}

/** @throws {Refused} with the errors of the config, in the order of its files */
function reloaded(result: ReloadResult): Outcome {
  if (!result.isLoaded) throw refused(result.problems);
  const { hasChanged, configHash: config, warnings, unchanged } = result;
  const json = {
    result: hasChanged ? 'reloaded' : 'unchanged',
    config,
    warnings: placed(warnings),
    unchanged,
  };
  return { name: hasChanged ? 'loaded' : 'unchanged', json };
}

/** @throws {Refused} with the errors, if a reload would be refused */
function previewed({ problems, configHash: config, changes, unchanged, ...preview }: ReloadPreview): Outcome {
  if (config === undefined) throw refused(problems);
  const json = {
    result: 'dry_run',
    config,
    warnings: placed(problems),
    unchanged,
    since: preview.since,
    is_complete: preview.isComplete,
    changes: changes.map(({ botId: bot_id, ...change }) => ({ bot_id, ...change })),
  };
  return { name: 'counted', json };
}

function refused(problems: readonly Problem[]): Refused {
  const errors = placed(problems.filter(({ severity }) => severity === 'error'));
  return new Refused({ name: 'not loaded', json: { errors } });
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
