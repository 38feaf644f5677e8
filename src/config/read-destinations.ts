/** Reads whom the config may have told: addresses on channels, with options, and `groups` of them. */
import { AddressError } from '../channels/channel.ts';
import type { KnownChannel } from './check-channels.ts';
import { checkSection, unknownKey } from './check-section.ts';
import type { Destination } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import { nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import type { Path } from './path.ts';
import { notText } from './schema-fields.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';

/** What a `notify` list can name, and what of it has been named so far. */
export interface Directory {
  readonly channels: ReadonlyMap<string, KnownChannel>;
  readonly groups: Map<string, readonly Destination[]>;
  readonly usedGroups: Set<string>;
  readonly usedChannels: Set<string>;
}

const EXAMPLE = '[{ slack: "#ops" }]';
const DUPLICATE = 'is a duplicate: this list tells it already';

export function readGroups(value: unknown, channels: Directory['channels'], problems: Problems): Directory {
  const directory = {
    channels,
    groups: new Map<string, readonly Destination[]>(),
    usedGroups: new Set<string>(),
    usedChannels: new Set<string>(),
  };
  if (isJsonObject(value)) {
    for (const [name, entries] of Object.entries(value))
      directory.groups.set(name, readGroup(name, entries, directory, problems));
  } else if (value !== undefined && value !== null) {
    problems.error(['groups'], 'must be a map of names and lists of addresses');
  }
  return directory;
}

function readGroup(
  name: string,
  value: unknown,
  directory: Directory,
  problems: Problems,
): readonly Destination[] {
  const path = ['groups', name];
  const wrong = nameRule(name);
  if (wrong !== undefined) problems.errorAtKey(path, `the name of a group ${wrong}`);
  if (Array.isArray(value) && value.length === 0)
    problems.error(path, `must name at least one, such as ${EXAMPLE}`);
  const list = new DestinationList(directory, problems);
  for (const [index, entry] of listAt(value, path, EXAMPLE, problems).entries()) {
    if (isJsonObject(entry)) list.addEntry(entry, [...path, index]);
    else
      problems.error(
        [...path, index],
        'must be an address such as { slack: "#ops" }: a group cannot name groups',
      );
  }
  return list.destinations();
}

/** A list; nothing, with an error, for anything else. */
export function listAt(value: unknown, path: Path, example: string, problems: Problems): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  problems.error(path, `must be a list, such as ${example}`);
  return [];
}

/** A list of destinations as it is read: in its order, none of them twice. */
export class DestinationList {
  /** By key, each with the group that brought it; undefined: an entry of its own. */
  private readonly told = new Map<string, { destination: Destination; group?: string }>();
  private readonly named = new Set<string>();
  private readonly directory: Directory;
  private readonly problems: Problems;

  constructor(directory: Directory, problems: Problems) {
    this.directory = directory;
    this.problems = problems;
  }

  destinations(): Destination[] {
    return [...this.told.values()].map(({ destination }) => destination);
  }

  addGroup(name: string, path: Path): void {
    const { groups, usedGroups } = this.directory;
    const group = groups.get(name);
    if (this.named.has(name)) this.problems.error(path, DUPLICATE);
    if (group === undefined) this.problems.errorInValue(path, this.noGroup(name, path));
    this.named.add(name);
    usedGroups.add(name);
    for (const destination of group ?? [])
      if (!this.told.has(destination.key)) this.told.set(destination.key, { destination, group: name });
  }

  /** All addresses of a map such as `{ slack: ["#ops", "#shop"] }`. */
  addEntry(values: JsonObject, path: Path): void {
    const channel = this.findChannel(values, path);
    if (channel === undefined) return;
    const options = readOptions(values, path, channel, this.problems);
    const value = values[channel.name];
    const at = [...path, channel.name];
    if (!Array.isArray(value)) return this.addAddress(value, at, channel, options);
    if (value.length === 0) this.problems.error(at, 'must name at least one address');
    for (const [index, item] of value.entries()) this.addAddress(item, [...at, index], channel, options);
  }

  private findChannel(values: JsonObject, path: Path): KnownChannel | undefined {
    const { channels } = this.directory;
    const keys = Object.keys(values);
    const named = keys.filter((key) => channels.has(key));
    if (named.length === 1) return channels.get(named[0] ?? '');
    if (named.length > 1)
      this.problems.error(
        path,
        `names ${named.length} channels (${named.join(', ')}): make it an entry each`,
      );
    else if (channels.size > 0) this.reportNoChannel(keys, path);
    return undefined;
  }

  /** The first key that is no option is probably meant to be the channel. */
  private reportNoChannel(keys: readonly string[], path: Path): void {
    const { channels } = this.directory;
    const options = new Set([...channels.values()].flatMap((each) => Object.keys(optionsOf(each))));
    const meant = keys.find((key) => !options.has(key));
    const known = [...channels.keys()];
    if (meant === undefined)
      return this.problems.error(path, `names no channel: add one of ${known.join(', ')} and an address`);
    const hint = didYouMean(meant, known) || `; known: ${known.join(', ')}`;
    this.problems.errorAtKey([...path, meant], `there is no channel ${JSON.stringify(meant)}${hint}`);
  }

  private noGroup(name: string, path: Path): string {
    const { channels, groups } = this.directory;
    const known = [...groups.keys()];
    const begin = `there is no group ${this.problems.shown(path, name)}`;
    if (channels.has(name) || /^[#@]|[:@]/.test(name)) {
      const [channel = 'channel'] = channels.has(name) ? [name] : channels.keys();
      return `${begin}; an address is written { ${channel}: "…" }`;
    }
    if (known.length === 0) return `${begin}; no groups are configured`;
    return begin + (didYouMean(name, known) || `; known: ${known.join(', ')}`);
  }

  private addAddress(
    value: unknown,
    path: Path,
    channel: KnownChannel,
    options: Destination['options'],
  ): void {
    const address = readAddress(value, path, channel, this.problems);
    if (address === undefined) return;
    const key = `${channel.name}:${address}`;
    this.directory.usedChannels.add(channel.name);
    const before = this.told.get(key);
    if (!before) this.told.set(key, { destination: { key, channel: channel.name, address, options } });
    else if (before.group === undefined) this.problems.error(path, DUPLICATE);
    else
      this.problems.warning(
        path,
        `has no effect: the group ${before.group} in this list tells it already, and its options win`,
      );
  }
}

function optionsOf({ type, config }: KnownChannel) {
  return type?.optionsOf(config?.settings) ?? {};
}

function readOptions(
  values: JsonObject,
  path: Path,
  channel: KnownChannel,
  problems: Problems,
): Record<string, unknown> {
  const schemas = new Map(Object.entries(optionsOf(channel)));
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (key === channel.name || !channel.type) continue;
    const schema = schemas.get(key);
    if (schema) options[key] = checkSection(schema, value, [...path, key], problems) as unknown;
    else problems.errorAtKey([...path, key], unknownKey(key, path, [channel.name, ...schemas.keys()]));
  }
  return options;
}

function readAddress(
  value: unknown,
  path: Path,
  { type, config }: KnownChannel,
  problems: Problems,
): string | undefined {
  if (value === null || value === undefined)
    problems.error(path, 'has no address: one that begins with # must stand in quotes');
  else if (typeof value !== 'string') problems.error(path, notText(value));
  if (typeof value !== 'string' || !type || !config) return undefined;
  try {
    return type.parseAddress(value, config.settings);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    problems.error(path, `: ${problems.redact(error.message)}`);
    return undefined;
  }
}
