/** The config with its templates, as a start and each reload read it. */
import { hash } from 'node:crypto';
import type { ChannelType } from '../channels/channel.ts';
import { type Config, type Destination, formatsOf, type Problem } from '../config/config.ts';
import { foldersIn, loadConfig } from '../config/load.ts';
import { inFileOrder } from '../config/problems.ts';
import { readableAgain, Readings } from '../config/readings.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { createRenderer } from '../render/renderer.ts';
import type { RenderTarget } from '../render/catalog.ts';
import { fingerprintOf, readTemplateFolder } from '../render/template-folder.ts';
import { routesOf } from '../route/router.ts';
import { readText } from '../text/read-text.ts';
import type { LoadedConfig } from './settings.ts';

export interface ConfigToRead {
  readonly file: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly builtInTemplates?: string;
  /** Variables and files that are not there are taken for granted, and named in `missing`: only for a check. */
  readonly withoutSecrets?: boolean;
}

/** What a config came to that was read with every template it names. */
export interface ConfigReading {
  /** Undefined: there is an error among the problems. */
  readonly loaded: LoadedConfig | undefined;
  /** All that is wrong, at once. */
  readonly problems: readonly Problem[];
  readonly readings: Readings;
  readonly missing: readonly string[];
}

/** Never throws for what the files hold. */
export function readConfig(toRead: ConfigToRead): ConfigReading {
  const unchecked = readUnchecked(toRead, readText);
  if (unchecked.ready === undefined) return unchecked;
  const { config, targets } = unchecked.ready;
  return checked(unchecked, unchecked.ready, config.renderer.check(targets));
}

/** The same, while others go on working: to check many templates takes a tenth of a second. */
export async function readConfigInTurns(toRead: ConfigToRead): Promise<ConfigReading> {
  const unchecked = readUnchecked(toRead, (path) => readableAgain(path, readText));
  if (unchecked.ready === undefined) return unchecked;
  const { config, targets } = unchecked.ready;
  return checked(unchecked, unchecked.ready, await config.renderer.checkInTurns(targets));
}

interface Ready {
  readonly config: Omit<LoadedConfig, 'warnings'>;
  /** Every way in which the config may have a message rendered. */
  readonly targets: readonly RenderTarget[];
}

interface Unchecked extends ConfigReading {
  readonly loaded: undefined;
  /** Undefined: the config itself has errors. */
  readonly ready: Ready | undefined;
}

function readUnchecked(
  { file, builtInTemplates = BUILT_IN_TEMPLATES, channelTypes, ...environment }: ConfigToRead,
  readFile: (path: string) => string,
): Unchecked {
  const readings = new Readings();
  const {
    problems,
    missing = [],
    ...read
  } = loadConfig(file, {
    ...environment,
    channelTypes,
    builtInTemplates,
    readFile: (path) => readings.file(path, readFile),
    // What came with the program does not change while it runs.
    readFolders: (path) =>
      path === builtInTemplates ? foldersIn(path) : readings.folder(path, 'sets of', foldersIn),
  });
  const { config, hash: fileHash = '', text = '', placeInConfig } = read;
  const unready = { loaded: undefined, problems, missing, readings };
  if (config === undefined) return { ...unready, ready: undefined };
  const formats = formatsOf(config, channelTypes);
  let ownTemplates: string | undefined;
  const renderer = createRenderer({
    display: config.display,
    builtInTemplates,
    templatesFolder: config.templates,
    placeInConfig,
    formats: [...new Set(formats.values())],
    readOwn: (folder, names) => {
      const own = readings.folder(folder, 'templates of', (path) => readTemplateFolder(path, names));
      ownTemplates = fingerprintOf(own);
      return own;
    },
  });
  const configHash = ownTemplates === undefined ? fileHash : hash('sha256', fileHash + ownTemplates, 'hex');
  const targets = targetsOf(config, formats);
  return { ...unready, ready: { config: { config, configHash, text, renderer, readings }, targets } };
}

function checked(
  { problems: ofConfig, readings, missing }: Unchecked,
  { config }: Ready,
  ofTemplates: readonly Problem[],
): ConfigReading {
  const problems = inFileOrder([...ofConfig, ...ofTemplates]);
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  const loaded = hasErrors ? undefined : { ...config, warnings: problems };
  return { loaded, problems, readings, missing };
}

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
