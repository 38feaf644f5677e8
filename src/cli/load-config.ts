/** Loads the config for a command, with its templates or, for commands that render nothing, without. */
import {
  type UsableConfig,
  type ConfigReading,
  type ConfigToRead,
  type ReadAgain,
  readConfig,
  readConfigFile,
} from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Config, Problem } from '../config/config.ts';
import { problemLines } from '../config/problems.ts';
import { CommandFailed, type CommandContext, configFileOf } from './context.ts';
import { wordsIn } from './words.ts';

type ConfigSource = Pick<CommandContext, 'configFile' | 'variables'> &
  Partial<Pick<CommandContext, 'message' | 'secrets' | 'speaks'>>;

/** A config with its templates, and a function that reads both again for a reload. */
export interface Project extends UsableConfig {
  readonly readConfig: ReadAgain;
}

/** Reads the config and every template it names, and reports all problems at once. */
export function readProject(
  source: ConfigSource,
  how: Pick<ConfigToRead, 'withoutSecrets' | 'datesOfFiles'> = {},
): Promise<ConfigReading> {
  return readConfig({ file: configFileOf(source), variables: source.variables, channelTypes, ...how });
}

/** What these sections say changes neither whom a callback reaches nor a message; most of it is secret. */
const OF_THE_SERVICE = new Set(
  'receiver admin store delivery channels proxy heartbeat reports budget'.split(' '),
);

export function namesIn(missing: ConfigReading['missing']): string {
  return [...new Set(missing.map(({ reference }) => reference))].join(', ');
}

/** Says how many warnings there are, and what is not known without variables, where `source` has messages. @throws {CommandFailed} with every error of the config and its templates */
export async function loadProject(
  source: ConfigSource,
  how: { readonly withoutSecrets?: boolean } = {},
): Promise<Project> {
  const { loaded, problems, missing, language } = await readProject(source, how);
  if (loaded === undefined) throw refusalOf(source, problems, language);
  heed(source, loaded.config);
  const say = wordsIn(loaded.config.display);
  const { length: count } = problems;
  if (count > 0) source.message?.(say('warnings', { count }));
  const unknown = missing.filter(({ section }) => !OF_THE_SERVICE.has(section));
  if (unknown.length > 0) source.message?.(say('left out', { names: namesIn(unknown) }));
  const readAgain: ReadAgain = ({ calendars }) => readProject(source, { datesOfFiles: calendars.files });
  return { ...loaded, readConfig: readAgain };
}

/**
 * Without templates and without channels' secrets, which may be set only where the service runs: for commands that use the ledger
 * and send nothing.
 * @throws {CommandFailed} with every error of the config
 */
export async function loadLedgerConfig(source: ConfigSource): Promise<Config> {
  const { variables } = source;
  // While a calendar's file cannot be read, the service goes on with its last days; these commands go on without them.
  const datesOfFiles = { get: () => new Set<number>() };
  const toRead = { file: configFileOf(source), variables, channelTypes, withoutSecrets: true, datesOfFiles };
  const { config, problems, language } = await readConfigFile(toRead);
  if (config === undefined) throw refusalOf(source, problems, language);
  heed(source, config);
  return config;
}

/** From here on, the command hides the config's secrets and speaks its language. */
function heed({ secrets, speaks }: ConfigSource, config: Config): void {
  secrets?.add(config.secrets);
  if (speaks !== undefined) speaks.language = config.display.language;
}

/** Later messages, too, are in the language that the config names. */
function refusalOf(
  { speaks = { language: 'en' } }: ConfigSource,
  problems: readonly Problem[],
  language = speaks.language,
): CommandFailed {
  speaks.language = language;
  const errors = problems.filter(({ severity }) => severity === 'error');
  return new CommandFailed(problemLines(errors, language).join('\n'));
}
