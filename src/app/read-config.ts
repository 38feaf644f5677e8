/** Reads and checks the config with its templates, at the start and at each reload. */
import { hash } from 'node:crypto';
import type { ChannelType } from '../channels/channel.ts';
import { type Config, formatsOf, type Problem } from '../config/config.ts';
import { type LoadedConfig as LoadedFile, type LoadEnvironment, loadConfig } from '../config/load.ts';
import { pathText } from '../config/path.ts';
import { inFileOrder } from '../config/problems.ts';
import { Readings } from '../config/readings.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { conditionFault } from '../render/condition.ts';
import { linkFault } from '../render/links.ts';
import { Renderer } from '../render/renderer.ts';
import { fingerprintOf, NO_FOLDER, readTemplateFolder } from '../render/template-folder.ts';
import { routesOf, toldBesides, toldLater } from '../route/router.ts';
import { foldersIn, readBytes, readText } from '../text/read-text.ts';
import type { UsableConfig } from './settings.ts';

export interface ConfigToRead {
  readonly file: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Of calendars that were read before, by path. */
  readonly datesOfFiles?: Config['calendars']['files'];
  /** Missing variables and files are no errors but listed in `missing`: only for `check`. */
  readonly withoutSecrets?: boolean;
}

export interface ConfigReading {
  /** Undefined when one of the problems is an error. */
  readonly loaded: UsableConfig | undefined;
  readonly problems: readonly Problem[];
  readonly readings: Readings;
  readonly missing: readonly string[];
}

/** @param running its calendars keep the days of files that cannot be read any more */
export type ReadAgain = (running: Pick<Config, 'calendars'>) => Promise<ConfigReading>;

/** Yields to the event loop, as checking many templates takes 100 ms. Invalid files are problems in the result, not a rejection. */
export async function readConfig(toRead: ConfigToRead): Promise<ConfigReading> {
  const readings = new Readings();
  const found = await readConfigFile({ ...toRead, conditionFault, linkFault }, readings);
  const { config, source, problems, missing = [], hash: ofFile = '' } = found;
  if (config === undefined) return { loaded: undefined, problems, missing, readings };
  const formats = formatsOf(config, toRead.channelTypes);
  const used = [...formats.values()];
  const { templates: folder, display } = config;
  const own = folder === undefined ? NO_FOLDER : await readings.take(() => readTemplateFolder(folder, used));
  const days = [...config.calendars.named.values()].map(({ calendar }) => calendar.key);
  const parts = [fingerprintOf(own) ?? '', ...days].join('');
  const configHash = parts === '' ? ofFile : hash('sha256', ofFile + parts, 'hex');
  const builtIn = await readTemplateFolder(BUILT_IN_TEMPLATES, used);
  const renderer = new Renderer({ display, builtIn, own, source });
  const ofTemplates = await renderer.check(targetsOf(config, formats));
  const warnings = inFileOrder([...problems, ...ofTemplates]);
  const hasErrors = warnings.some(({ severity }) => severity === 'error');
  const loaded = { config, configHash, renderer, readings, warnings };
  return { loaded: hasErrors ? undefined : loaded, problems: warnings, readings, missing };
}

/** Reads the config without its templates. */
export async function readConfigFile(
  { file, ...environment }: ConfigToRead & Pick<LoadEnvironment, 'conditionFault' | 'linkFault'>,
  readings = new Readings(),
): Promise<LoadedFile> {
  // Not watched: the built-in templates do not change while the program runs.
  const builtInSets = await foldersIn(BUILT_IN_TEMPLATES);
  return readings.ahead((readAhead) =>
    loadConfig(file, {
      ...environment,
      builtInSets,
      now: Date.now(),
      readFile: (path) => readAhead(`file ${path}`, () => readText(path)),
      readBytes: (path) => readAhead(`bytes ${path}`, () => readBytes(path)),
      readFolders: (path) => readAhead(`folder ${path}`, () => foldersIn(path)),
    }),
  );
}

/** The pairs of a format and a template set that notices can need, without duplicates. */
function targetsOf(config: Config, formats: ReturnType<typeof formatsOf>) {
  const routed = routesOf(config).map((route) => ({
    notify: [...route.notify, ...toldLater(route)],
    templateSet: route.templateSet,
  }));
  const targets = [...routed, { notify: toldBesides(config), templateSet: undefined }].flatMap(
    ({ notify, templateSet }) =>
      notify.flatMap(({ channel, destination }) => {
        const format = formats.get(channel);
        return format === undefined ? [] : [{ format, templateSet, destination }];
      }),
  );
  const keyOf = ({ format, templateSet, destination }: (typeof targets)[number]) =>
    `${format.name}/${templateSet} ${pathText(format.templateAt?.(destination)?.path ?? [])}`;
  return new Map(targets.map((each) => [keyOf(each), each])).values();
}
