/** The config with its templates, as every command but `schema` and `send` needs it. */
import { channelTypes } from '../channels/registry.ts';
import { type Config, type Destination, type Problem, formatsOf } from '../config/config.ts';
import { formatProblem, inFileOrder } from '../config/problems.ts';
import { loadConfig } from '../config/load.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { createRenderer, type Renderer } from '../render/renderer.ts';
import type { RenderTarget } from '../render/templates/catalog.ts';
import { routesOf } from '../route/router.ts';
import { CommandFailed, type CommandContext, configFileOf } from './context.ts';

export interface Project {
  readonly config: Config;
  /** SHA-256 of the config's file. */
  readonly configHash: string;
  readonly renderer: Renderer;
}

/**
 * Reads the config and every template it names; says all that is wrong at once. No project when there is an error among
 * the problems.
 * @param withoutSecrets variables and files that are not there are taken for granted, and named in `missing`: only for a check
 */
export function checkProject(
  context: Pick<CommandContext, 'configFile' | 'variables'>,
  withoutSecrets = false,
): { project?: Project; problems: readonly Problem[]; missing: readonly string[] } {
  const { variables } = context;
  const files = { channelTypes, builtInTemplates: BUILT_IN_TEMPLATES };
  const loaded = loadConfig(configFileOf(context), { variables, withoutSecrets, ...files });
  const { config, hash: configHash = '', placeInConfig, missing = [] } = loaded;
  if (config === undefined) return { problems: loaded.problems, missing };
  const formats = formatsOf(config, channelTypes);
  const renderer = createRenderer({
    display: config.display,
    builtInTemplates: BUILT_IN_TEMPLATES,
    templatesFolder: config.templates,
    placeInConfig,
    formats: [...new Set(formats.values())],
  });
  const problems = inFileOrder([...loaded.problems, ...renderer.check(targetsOf(config, formats))]);
  if (problems.some(({ severity }) => severity === 'error')) return { problems, missing };
  return { project: { config, configHash, renderer }, problems, missing };
}

/** @throws {CommandFailed} with every problem of the config */
export function loadProject(context: CommandContext): Project {
  const { project, problems } = checkProject(context);
  if (project !== undefined) {
    for (const problem of problems) context.message(formatProblem(problem));
    return project;
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  throw new CommandFailed(errors.map(formatProblem).join('\n'));
}

/** Every way in which the config may have a message rendered. */
function targetsOf(config: Config, formats: ReturnType<typeof formatsOf>): RenderTarget[] {
  const targets = new Map<string, RenderTarget>();
  const add = ({ channel }: Destination, how: Pick<RenderTarget, 'templateSet' | 'place'>) => {
    const format = formats.get(channel)?.name;
    if (format === undefined) return;
    const key = `${format}/${how.templateSet ?? ''}`;
    if (!targets.has(key)) targets.set(key, { format, options: {}, ...how });
  };
  for (const { notify, templateSet, place } of routesOf(config)) {
    for (const destination of notify) add(destination, { templateSet, place });
  }
  for (const destination of config.delivery.alerts) add(destination, { templateSet: undefined });
  return [...targets.values()];
}
