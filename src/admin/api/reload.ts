/** `POST /-/reload`: has the config loaded again, or says what that would change. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { Problem } from '../../config/config.ts';
import { HttpProblem } from '../../http/problem.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { FLAG, parametersIn } from './asked.ts';
import type { Reloading, ReloadPreview, ReloadResult } from '../services.ts';

/** More say no more. */
const MOST_PROBLEMS = 200;

export function addReload(router: Router, reloading: Reloading): void {
  router.post('/-/reload', (ctx) => answerReload(ctx, reloading));
}

/** @throws {HttpProblem} 400, or 422 with every error of the config, in the order of its files */
async function answerReload(ctx: Context, reloading: Reloading): Promise<void> {
  const { dry_run: isDryRun = false } = parametersIn(ctx, { dry_run: FLAG });
  ctx.body = isDryRun
    ? previewAnswer(await reloading.preview())
    : reloadAnswer(await reloading.reload('POST /-/reload'));
}

function reloadAnswer(result: ReloadResult) {
  if (!result.isLoaded)
    throw refused(result.problems, 'The config was refused; the one before stays in force.');
  const { hasChanged, configHash: config, warnings, unchanged } = result;
  return { result: hasChanged ? 'reloaded' : 'unchanged', config, warnings: placed(warnings), unchanged };
}

function previewAnswer(preview: ReloadPreview) {
  const { problems, configHash, since, changes, isComplete, unchanged } = preview;
  if (configHash === undefined) throw refused(problems, 'The config would be refused.');
  return {
    result: 'dry_run',
    config: configHash,
    warnings: placed(problems),
    unchanged,
    since,
    is_complete: isComplete,
    changes: changes.map(({ botId: bot_id, ...change }) => ({ bot_id, ...change })),
  };
}

function refused(problems: readonly Problem[], detail: string): HttpProblem {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return new HttpProblem({ status: 422, detail, members: { errors: placed(errors) } });
}

function placed(problems: readonly Problem[]) {
  return problems.slice(0, MOST_PROBLEMS).map(({ place: { file, line, column }, message }) => ({
    file,
    line,
    column,
    detail: visibleOnOneLine(message),
  }));
}
