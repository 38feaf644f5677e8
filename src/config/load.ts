/** Reads a config file: everything that is wrong with it at once, or a Config that nothing is wrong with. */
import { hash } from 'node:crypto';
import type { Schema } from 'yup';
import { isLongEnough } from '../text/hide-secrets.ts';
import { NotUtf8, readText } from '../text/read-text.ts';
import {
  adminOf,
  type Config,
  deliveryOf,
  heartbeatOf,
  type PlaceInConfig,
  type Problem,
  receiverOf,
  storeOf,
} from './config.ts';
import { Problems } from './problems.ts';
import { Interpolated, reasonOf } from './interpolate.ts';
import { pathText } from './path.ts';
import { isJsonObject } from '../text/json-object.ts';
import { YamlSource } from './yaml/yaml-source.ts';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChannelType } from '../channels/channel.ts';
import { checkSection, unknownKey } from './check-section.ts';
import { checkChannels } from './check-channels.ts';
import { checkTogether, warnOfUnused } from './check-together.ts';
import { secretsIn } from './secrets.ts';
import { shownConfig } from './shown-config.ts';
import { readGroups, type Directory } from './read-destinations.ts';
import { readProxies } from './read-proxies.ts';
import { readAlerts, readDefaultRoute, readRoutes } from './read-routes.ts';
import {
  adminSchema,
  deliverySchema,
  displaySchema,
  heartbeatSchema,
  receiverSchema,
  rootSchema,
  storeSchema,
  templatesSchema,
} from './schema.ts';

interface LoadEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Folder of the built-in template sets. */
  readonly builtInTemplates: string;
  /** Names of the folders in a folder. @throws when it is none */
  readonly readFolders?: (path: string) => string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** As UTF-8. @throws when the file cannot be read */
  readonly readFile?: (path: string) => string;
  /** For a check where no variable is set: what they would give is taken for granted. */
  readonly withoutSecrets?: boolean;
}

export interface LoadedConfig {
  /** Undefined when there is an error among the problems. */
  readonly config?: Config;
  /** Of the file, there with the config: the same for the same text. */
  readonly hash?: string;
  /** There with the config: all of it as YAML, with its defaults and without any secret. */
  readonly text?: string;
  /** There with the config. */
  readonly placeInConfig?: PlaceInConfig;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Without secrets: the variables and files that were taken for granted. */
  readonly missing?: readonly string[];
  /** Of these, what `store.url` needs: without it, the config has another one, the default. */
  readonly missingOfStore?: readonly string[];
}

/**
 * Never throws for what a file may hold. Paths in the config are relative to the working directory; the file is read
 * where `file` says, and named in problems as given.
 */
export function loadConfig(file: string, environment: LoadEnvironment): LoadedConfig {
  const readFile = environment.readFile ?? readText;
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    const hint =
      error instanceof NotUtf8
        ? ''
        : '; name another with --config or BOTBELL_CONFIG, or write one with `botbell init`';
    return { problems: [problemOfFile(file, `the config file cannot be read: ${reasonOf(error)}${hint}`)] };
  }
  const { source, problems: ofText } = YamlSource.parse(file, text);
  if (source.data === undefined) return { problems: ofText };
  if (!isJsonObject(source.data))
    return { problems: [...ofText, problemOfFile(file, shapeProblem(source.data))] };
  const { variables, withoutSecrets = false } = environment;
  const interpolated = new Interpolated(source.data, { variables, readFile, withoutSecrets });
  const problems = new Problems(source, interpolated, ofText);
  const { config, text: shown } = readConfig({ file, interpolated, problems, environment });
  const found = problems.inOrder();
  const missing = [...new Set(interpolated.missing.map(({ reference }) => reference))];
  if (config === undefined || shown === undefined) return { problems: found, missing };
  const placeInConfig: PlaceInConfig = (...place) => problems.placeInString(...place);
  const missingOfStore = interpolated.missing
    .filter(({ path }) => pathText(path) === 'store.url')
    .map(({ reference }) => reference);
  const digest = hash('sha256', text, 'hex');
  return { config, hash: digest, text: shown, placeInConfig, problems: found, missing, missingOfStore };
}

function shapeProblem(data: unknown): string {
  const hint = 'see config/botbell.example.yaml, or have one written by `botbell init`';
  return data === null
    ? `the config file is empty: ${hint}`
    : `the config must be a map of keys and values: ${hint}`;
}

function problemOfFile(file: string, message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message, severity: 'error' };
}

interface Reading {
  readonly file: string;
  readonly interpolated: Interpolated;
  readonly problems: Problems;
  readonly environment: LoadEnvironment;
}

type Root = Readonly<Record<string, unknown>>;

/** Empty, with errors in the problems, where anything is wrong. */
function readConfig(reading: Reading): { readonly config?: Config; readonly text?: string } {
  const { file, interpolated, problems, environment } = reading;
  const root = interpolated.data as Root;
  reportUnknownSections(root, problems);
  const channels = checkChannels(root['channels'], environment.channelTypes, problems);
  const directory = readGroups(root['groups'], channels, problems);
  const sections = readSections(root, problems);
  const settings = settingsOf(sections, directory, problems);
  const routing = readRouting(root, directory, reading);
  const { variables, withoutSecrets = false } = environment;
  // Where it is only checked, the environment is another one.
  const proxies = readProxies(root['proxy'], withoutSecrets ? {} : variables, problems);
  checkTogether(settings, problems);
  // What is wrong elsewhere may have been meant to use it.
  if (!problems.hasErrors() && interpolated.unresolved.size === 0) warnOfUnused(directory, problems);
  const { receiver, admin, store, delivery, display, heartbeat } = settings;
  if (problems.hasErrors() || !receiver || !store || !delivery || !display) return {};
  const configs = [...channels.values()].flatMap(({ config }) => config ?? []);
  const checked = {
    file,
    receiver,
    admin,
    store,
    delivery,
    display,
    heartbeat,
    proxies,
    ...routing,
    channels: new Map(configs.map((config) => [config.name, config])),
  };
  const secrets = secretsIn(checked, environment.channelTypes);
  const text = shownConfig({ ...sections, ...root, ...sections }, secrets);
  return { config: { ...checked, secrets: secrets.filter(isLongEnough) }, text };
}

function reportUnknownSections(root: Root, problems: Problems): void {
  const known = Object.keys(rootSchema.fields);
  for (const key of Object.keys(root))
    if (!known.includes(key)) problems.errorAtKey([key], unknownKey(key, [], known));
}

/** An empty section (all of it commented out) is one that is not there: it has its defaults. */
function readSections(root: Root, problems: Problems) {
  const read = <T>(name: string, schema: Schema<T>) =>
    checkSection(schema, root[name] ?? {}, [name], problems);
  return {
    receiver: read('receiver', receiverSchema),
    admin: read('admin', adminSchema),
    store: read('store', storeSchema),
    delivery: read('delivery', deliverySchema),
    display: read('display', displaySchema),
    heartbeat: read('heartbeat', heartbeatSchema),
  };
}

function settingsOf(
  { receiver, admin, store, delivery, display, heartbeat }: ReturnType<typeof readSections>,
  directory: Directory,
  problems: Problems,
) {
  return {
    receiver: receiver && receiverOf(receiver),
    admin: admin && adminOf(admin),
    store: store && storeOf(store),
    delivery: delivery && deliveryOf(delivery, readAlerts(delivery.alerts, directory, problems)),
    display,
    heartbeat: heartbeat && heartbeatOf(heartbeat),
  };
}

function readRouting(root: Root, directory: Directory, reading: Reading) {
  const { problems } = reading;
  const { templates, templateSets } = readTemplates(root['templates'], reading);
  const context = { directory, templateSets, problems };
  if (isAbsent(root['routes']) && isAbsent(root['default_route']))
    problems.errorInValue([], 'nobody would ever be told: add routes, or a default_route');
  const routes = readRoutes(root['routes'], context);
  return { templates, routes, defaultRoute: readDefaultRoute(root['default_route'], context) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function readTemplates(value: unknown, { problems, environment }: Reading) {
  const readFolders = environment.readFolders ?? foldersIn;
  const builtIn = readFolders(environment.builtInTemplates);
  const templates =
    value === undefined ? undefined : checkSection(templatesSchema, value, ['templates'], problems);
  if (templates === undefined) return { templates, templateSets: builtIn };
  try {
    return { templates, templateSets: [...new Set([...builtIn, ...readFolders(templates)])] };
  } catch (error) {
    const shown = problems.isInterpolated(['templates']) ? '' : ` (${templates})`;
    problems.errorInValue(
      ['templates'],
      `the folder of templates${shown} cannot be read: ${reasonOf(error)}`,
    );
    return { templates, templateSets: builtIn };
  }
}

/** Also those that a symbolic link leads to, as Kubernetes mounts a config map. @throws when it is none */
export function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => isFolder(entry, path)).map(({ name }) => name);
}

function isFolder(entry: Dirent, parent: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = statSync(join(parent, entry.name), { throwIfNoEntry: false });
  return target?.isDirectory() === true && !entry.name.startsWith('.');
}
