/** The config without its templates, for commands that render nothing. */
import { channelTypes } from '../channels/registry.ts';
import type { Config, Problem } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { formatProblem } from '../config/problems.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { CommandFailed, type CommandContext, configFileOf } from './context.ts';

type ConfigSource = Pick<CommandContext, 'configFile' | 'variables'>;

/** @throws {CommandFailed} with every problem of the config */
export function loadServiceConfig(source: ConfigSource): Config {
  return load(source, false).config;
}

/**
 * For who looks at the ledger and tells nobody: secrets of channels may be set where the service runs, and nowhere else.
 * @throws {CommandFailed} with every problem of the config; or `store.url` needs what is not set here
 */
export function loadLedgerConfig(source: ConfigSource): Config {
  const { config, missingOfStore } = load(source, true);
  if (missingOfStore.length === 0) return config;
  const needed = missingOfStore.join(', ');
  throw new CommandFailed(`${config.file}: store.url needs ${needed}, which is not set here`);
}

function load(source: ConfigSource, withoutSecrets: boolean) {
  const {
    config,
    problems,
    missingOfStore = [],
  } = loadConfig(configFileOf(source), {
    variables: source.variables,
    channelTypes,
    builtInTemplates: BUILT_IN_TEMPLATES,
    withoutSecrets,
  });
  if (config === undefined) throw refusalOf(problems);
  return { config, missingOfStore };
}

/** With every error of the config. */
export function refusalOf(problems: readonly Problem[]): CommandFailed {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return new CommandFailed(errors.map(formatProblem).join('\n'));
}
