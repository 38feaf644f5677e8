/** Reads the sections of a config in the order in which they need each other, and puts them together. */
import { readdirSync } from 'node:fs';
import type { ChannelType } from '../../channels/channel.ts';
import { emptySectionAbove } from '../check/belonging.ts';
import { checkChannels, type KnownChannel } from '../check/check-channels.ts';
import { checkSection, unknownKey } from '../check/check-section.ts';
import { checkTogether, warnOfUnused } from '../check/check-together.ts';
import type { Config, DeliveryConfig } from '../config.ts';
import type { Findings } from '../findings.ts';
import { reasonOf, type Interpolated } from './interpolate.ts';
import { readGroups, type Directory } from './read-groups.ts';
import { readAlerts } from './read-notify.ts';
import { readDefaultRoute, readRoutes } from './read-routes.ts';
import { adminOf, deliveryOf, displayOf, receiverOf, storeOf } from './read-settings.ts';
import {
  adminSchema,
  deliverySchema,
  displaySchema,
  receiverSchema,
  rootSchema,
  storeSchema,
  templatesSchema,
} from '../schema/schema.ts';
import { secretsIn } from '../secrets.ts';

export interface ReadEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Folder of the built-in template sets. */
  readonly builtInTemplates: string;
  /** Names of the folders in a folder. @throws when it is none */
  readonly readFolders?: (path: string) => string[];
}

interface Reading {
  readonly file: string;
  readonly interpolated: Interpolated;
  readonly findings: Findings;
  readonly environment: ReadEnvironment;
}

type Root = Readonly<Record<string, unknown>>;

/** Undefined, with errors in the findings, where anything is wrong. */
export function readConfig(reading: Reading): Config | undefined {
  const { file, interpolated, findings, environment } = reading;
  const root = interpolated.data as Root;
  reportUnknownSections(root, findings);
  const channels = checkChannels(root['channels'], environment.channelTypes, findings);
  const directory = readGroups(root['groups'], channels, findings);
  const settings = readSettings(root, directory, findings);
  const routing = readRouting(root, directory, reading);
  checkTogether(settings, findings);
  // What is wrong elsewhere may have been meant to use it.
  if (!findings.hasErrors() && !findings.hasUnknown()) warnOfUnused(directory, findings);
  const { receiver, admin, store, delivery, display } = settings;
  if (findings.hasErrors() || !receiver || !store || !delivery || !display) return undefined;
  const channelConfigs = configsOf(channels);
  const holders = { receiver, admin, store, channels: [...channelConfigs.values()] };
  const secrets = secretsIn(holders, environment.channelTypes, interpolated.values);
  return { file, receiver, admin, store, delivery, display, ...routing, channels: channelConfigs, secrets };
}

function reportUnknownSections(root: Root, findings: Findings): void {
  const known = Object.keys(rootSchema.fields);
  for (const key of Object.keys(root)) {
    if (known.includes(key)) continue;
    const above = emptySectionAbove(key, root);
    const message =
      above === undefined
        ? unknownKey(key, [], known)
        : `unknown key ${JSON.stringify(key)} at the top level: if it belongs to ${above}, which is empty, indent it`;
    findings.errorAtKey([key], message);
  }
}

/** An empty section (all of it commented out) is one that is not there: it has its defaults. */
function readSettings(root: Root, directory: Directory, findings: Findings) {
  const receiver = checkSection(receiverSchema, root['receiver'] ?? {}, ['receiver'], findings);
  const admin = checkSection(adminSchema, root['admin'] ?? {}, ['admin'], findings);
  const store = checkSection(storeSchema, root['store'] ?? {}, ['store'], findings);
  const display = checkSection(displaySchema, root['display'] ?? {}, ['display'], findings);
  return {
    receiver: receiver && receiverOf(receiver),
    admin: admin && adminOf(admin),
    store: store && storeOf(store),
    delivery: readDelivery(root, directory, findings),
    display: display && displayOf(display),
  };
}

function readDelivery(root: Root, directory: Directory, findings: Findings): DeliveryConfig | undefined {
  const section = checkSection(deliverySchema, root['delivery'] ?? {}, ['delivery'], findings);
  return (
    section && deliveryOf(section, readAlerts(section.alerts, ['delivery', 'alerts'], directory, findings))
  );
}

function readRouting(root: Root, directory: Directory, reading: Reading) {
  const { findings } = reading;
  const { templates, templateSets } = readTemplates(root['templates'], reading);
  const context = { directory, templateSets, findings };
  if (isAbsent(root['routes']) && isAbsent(root['default_route'])) {
    findings.error([], 'nobody would ever be told: add routes, or a default_route');
  }
  const routes = readRoutes(root['routes'], context);
  return { templates, routes, defaultRoute: readDefaultRoute(root['default_route'], context) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function readTemplates(value: unknown, { findings, environment }: Reading) {
  const readFolders = environment.readFolders ?? foldersIn;
  const builtIn = readFolders(environment.builtInTemplates);
  const templates =
    value === undefined ? undefined : checkSection(templatesSchema, value, ['templates'], findings);
  if (templates === undefined) return { templates, templateSets: builtIn };
  try {
    return { templates, templateSets: [...new Set([...builtIn, ...readFolders(templates)])] };
  } catch (error) {
    const shown = findings.isInterpolated(['templates']) ? '' : ` (${templates})`;
    findings.error(['templates'], `the folder of templates${shown} cannot be read: ${reasonOf(error)}`);
    return { templates, templateSets: builtIn };
  }
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function configsOf(channels: ReadonlyMap<string, KnownChannel>): Config['channels'] {
  const configs = [...channels.values()].flatMap(({ config }) => config ?? []);
  return new Map(configs.map((config) => [config.name, config]));
}
