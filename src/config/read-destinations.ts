/** Reads whom the config may have told: addresses on channels, with options, and `groups` of them. */
import { AddressError } from '../channels/channel.ts';
import type { KnownChannel } from './check-channels.ts';
import { checkSection, unknownKey } from './check-section.ts';
import type { Destination } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import { FOREIGN_QUOTES, isInForeignQuotes, nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import { pathText, type Path } from './path.ts';
import { notText } from './schema-fields.ts';
import { isJsonObject } from '../text/json-object.ts';

export type Channels = ReadonlyMap<string, KnownChannel>;

/** A destination and where its address stands. */
export interface LocatedDestination {
  readonly destination: Destination;
  readonly path: Path;
}

/** A map as one finds it in the file, its channel found. */
interface Entry {
  readonly channel: KnownChannel;
  readonly path: Path;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Empty, with errors in `problems`, where no address can be told from it. */
export function readDestinations(
  values: Readonly<Record<string, unknown>>,
  path: Path,
  channels: Channels,
  problems: Problems,
): LocatedDestination[] {
  const channel = findChannel(values, path, channels, problems);
  if (!channel) return [];
  const entry = { channel, path, values };
  const options = readOptions(entry, problems);
  return readAddresses(entry, channels, problems).map(({ address, path: addressPath }) => ({
    destination: { key: `${channel.name}:${address}`, channel: channel.name, address, options },
    path: addressPath,
  }));
}

function findChannel(
  values: Readonly<Record<string, unknown>>,
  path: Path,
  channels: Channels,
  problems: Problems,
): KnownChannel | undefined {
  const keys = Object.keys(values);
  const named = keys.filter((key) => channels.has(key));
  const [name] = named;
  if (name === undefined) {
    reportNoChannel(keys, path, channels, problems);
    return undefined;
  }
  if (named.length === 1) return channels.get(name);
  problems.error(
    path,
    `${pathText(path)} names ${named.length} channels (${named.join(', ')}): make it an entry each`,
  );
  return undefined;
}

/** The first key that is no option is probably meant to be the channel. */
function reportNoChannel(keys: readonly string[], path: Path, channels: Channels, problems: Problems): void {
  const options = new Set([...channels.values()].flatMap(({ type }) => Object.keys(type?.options ?? {})));
  const meant = keys.find((key) => !options.has(key));
  const known = [...channels.keys()];
  if (known.length === 0) return; // That there are no channels has been said.
  if (meant === undefined) {
    problems.error(path, `${pathText(path)} names no channel: add one of ${known.join(', ')} and an address`);
    return;
  }
  const hint = didYouMean(meant, known) || `; known: ${known.join(', ')}`;
  problems.errorAtKey([...path, meant], `there is no channel ${JSON.stringify(meant)}${hint}`);
}

function readOptions(entry: Entry, problems: Problems): Record<string, unknown> {
  const { channel, path, values } = entry;
  const schemas = channel.type?.options ?? {};
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (key === channel.name || !channel.type) continue;
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    if (schema) options[key] = checkSection(schema, value, [...path, key], problems) as unknown;
    else problems.errorAtKey([...path, key], unknownKey(key, path, [channel.name, ...Object.keys(schemas)]));
  }
  return options;
}

function readAddresses(
  entry: Entry,
  channels: Channels,
  problems: Problems,
): { address: string; path: Path }[] {
  const path = [...entry.path, entry.channel.name];
  const value = entry.values[entry.channel.name];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  if (items.length === 0) problems.error(path, `${pathText(path)} must name at least one address`);
  return items.flatMap((item, index) => {
    const itemPath = Array.isArray(value) ? [...path, index] : path;
    const address = readAddress(item, itemPath, entry.channel, channels, problems);
    return address === undefined ? [] : [{ address, path: itemPath }];
  });
}

function readAddress(
  value: unknown,
  path: Path,
  channel: KnownChannel,
  channels: Channels,
  problems: Problems,
): string | undefined {
  if (value === null || value === undefined) {
    problems.error(path, `${pathText(path)} has no address: one that begins with # must stand in quotes`);
    return undefined;
  }
  if (typeof value !== 'string') {
    problems.error(path, `${pathText(path)} ${notText(value)}`);
    return undefined;
  }
  if (isInForeignQuotes(value)) {
    problems.error(path, `${pathText(path)} ${FOREIGN_QUOTES}`);
    return undefined;
  }
  const parsed = parseAddress(value, channel);
  if (typeof parsed === 'string' || parsed === undefined) return parsed;
  const hint = otherChannelFor(value, channel, channels);
  problems.error(path, `${pathText(path)}: ${problems.redact(parsed.message)}${hint}`);
  return undefined;
}

/** Undefined where the channel's settings are wrong, on which it depends what an address may be. */
function parseAddress(text: string, { type, config }: KnownChannel): string | AddressError | undefined {
  if (!type || !config) return undefined;
  try {
    return type.parseAddress(text, config.settings);
  } catch (error) {
    if (error instanceof AddressError) return error;
    throw error;
  }
}

function otherChannelFor(text: string, { type }: KnownChannel, channels: Channels): string {
  const other = [...channels.values()].find(
    (each) => each.type !== type && typeof parseAddress(text, each) === 'string',
  );
  return other === undefined ? '' : `; the channel ${other.name} takes it: { ${other.name}: "…" }`;
}

/** What a `notify` list can name, and what of it has been named so far. */
export interface Directory {
  readonly channels: Channels;
  readonly groups: ReadonlyMap<string, readonly Destination[]>;
  readonly usedGroups: Set<string>;
  readonly usedChannels: Set<string>;
}

export function readGroups(value: unknown, channels: Channels, problems: Problems): Directory {
  const groups = new Map<string, readonly Destination[]>();
  if (isJsonObject(value)) {
    for (const [name, entries] of Object.entries(value)) {
      groups.set(name, readGroup(name, entries, channels, problems));
    }
  } else if (value !== undefined && value !== null) {
    problems.error(['groups'], 'groups must be a map of names and lists of addresses');
  }
  const told = [...groups.values()].flat().map(({ channel }) => channel);
  return { channels, groups, usedGroups: new Set(), usedChannels: new Set(told) };
}

const EXAMPLE = '[{ slack: "#ops" }]';

function readGroup(name: string, value: unknown, channels: Channels, problems: Problems): Destination[] {
  const path = ['groups', name];
  const problem = nameRule(name);
  if (problem !== undefined) problems.errorAtKey(path, `the name of a group ${problem}`);
  const told = new Map<string, Destination>();
  if (Array.isArray(value) && value.length === 0)
    problems.error(path, `${pathText(path)} must name at least one, such as ${EXAMPLE}`);
  for (const [index, entry] of listAt(value, path, EXAMPLE, problems).entries()) {
    for (const { destination, path: at } of readMember(entry, [...path, index], channels, problems)) {
      if (told.has(destination.key)) problems.error(at, duplicateOf(at));
      else told.set(destination.key, destination);
    }
  }
  return [...told.values()];
}

function readMember(entry: unknown, path: Path, channels: Channels, problems: Problems) {
  if (isJsonObject(entry)) return readDestinations(entry, path, channels, problems);
  const rule = 'must be an address such as { slack: "#ops" }: a group cannot name groups';
  problems.error(path, `${pathText(path)} ${rule}`);
  return [];
}

/** A list; nothing, with an error, for anything else. */
export function listAt(value: unknown, path: Path, example: string, problems: Problems): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  problems.error(path, `${pathText(path)} must be a list, such as ${example}`);
  return [];
}

export function duplicateOf(path: Path): string {
  return `${pathText(path)} is a duplicate: this list tells it already`;
}

/** The destinations of the group that is named at `path`; nothing, with an error, where it is not there. */
export function groupAt(
  name: string,
  path: Path,
  directory: Directory,
  problems: Problems,
): readonly Destination[] {
  directory.usedGroups.add(name);
  const group = directory.groups.get(name);
  if (group) return group;
  problems.error(path, `there is no group ${problems.shown(path, name)}${hintFor(name, directory)}`);
  return [];
}

function hintFor(name: string, { channels, groups }: Directory): string {
  const known = [...groups.keys()];
  const [channel = 'channel'] = channels.has(name) ? [name] : channels.keys();
  const looksLikeAddress = channels.has(name) || /^[#@]|[:@]/.test(name);
  if (looksLikeAddress) return `; an address is written { ${channel}: "…" }`;
  if (known.length === 0) return '; no groups are configured';
  return didYouMean(name, known) || `; known: ${known.join(', ')}`;
}
