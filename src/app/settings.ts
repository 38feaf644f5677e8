/** Reads and checks the config with its templates, at the start and at each reload, and makes it into settings with its channels opened. */
import { hash } from 'node:crypto';
import { poolsThrough } from '../outbound/exchange.ts';
import { type HiddenSecrets, redactor } from '../text/hide-secrets.ts';
import type { Channel, ChannelType } from '../channels/channel.ts';
import { type Config, formatsOf, type Problem } from '../config/config.ts';
import { Readings } from '../config/readings.ts';
import { createPlans } from '../deliver/plan.ts';
import { changedChannels, type OpenChannel, type Planning, type Settings } from '../deliver/settings.ts';
import { noticeOf } from '../notice/notice.ts';
import { meetsCondition, conditionFault } from '../render/condition.ts';
import { Renderer, type TemplateFailure } from '../render/renderer.ts';
import { createRouter, destinationsOf, routesOf, ownNoticeTargets, stepTargets } from '../route/router.ts';
import {
  type LoadedConfig as LoadedFile,
  type Draft,
  type LoadEnvironment,
  loadConfig,
} from '../config/load.ts';
import { pathText } from '../config/path.ts';
import { inFileOrder, problemInWords } from '../config/problems.ts';
import type { MissingReference } from '../config/read/interpolate.ts';
import { BUILT_IN_TEMPLATES } from '../package-files.ts';
import { linkFault } from '../render/links.ts';
import { fingerprintOf, NO_FOLDER, readTemplateFolder } from '../render/template-folder.ts';
import { isJsonObject } from '../text/json.ts';
import { foldersIn, readBytes, readText } from '../text/read-text.ts';
import type { Language } from '../time/display.ts';

export interface UsableConfig {
  readonly config: Config;
  /** Problems that do not keep the config from running. */
  readonly warnings: readonly Problem[];
  readonly readings: Readings;
  /** Hash of the config and its own templates: processes with equal configs have equal hashes. */
  readonly configHash: string;
  /** Has the config's templates, checked. */
  readonly renderer: Renderer;
}

/** The parts that no reload changes. */
export interface SettingsEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly print: (text: string) => void;
  readonly onTemplateError: (failure: TemplateFailure) => void;
  /** The secrets of every config that has run. */
  readonly secrets: HiddenSecrets;
}

export interface AppSettings extends Settings, UsableConfig {
  /** Takes the secrets of every config that has run out of a text, and leaves the rest as it is. */
  readonly hide: (text: string) => string;
}

/**
 * @param previous its channels that have not changed are shared
 * @throws {Error} a channel cannot be opened; channels opened by this call are closed again
 */
export async function openSettings(
  loaded: UsableConfig,
  environment: SettingsEnvironment,
  previous?: AppSettings,
): Promise<AppSettings> {
  const { config, renderer } = loaded;
  const { channelTypes, secrets } = environment;
  // Errors from here on may repeat these secrets.
  secrets.add(config.secrets);
  const channels = await openChannels(config, environment, previous);
  const formats = formatsOf(config, channelTypes);
  return {
    ...loaded,
    ...planningOf(loaded),
    channels,
    compose: ({ notice, channel, destination, templateSet, options }) => {
      const format = formats.get(channel);
      if (format === undefined) throw new Error(`the config has no channel "${channel}"`);
      return renderer.render(
        notice,
        { format, destination, templateSet, options },
        environment.onTemplateError,
      );
    },
    meets: (condition, checked) =>
      renderer.holds(condition, noticeOf(checked, 1), environment.onTemplateError),
    redact: redactor(secrets.hide),
    hide: secrets.hide,
  };
}

/** The part of the settings that needs no open channel. */
export function planningOf({ config, configHash }: Pick<UsableConfig, 'config' | 'configHash'>): Planning {
  const router = createRouter(config.routes, config.defaultRoute);
  return {
    config,
    configHash,
    router,
    planFor: createPlans(config, router),
    destinations: destinationsOf(config),
  };
}

/** Opens only channels that some destination uses, so that no other channel's client library is loaded. */
async function openChannels(
  config: Config,
  { channelTypes, print }: SettingsEnvironment,
  previous: AppSettings | undefined,
): Promise<Settings['channels']> {
  const used = new Set([...destinationsOf(config).values()].map(({ channel }) => channel));
  const changed = previous === undefined ? [] : changedChannels(previous, { config });
  const openPool = poolsThrough(config.proxies);
  const channels = new Map<string, OpenChannel>();
  const opened: Channel[] = [];
  try {
    for (const each of config.channels.values()) {
      const type = channelTypes.get(each.type);
      if (type === undefined || !used.has(each.name)) continue;
      let channel = changed.includes(each.name) ? undefined : previous?.channels.get(each.name)?.channel;
      if (channel === undefined) {
        channel = await type.open(each.settings, { print, openPool, meetsCondition });
        opened.push(channel);
      }
      const mark = hash('sha256', JSON.stringify(each.settings), 'hex').slice(0, 2);
      channels.set(each.name, { channel, pace: { ...type.pace, mark } });
    }
  } catch (error) {
    await Promise.allSettled(opened.map((channel) => channel.close()));
    throw error;
  }
  return channels;
}

export interface ConfigToRead {
  readonly file: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** The dates in calendar files that were read before, by path. */
  readonly datesOfFiles?: LoadEnvironment['datesOfFiles'];
  /** Missing variables and files are no errors but listed in `missing`: only for `check`. */
  readonly withoutSecrets?: boolean;
}

export interface ConfigReading {
  /** Undefined when one of the problems is an error. */
  readonly loaded: UsableConfig | undefined;
  readonly problems: readonly Problem[];
  readonly readings: Readings;
  readonly missing: readonly MissingReference[];
  /** The language that the file sets; undefined: it sets none. */
  readonly language?: Language | undefined;
}

/** @param running its calendars supply the days of files that cannot be read any more */
export type ReadAgain = (running: Pick<Config, 'calendars'>) => Promise<ConfigReading>;

/** Yields to the event loop, as checking many templates takes 100 ms. Invalid files are problems in the result, not a rejection. */
export async function readConfig(toRead: ConfigToRead): Promise<ConfigReading> {
  const readings = new Readings();
  const found = await readConfigFile({ ...toRead, conditionFault, linkFault }, readings);
  const { config, draft, source, problems, missing = [], hash: ofFile = '', language } = found;
  if (draft === undefined) return { loaded: undefined, problems, missing, readings, language };
  const formats = formatsOf(draft, toRead.channelTypes);
  const used = [...formats.values()];
  const { templates: folder, display } = draft;
  const own = folder === undefined ? NO_FOLDER : await readings.take(() => readTemplateFolder(folder, used));
  const days = [...draft.calendars.named.values()].map(({ calendar }) => calendar.key);
  const parts = [fingerprintOf(own) ?? '', ...days].join('');
  const configHash = parts === '' ? ofFile : hash('sha256', ofFile + parts, 'hex');
  const builtIn = await readTemplateFolder(BUILT_IN_TEMPLATES, used);
  // No fault of the config's, which is to be read again although its files stay the same.
  const [unread] = builtIn.problems;
  if (unread !== undefined) throw new Error(problemInWords(unread, 'en'));
  const renderer = new Renderer({ display, builtIn, own, source });
  const ofTemplates = await renderer.check([
    ...targetsOf(draft, formats),
    // If routes have errors, it is not known which channel uses which of their template sets, or which of its hooks.
    ...(config === undefined ? plainTargets(draft, formats, source?.data) : []),
  ]);
  const all = inFileOrder([...problems, ...ofTemplates]);
  const canRun = config !== undefined && ofTemplates.every(({ severity }) => severity === 'warning');
  const loaded = canRun ? { config, configHash, renderer, readings, warnings: all } : undefined;
  return { loaded, problems: all, readings, missing, language };
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

/** @param data the config as it is written */
function plainTargets({ channels }: Draft, formats: ReturnType<typeof formatsOf>, data: unknown) {
  const { routes, default_route } = isJsonObject(data) ? data : {};
  const written = [...(Array.isArray(routes) ? (routes as unknown[]) : []), default_route];
  const named = written.map((route) => (isJsonObject(route) ? route['template_set'] : undefined));
  const sets = new Set([undefined, ...named.filter((name) => typeof name === 'string')]);
  return [...sets].flatMap((templateSet) =>
    [...formats].flatMap(([channel, format]) => {
      const { hooks = {} } = (channels.get(channel)?.settings ?? {}) as { readonly hooks?: object };
      const names = ['', ...Object.keys(hooks)];
      return names.map((name) => ({ format, templateSet, destination: `${channel}:${name}` }));
    }),
  );
}

/** The pairs of a format and a template set that notices can need, without duplicates. */
function targetsOf(config: Draft, formats: ReturnType<typeof formatsOf>) {
  const routed = routesOf(config).map((route) => ({
    notify: [...route.notify, ...stepTargets(route)],
    templateSet: route.templateSet,
  }));
  const targets = [...routed, { notify: ownNoticeTargets(config), templateSet: undefined }].flatMap(
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
