/** The config with its templates, as a start and each reload read it. */
import { hash } from 'node:crypto';
import type { ChannelType } from '../channels/channel.ts';
import { type Config, type Destination, formatsOf, type Problem } from '../config/config.ts';
import { foldersIn, loadConfig } from '../config/load.ts';
import { inFileOrder } from '../config/problems.ts';
import { readableAgain, Readings } from '../config/readings.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { conditionFault } from '../render/condition.ts';
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
  /** Not for a start: what can be read only once, such as a pipe, is a problem. */
  readonly isAgain?: boolean;
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

/** Others go on working meanwhile: to check many templates takes a tenth of a second. Never rejects for what the files hold. */
export async function readConfig(toRead: ConfigToRead): Promise<ConfigReading> {
  const { file, builtInTemplates = BUILT_IN_TEMPLATES, channelTypes, isAgain, ...environment } = toRead;
  const readings = new Readings();
  const readFile = isAgain === true ? (path: string) => readableAgain(path, readText) : readText;
  const {
    config,
    problems,
    missing = [],
    ...read
  } = loadConfig(file, {
    ...environment,
    conditionFault,
    channelTypes,
    builtInTemplates,
    readFile: (path) => readings.file(path, readFile),
    // What came with the program does not change while it runs.
    readFolders: (path) =>
      path === builtInTemplates ? foldersIn(path) : readings.folder(path, 'sets of', foldersIn),
  });
  if (config === undefined) return { loaded: undefined, problems, missing, readings };
  const formats = formatsOf(config, channelTypes);
  let { hash: configHash = '' } = read;
  const renderer = createRenderer({
    display: config.display,
    builtInTemplates,
    templatesFolder: config.templates,
    placeInConfig: read.placeInConfig,
    formats: [...new Set(formats.values())],
    readOwn: (folder, names) => {
      const own = readings.folder(folder, 'templates of', (path) => readTemplateFolder(path, names));
      configHash = hash('sha256', configHash + fingerprintOf(own), 'hex');
      return own;
    },
  });
  const ofTemplates = await renderer.check(targetsOf(config, formats));
  const warnings = inFileOrder([...problems, ...ofTemplates]);
  const hasErrors = warnings.some(({ severity }) => severity === 'error');
  const loaded = { config, configHash, text: read.text ?? '', renderer, readings, warnings };
  return { loaded: hasErrors ? undefined : loaded, problems: warnings, readings, missing };
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
