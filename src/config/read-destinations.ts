/** Reads whom the config may have told: addresses on channels, with options, and `groups` of them. */
import type { Schema } from 'yup';
import { AddressError } from '../channels/channel.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { nearest, nearestOrAll } from '../text/nearest.ts';
import type { KnownChannel, KnownChannels } from './check-channels.ts';
import { checkSection } from './check-section.ts';
import type { Destination } from './config.ts';
import { nameRule } from './field-rules.ts';
import type { Path } from './path.ts';
import type { Problems } from './problems.ts';
import { filled, section, textOrTexts } from './schema-fields.ts';

/** What a `notify` list can name, and what of it has been named so far. */
export interface Directory {
  readonly channels: KnownChannels;
  readonly groups: Map<string, readonly Destination[]>;
  readonly usedGroups: Set<string>;
  readonly usedChannels: Set<string>;
}

/** @param value that is no map has been told of */
export function readGroups(value: unknown, channels: Directory['channels'], problems: Problems): Directory {
  const groups = new Map<string, readonly Destination[]>();
  const directory = { channels, groups, usedGroups: new Set<string>(), usedChannels: new Set<string>() };
  for (const [name, entries] of Object.entries(isJsonObject(value) ? value : {})) {
    const path = ['groups', name];
    const wrong = nameRule(name);
    if (wrong !== undefined) problems.errorAtKey(path, `the name of a group ${wrong}`);
    if (Array.isArray(entries) && entries.length === 0)
      problems.error(path, 'must name at least one address');
    groups.set(name, readTargets(entries, path, directory, problems, 'addresses'));
  }
  return directory;
}

/** The destinations of a list in their order; the first entry that names one gives its options. */
export function readTargets(
  value: unknown,
  path: Path,
  directory: Directory,
  problems: Problems,
  kind: 'addresses' | 'addresses and groups' = 'addresses and groups',
): Destination[] {
  const list = new DestinationList(directory, problems);
  const hasGroups = kind === 'addresses and groups';
  if (!Array.isArray(value))
    problems.error(path, `must be a list, such as [${hasGroups ? 'operators, ' : ''}{ slack: "#ops" }]`);
  for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) {
    const at = [...path, index];
    if (isJsonObject(entry)) list.addEntry(entry, at);
    else if (typeof entry === 'string' && hasGroups) list.addGroup(entry, at);
    else
      problems.error(
        at,
        `must be ${hasGroups ? 'the name of a group, or ' : ''}an address such as { slack: "#ops" }`,
      );
  }
  return list.destinations();
}

const DUPLICATE = 'is a duplicate: this list tells it already';

/** A list of destinations as it is read: none of them twice. */
class DestinationList {
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
    if (group === undefined) this.reportNoGroup(name, path);
    this.named.add(name);
    usedGroups.add(name);
    for (const destination of group ?? [])
      if (!this.told.has(destination.key)) this.told.set(destination.key, { destination, group: name });
  }

  /** All addresses of a map such as `{ slack: ["#ops", "#shop"] }`. */
  addEntry(values: JsonObject, path: Path): void {
    const channel = this.findChannel(values, path);
    const entry =
      channel &&
      checkSection(entrySchema(channel), this.withDigits(channel, values, path), path, this.problems);
    if (channel === undefined || entry === undefined) return;
    const { type, config } = channel;
    const { name, settings } = config;
    const { [name]: addresses, ...options } = entry;
    for (const [index, text] of [addresses].flat().entries()) {
      const address = type.parseAddress(String(text), settings);
      const at = Array.isArray(addresses) ? [...path, name, index] : [...path, name];
      this.addDestination({ key: `${name}:${address}`, channel: name, address, options }, at);
    }
  }

  /** The entry with addresses that YAML takes for numbers as texts. */
  private withDigits({ config: { name } }: KnownChannel, values: JsonObject, path: Path): JsonObject {
    const addresses = values[name];
    const textOf = (address: unknown, ...at: Path) =>
      typeof address === 'number' ? (this.problems.digitsAt([...path, name, ...at]) ?? address) : address;
    const texts = Array.isArray(addresses)
      ? addresses.map((address: unknown, index) => textOf(address, index))
      : textOf(addresses);
    return { ...values, [name]: texts };
  }

  private addDestination(destination: Destination, path: Path): void {
    const before = this.told.get(destination.key);
    this.directory.usedChannels.add(destination.channel);
    if (!before) this.told.set(destination.key, { destination });
    else if (before.group === undefined) this.problems.error(path, DUPLICATE);
    else {
      const reason = `the group ${before.group} in this list tells it already, and its options win`;
      this.problems.warning(path, `has no effect: ${reason}`);
    }
  }

  private findChannel(values: JsonObject, path: Path): KnownChannel | undefined {
    const { channels } = this.directory;
    const [keys, known] = [Object.keys(values), [...channels.keys()]];
    const named = keys.filter((key) => channels.has(key));
    if (named.length === 1) return channels.get(named[0] ?? '');
    const meant = keys.find((key) => nearest(key, known) !== undefined) ?? keys[0] ?? '';
    if (named.length > 1)
      this.problems.error(
        path,
        `names ${named.length} channels (${named.join(', ')}): make it an entry each`,
      );
    // That there are no channels has been said.
    else if (known.length > 0)
      this.problems.errorAtKey(
        [...path, meant],
        `there is no channel "${meant}"${nearestOrAll(meant, known)}`,
      );
    return undefined;
  }

  private reportNoGroup(name: string, path: Path): void {
    const isName = nameRule(name) === undefined;
    const hint = isName
      ? nearestOrAll(name, [...this.directory.groups.keys()])
      : '; an address is written { slack: "#ops" }';
    this.problems.errorInValue(path, `there is no group ${this.problems.shown(path, name)}${hint}`);
  }
}

function entrySchema({ type, config: { name, settings } }: KnownChannel): Schema<JsonObject> {
  const addressRule = (text: string) => {
    try {
      type.parseAddress(text, settings);
      return undefined;
    } catch (error) {
      if (error instanceof AddressError) return `: ${error.message}`;
      throw error;
    }
  };
  const addresses = textOrTexts(addressRule, 'Whom it reaches there.').test(filled('address'));
  return section('Whom to tell on one channel.', { [name]: addresses, ...type.optionsOf(settings) });
}
