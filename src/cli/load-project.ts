/** The config with its templates, as every command but `schema` and `send` needs it. */
import { readConfig } from '../app/read-config.ts';
import type { LoadedConfig } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Problem } from '../config/config.ts';
import { formatProblem } from '../config/problems.ts';
import { type CommandContext, configFileOf } from './context.ts';
import { refusalOf } from './load-config.ts';

export type Project = LoadedConfig;

/**
 * Reads the config and every template it names; says all that is wrong at once. No project when there is an error among
 * the problems.
 * @param withoutSecrets variables and files that are not there are taken for granted, and named in `missing`: only for a check
 */
export async function checkProject(
  context: Pick<CommandContext, 'configFile' | 'variables'>,
  withoutSecrets = false,
): Promise<{ project?: Project; problems: readonly Problem[]; missing: readonly string[] }> {
  const { loaded, problems, missing } = await readConfig({ ...projectOf(context), withoutSecrets });
  return loaded === undefined ? { problems, missing } : { project: loaded, problems, missing };
}

/** What a command reads its config from. */
export function projectOf(context: Pick<CommandContext, 'configFile' | 'variables'>) {
  return { file: configFileOf(context), variables: context.variables, channelTypes };
}

/** @throws {CommandFailed} with every problem of the config */
export async function loadProject(context: CommandContext): Promise<Project> {
  const { project, problems } = await checkProject(context);
  if (project !== undefined) {
    for (const problem of problems) context.message(formatProblem(problem));
    return project;
  }
  throw refusalOf(problems);
}
