/** Reads whom the config may have told: addresses on channels, with options, and `groups` of them. */
import type { InferType, Schema } from 'yup';
import { AddressError } from '../channels/channel.ts';
import { PER_JOB, type PerJob, WEEKDAYS } from '../signal/rules.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { nearest, nearestOrAll } from '../text/nearest.ts';
import type { KnownChannel, KnownChannels } from './check-channels.ts';
import { checkSection } from './check-section.ts';
import type { Destination, DigestConfig } from './config.ts';
import { nameRule, parseTimeOfDay } from './field-rules.ts';
import type { Path } from './path.ts';
import type { Problems } from './problems.ts';
import { groupSchema, perJobField } from './rules-schema.ts';
import { filled, section, textOrTexts } from './schema-fields.ts';

/** What a `notify` list can name. */
export interface Directory {
  readonly channels: KnownChannels;
  readonly groups: Map<string, readonly Destination[]>;
  readonly digests: DigestConfig[];
}

/** @param value that is no map has been told of */
export function readGroups(value: unknown, channels: Directory['channels'], problems: Problems): Directory {
  const groups = new Map<string, readonly Destination[]>();
  const digests: DigestConfig[] = [];
  const directory = { channels, groups, digests };
  for (const [name, written] of Object.entries(isJsonObject(value) ? value : {})) {
    const path = ['groups', name];
    const wrong = nameRule(name);
    if (wrong !== undefined) problems.errorAtKey(path, `the name of a group ${wrong}`);
    const group = isJsonObject(written) ? checkSection(groupSchema, written, path, problems) : undefined;
    const [entries, at] = isJsonObject(written) ? [written['notify'], [...path, 'notify']] : [written, path];
    if (Array.isArray(entries) && entries.length === 0) problems.error(at, 'must name at least one address');
    const notify = entries === undefined ? [] : readTargets(entries, at, directory, problems, 'addresses');
    groups.set(name, notify);
    if (group?.digest) digests.push({ group: name, notify, ...digestOf(group.digest) });
  }
  return directory;
}

function digestOf({ at, days }: NonNullable<InferType<typeof groupSchema>['digest']>) {
  return { at: parseTimeOfDay(at) ?? 0, days: days ?? WEEKDAYS };
}

/** The destinations of a list in their order; the first entry that names one gives its options. */
export function readTargets(
  value: unknown,
  path: Path,
  directory: Directory,
  problems: Problems,
  kind: 'addresses' | 'addresses and groups' = 'addresses and groups',
): readonly Destination[] {
  const hasGroups = kind === 'addresses and groups';
  if (!Array.isArray(value)) {
    problems.error(path, `must be a list, such as [${hasGroups ? 'operators, ' : ''}{ slack: "#ops" }]`);
    return [];
  }
  const list = new DestinationList(directory, problems);
  for (const [index, entry] of (value as unknown[]).entries()) {
    const at = [...path, index];
    if (isJsonObject(entry)) list.addEntry(entry, at);
    else if (typeof entry === 'string' && hasGroups) list.addGroup(entry, at);
    else {
      const wanted = `${hasGroups ? 'the name of a group, or ' : ''}an address such as { slack: "#ops" }`;
      problems.error(at, `must be ${wanted}`);
    }
  }
  return [...list.told.values()];
}

/** A list of destinations as it is read: it names no group and no address twice. */
class DestinationList {
  /** By `<channel>:<address>`. */
  readonly told = new Map<string, Destination>();
  private readonly named = new Set<string>();

  private readonly directory: Directory;
  private readonly problems: Problems;

  constructor(directory: Directory, problems: Problems) {
    this.directory = directory;
    this.problems = problems;
  }

  addGroup(name: string, path: Path): void {
    const { groups } = this.directory;
    this.name(name, path);
    if (!groups.has(name)) this.reportNoGroup(name, path);
    for (const destination of groups.get(name) ?? []) this.add(destination);
  }

  /** All addresses of a map such as `{ slack: ["#ops", "#shop"] }`. */
  addEntry(values: JsonObject, path: Path): void {
    const channel = this.findChannel(values, path);
    const entry =
      channel &&
      checkSection(entrySchema(channel), this.withDigits(channel, values, path), path, this.problems);
    if (channel === undefined || entry === undefined) return;
    const { name, settings } = channel.config;
    const { [name]: addresses, per_job, ...options } = entry;
    const perJob = this.perJobOf(channel, per_job, [...path, 'per_job']);
    for (const [index, text] of [addresses].flat().entries()) {
      // It comes from a variable that is not set where the config is only checked.
      if (text === undefined) continue;
      const address = channel.type.parseAddress(String(text), settings);
      const destination = `${name}:${address}`;
      this.name(destination, Array.isArray(addresses) ? [...path, name, index] : [...path, name]);
      this.add({ destination, channel: name, address, options, perJob });
    }
  }

  private perJobOf({ type }: KnownChannel, written: unknown, path: Path): PerJob {
    const perJob = PER_JOB.find((each) => each === written) ?? 'message';
    const can = ['message', ...(type.perJob ?? [])];
    if (!can.includes(perJob))
      this.problems.error(path, `must be ${can.join(' or ')} on a channel of type ${type.type}`);
    return perJob;
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

  private add(told: Destination): void {
    if (!this.told.has(told.destination)) this.told.set(told.destination, told);
  }

  private name(name: string, path: Path): void {
    if (this.named.has(name)) this.problems.error(path, 'is a duplicate: this list tells it already');
    this.named.add(name);
  }

  private findChannel(values: JsonObject, path: Path): KnownChannel | undefined {
    const { channels } = this.directory;
    const [keys, known] = [Object.keys(values), [...channels.keys()]];
    const named = keys.filter((key) => channels.has(key));
    if (named.length === 1) return channels.get(named[0] ?? '');
    if (named.length > 1) {
      const sentence = `names ${named.length} channels (${named.join(', ')}): make it an entry each`;
      this.problems.error(path, sentence);
    } else if (known.length > 0) {
      // That there are no channels at all has been said.
      const meant = keys.find((key) => nearest(key, known) !== undefined) ?? keys[0] ?? '';
      const sentence = `there is no channel "${meant}"${nearestOrAll(meant, known)}`;
      this.problems.errorAtKey([...path, meant], sentence);
    }
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
  return section('Whom to tell on one channel.', {
    [name]: addresses,
    ...type.optionsOf(settings),
    per_job: perJobField,
  });
}
