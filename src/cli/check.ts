/** `botbell check`: everything that is wrong with the config and its templates, before anybody relies on it. */
import { formatProblem } from '../config/problems.ts';
import { checkOnline } from './check-online.ts';
import { type CommandContext, configFileOf, styled } from './context.ts';
import { checkProject } from './load-project.ts';

export interface CheckOptions {
  /** Also asks Slack and the mail server whether they would let us in, and looks at the store. */
  readonly online?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
  /** What variables and files would give is taken for granted: for where none are set. */
  readonly withoutSecrets?: boolean;
}

export async function checkCommand(context: CommandContext, options: CheckOptions): Promise<number> {
  const { project, problems, missing } = checkProject(context, options.withoutSecrets);
  for (const problem of problems) context.result(formatProblem(problem));
  if (missing.length > 0) context.message(`not set here, and so not checked: ${missing.join(', ')}`);
  const isClean =
    options.strict === true
      ? problems.length === 0
      : problems.every(({ severity }) => severity === 'warning');
  const isOnline =
    project === undefined || options.online !== true || (await checkOnline(context, project.config));
  if (!isClean || !isOnline) return 1;
  context.result(`${configFileOf(context)}: ${styled(context, 'green', 'ok')}`);
  return 0;
}
