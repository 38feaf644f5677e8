/** Reads a config file into a checked Config, or reports all of its problems at once. */
import { hash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { budgetOf, type Config, type Problem, reportsOf, settingsOf } from './config.ts';
import { Problems } from './problems.ts';
import { parsePath } from './path.ts';
import type { Known } from './schema/form.ts';
import { Interpolated, type MissingReference } from './read/interpolate.ts';
import { type Fault, unreadable } from '../text/fault.ts';
import { isJsonObject, type JsonObject } from '../text/json.ts';
import { YamlSource } from './yaml-source.ts';
import type { ChannelType } from '../channels/channel.ts';
import { readSection } from './read/section.ts';
import { checkChannels } from './read/channels.ts';
import { checkRoutes, checkSettings, warnOfCalendars } from './read/cross-checks.ts';
import { secretsIn } from './read/secrets.ts';
import { type CalendarReading, readCalendars } from './read/calendars.ts';
import { readProxies } from './read/proxies.ts';
import { NotifyReader } from './read/notify.ts';
import { DEFAULT_ROUTE, routeNames, routeOf } from './read/sections.ts';
import type { Language } from '../time/display.ts';
import { LANGUAGES, rootSchema, type RootSection } from './schema/schema.ts';
import { fault } from './words.ts';

export interface LoadEnvironment extends Omit<CalendarReading, 'whole'> {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly builtInSets: readonly string[];
  /** @returns the names of the folders in `path`. @throws when `path` is no folder */
  readonly readFolders: (path: string) => string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly conditionFault?: Known['conditionFault'];
  readonly linkFault?: Known['linkFault'];
  /** Reads a file as UTF-8. @throws when the file cannot be read */
  readonly readFile: (path: string) => string;
  /** Milliseconds since 1970: a calendar that ends soon is warned of. */
  readonly now: number;
  /** For a check on a machine without the config's secrets: accepts references to unset variables and unreadable files. */
  readonly withoutSecrets?: boolean;
}

/** The environment, with the function that gives the whole path of what the config names. */
type Around = LoadEnvironment & Pick<CalendarReading, 'whole'>;

export type Draft = Omit<Config, 'secrets'>;

export interface LoadedConfig {
  /** Undefined when there is an error among the problems. */
  readonly config?: Config;
  /** The sound part of the config, whatever else is wrong, by which templates are checked, too. Undefined: the file is no YAML map that can be read. */
  readonly draft?: Draft;
  /** Undefined: the file does not say it. */
  readonly language?: Language | undefined;
  /** SHA-256 of the file's text, and of what the environment or files put into it apart from secrets, in hexadecimal; present with `config`. */
  readonly hash?: string;
  /** Present with `draft`. */
  readonly source?: YamlSource;
  readonly problems: readonly Problem[];
  readonly missing?: readonly MissingReference[];
}

/**
 * Never throws for any content of the file. Paths in the file are relative to its folder.
 * @param file the path to read, which problems show as given
 */
export function loadConfig(file: string, environment: LoadEnvironment): LoadedConfig {
  let text: string;
  try {
    text = environment.readFile(file);
  } catch (error) {
    return refused(file, fault('config.unread', { why: unreadable(error) }));
  }
  const source = new YamlSource(file, text, 'as written');
  if (source.data === undefined)
    return { problems: source.problems, language: languageOf(source.scalarAt(['display', 'language'])) };
  if (!isJsonObject(source.data)) return refused(file, fault('config.no map'));
  const around = { ...environment, whole: (path: string) => resolve(dirname(file), path) };
  const interpolated = new Interpolated(sectionsOf(source.data), around);
  const problems = new Problems(source, interpolated);
  const draft = readConfig(file, interpolated.data as JsonObject, problems, around);
  const { display } = interpolated.data as JsonObject;
  const language = languageOf(isJsonObject(display) ? display['language'] : undefined);
  const secrets = () => secretsIn(draft, environment.channelTypes, interpolated.values);
  const config = problems.hasErrors() ? undefined : { ...draft, secrets: secrets() };
  return {
    ...(config && { config, hash: hash('sha256', text + putIn(interpolated), 'hex') }),
    draft,
    source,
    language: config?.display.language ?? language,
    problems: problems.inOrder(),
    missing: interpolated.missing,
  };
}

const WITH_SECRETS = new Set(['receiver', 'admin', 'store', 'heartbeat', 'proxy', 'channels']);

/** What decides who is told though the file does not say it: processes of different environments run different configs. */
function putIn({ values }: Interpolated): string {
  const put = [...values].filter(([place]) => !WITH_SECRETS.has(String(parsePath(place)[0])));
  return put.length === 0 ? '' : JSON.stringify(put);
}

function languageOf(written: unknown): Language | undefined {
  return LANGUAGES.find((each) => each === written);
}

function refused(file: string, what: Fault): LoadedConfig {
  return { problems: [{ place: { file, line: 1, column: 1 }, fault: what, severity: 'error' }] };
}

function readConfig(file: string, data: JsonObject, problems: Problems, around: Around): Draft {
  const { variables, withoutSecrets, now, whole } = around;
  const { channels, calendars, reader, ...parts } = readParts(data, problems, around);
  const sections = soundOf(parts.sections, problems);
  // With `withoutSecrets`, the config will run in another environment: ignore the proxy variables of this one.
  const proxies = readProxies(sections.proxy, withoutSecrets ? {} : variables, problems);
  const { templates, default_route: last, delivery, display } = sections;
  const settings = settingsOf(sections, delivery.alerts?.told ?? []);
  const { routes, paths } = soundRoutes(sections, problems);
  const names = routeNames(routes);
  const draft = {
    file,
    ...settings,
    proxies,
    templates: templates && whole(templates),
    channels: new Map(
      [...channels].flatMap(([name, channel]) => (channel?.config ? [[name, channel.config]] : [])),
    ),
    calendars,
    digests: reader.digests,
    reports: reportsOf(sections),
    budget: budgetOf(sections),
    routes: routes.map((section, index) => routeOf(section, names[index] ?? '', display.timezone)),
    defaultRoute: last && routeOf(last, DEFAULT_ROUTE, display.timezone),
  };
  checkSettings(settings, problems);
  checkRoutes(draft, paths, problems, now);
  warnOfCalendars(draft, problems, now);
  return draft;
}

/** What has errors counts as missing: in a section of settings the keys that have errors, else the whole section. */
function soundOf(sections: RootSection, problems: Problems): RootSection {
  if (!problems.hasErrors()) return sections;
  const defaults = rootSchema.cast({});
  const sound = Object.entries(sections).flatMap(([name, section]) => {
    if (name === 'routes' || !problems.hasErrors([name])) return [[name, section]];
    const missing: unknown = defaults[name as keyof RootSection];
    if (!isJsonObject(missing) || !isJsonObject(section)) return [];
    const keys = Object.entries(section).filter(([key]) => !problems.hasErrors([`${name}.${key}`]));
    return [[name, { ...missing, ...Object.fromEntries(keys) }]];
  });
  return { ...defaults, ...(Object.fromEntries(sound) as Partial<RootSection>) };
}

/** The routes without errors, and the path of each. */
function soundRoutes({ routes }: RootSection, problems: Problems) {
  const all = Array.isArray(routes) ? routes.map((route, index) => ({ route, index })) : [];
  const sound = all.filter(({ index }) => !problems.hasErrors([`routes[${index}]`]));
  return { routes: sound.map(({ route }) => route), paths: sound.map(({ index }) => ['routes', index]) };
}

/** Reads first what other parts name: channels, calendars and groups. */
function readParts(root: JsonObject, problems: Problems, around: Around) {
  const { channelTypes, conditionFault, linkFault } = around;
  const channels = checkChannels(root['channels'], channelTypes, problems, conditionFault);
  const calendars = readCalendars(root['calendars'], problems, around);
  const reader = new NotifyReader(root['groups'], channels, calendars, problems);
  const known: Known = {
    groups: [...reader.groups.keys()],
    calendars: calendars.named,
    templateSets: readTemplateSets(root['templates'], problems, around),
    conditionFault,
    linkFault,
    readNotify: (list, path) => reader.readNotify(list, path),
  };
  const sections = readSection(rootSchema, root, [], { problems, known }).read;
  return { channels, calendars, reader, sections };
}

/** Leaves out keys that begin with `x-`, which are there for their anchors, and empty sections, whose lines may all be comments. */
function sectionsOf(root: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(root).filter(([key, section]) => !key.startsWith('x-') && section !== null),
  );
}

function readTemplateSets(
  folder: unknown,
  problems: Problems,
  { readFolders, builtInSets, whole }: Around,
): readonly string[] | undefined {
  if (typeof folder !== 'string' || folder === '') return builtInSets;
  const file = whole(folder);
  try {
    return [...new Set([...builtInSets, ...readFolders(file)])];
  } catch (error) {
    problems.error(['templates'], fault('path.unread', { why: unreadable(error), file }));
    return undefined;
  }
}
