/** `botbell check`: everything that is wrong with the config and its templates, before anybody relies on it. */
import { formatProblem } from '../config/format-problem.ts';
import { checkOnline } from './check-online.ts';
import { type CommandContext, configFileOf, styled } from './context.ts';
import { checkProject } from './load-project.ts';

export interface CheckOptions {
  /** Also asks Slack and the mail server whether they would let us in, and looks at the store. */
  readonly online?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
}

export async function checkCommand(context: CommandContext, options: CheckOptions): Promise<number> {
  const { project, problems } = checkProject(context);
  for (const problem of problems) context.result(formatProblem(problem));
  const isClean = project !== undefined && (options.strict !== true || problems.length === 0);
  const isOnline =
    project === undefined || options.online !== true || (await checkOnline(context, project.config));
  if (!isClean || !isOnline) return 1;
  context.result(`${configFileOf(context)}: ${styled(context, 'green', 'ok')}`);
  return 0;
}
