/** Reads whom the config may have told: addresses on channels, with options, and `groups` of them. */
import { AddressError } from '../channels/channel.ts';
import type { KnownChannel } from './check-channels.ts';
import { checkSection, unknownKey } from './check-section.ts';
import type { Destination } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import { FOREIGN_QUOTES, isInForeignQuotes, nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import type { Path } from './path.ts';
import { notText } from './schema-fields.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';

type Channels = ReadonlyMap<string, KnownChannel>;

function findChannel(
  values: JsonObject,
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
  problems.error(path, `names ${named.length} channels (${named.join(', ')}): make it an entry each`);
  return undefined;
}

/** The first key that is no option is probably meant to be the channel. */
function reportNoChannel(keys: readonly string[], path: Path, channels: Channels, problems: Problems): void {
  const options = new Set([...channels.values()].flatMap(({ type }) => Object.keys(type?.options ?? {})));
  const meant = keys.find((key) => !options.has(key));
  const known = [...channels.keys()];
  if (known.length === 0) return; // That there are no channels has been said.
  if (meant === undefined)
    return problems.error(path, `names no channel: add one of ${known.join(', ')} and an address`);
  const hint = didYouMean(meant, known) || `; known: ${known.join(', ')}`;
  problems.errorAtKey([...path, meant], `there is no channel ${JSON.stringify(meant)}${hint}`);
}

function readOptions(
  values: JsonObject,
  path: Path,
  channel: KnownChannel,
  problems: Problems,
): Record<string, unknown> {
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

function readAddress(
  value: unknown,
  path: Path,
  channel: KnownChannel,
  channels: Channels,
  problems: Problems,
): string | undefined {
  const wrong = addressRule(value);
  if (wrong !== undefined) problems.error(path, wrong);
  if (wrong !== undefined || typeof value !== 'string') return undefined;
  const parsed = parseAddress(value, channel);
  if (!(parsed instanceof AddressError)) return parsed;
  const hint = otherChannelFor(value, channel, channels);
  problems.error(path, `: ${problems.redact(parsed.message)}${hint}`);
  return undefined;
}

function addressRule(value: unknown): string | undefined {
  if (value === null || value === undefined)
    return 'has no address: one that begins with # must stand in quotes';
  if (typeof value !== 'string') return notText(value);
  return isInForeignQuotes(value) ? FOREIGN_QUOTES : undefined;
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
  const directory = { channels, groups, usedGroups: new Set<string>(), usedChannels: new Set<string>() };
  if (isJsonObject(value)) {
    for (const [name, entries] of Object.entries(value))
      groups.set(name, readGroup(name, entries, directory, problems));
  } else if (value !== undefined && value !== null) {
    problems.error(['groups'], 'must be a map of names and lists of addresses');
  }
  return directory;
}

const EXAMPLE = '[{ slack: "#ops" }]';

function readGroup(name: string, value: unknown, directory: Directory, problems: Problems): Destination[] {
  const path = ['groups', name];
  const problem = nameRule(name);
  if (problem !== undefined) problems.errorAtKey(path, `the name of a group ${problem}`);
  if (Array.isArray(value) && value.length === 0)
    problems.error(path, `must name at least one, such as ${EXAMPLE}`);
  const list = new DestinationList(directory, problems);
  for (const [index, entry] of listAt(value, path, EXAMPLE, problems).entries()) {
    const at = [...path, index];
    if (isJsonObject(entry)) list.addEntry(entry, at);
    else problems.error(at, 'must be an address such as { slack: "#ops" }: a group cannot name groups');
  }
  return list.destinations();
}

/** A list of destinations as it is read: in its order, none of them twice. */
export class DestinationList {
  /** By key, each with the group that brought it; undefined: an entry of its own. */
  private readonly told = new Map<string, { destination: Destination; group: string | undefined }>();
  private readonly groups = new Set<string>();
  private readonly directory: Directory;
  private readonly problems: Problems;

  constructor(directory: Directory, problems: Problems) {
    this.directory = directory;
    this.problems = problems;
  }

  destinations(): Destination[] {
    return [...this.told.values()].map(({ destination }) => destination);
  }

  /** All addresses of a map such as `{ slack: ["#ops", "#shop"] }`. */
  addEntry(values: JsonObject, path: Path): void {
    const { channels } = this.directory;
    const channel = findChannel(values, path, channels, this.problems);
    if (!channel) return;
    const options = readOptions(values, path, channel, this.problems);
    const value = values[channel.name];
    const at = [...path, channel.name];
    if (!Array.isArray(value)) return this.addAddress(value, at, channel, options);
    if (value.length === 0) this.problems.error(at, 'must name at least one address');
    for (const [index, item] of value.entries()) this.addAddress(item, [...at, index], channel, options);
  }

  addGroup(name: string, path: Path): void {
    if (this.groups.has(name)) this.problems.error(path, DUPLICATE);
    this.groups.add(name);
    for (const destination of groupAt(name, path, this.directory, this.problems)) {
      if (!this.told.has(destination.key)) this.told.set(destination.key, { destination, group: name });
    }
  }

  private addAddress(
    value: unknown,
    path: Path,
    channel: KnownChannel,
    options: Destination['options'],
  ): void {
    const address = readAddress(value, path, channel, this.directory.channels, this.problems);
    if (address === undefined) return;
    const key = `${channel.name}:${address}`;
    this.directory.usedChannels.add(channel.name);
    const before = this.told.get(key);
    if (!before)
      this.told.set(key, { destination: { key, channel: channel.name, address, options }, group: undefined });
    else if (before.group === undefined) this.problems.error(path, DUPLICATE);
    else {
      const reason = `the group ${before.group} in this list tells it already, and its options win`;
      this.problems.warning(path, `has no effect: ${reason}`);
    }
  }
}

/** A list; nothing, with an error, for anything else. */
export function listAt(value: unknown, path: Path, example: string, problems: Problems): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  problems.error(path, `must be a list, such as ${example}`);
  return [];
}

const DUPLICATE = 'is a duplicate: this list tells it already';

/** The destinations of the group that is named at `path`; nothing, with an error, where it is not there. */
function groupAt(name: string, path: Path, directory: Directory, problems: Problems): readonly Destination[] {
  directory.usedGroups.add(name);
  const group = directory.groups.get(name);
  if (group) return group;
  problems.errorInValue(path, `there is no group ${problems.shown(path, name)}${hintFor(name, directory)}`);
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
