/** The config as a command needs it that looks at the ledger and tells nobody: what only the service needs may be missing. */
import { channelTypes } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { formatProblem } from '../config/problems.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { CommandFailed, type CommandContext, configFileOf } from './context.ts';

/**
 * Secrets of channels may be set where the service runs, and nowhere else.
 * @throws {CommandFailed} with every problem of the config; or `store.url` needs what is not set here
 */
export function loadLedgerConfig(context: Pick<CommandContext, 'configFile' | 'variables'>): Config {
  const file = configFileOf(context);
  const { variables } = context;
  const files = { channelTypes, builtInTemplates: BUILT_IN_TEMPLATES };
  const loaded = loadConfig(file, { variables, withoutSecrets: true, ...files });
  const { config, problems, missingOfStore: needed = [] } = loaded;
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (config === undefined || errors.length > 0) {
    throw new CommandFailed(errors.map(formatProblem).join('\n'));
  }
  if (needed.length > 0) {
    throw new CommandFailed(`${file}: store.url needs ${needed.join(', ')}, which is not set here`);
  }
  return config;
}
