/** Reads one map of a `notify` list or a group: addresses on one channel, and options that go with them. */
import { AddressError } from '../../channels/channel.ts';
import type { KnownChannel } from '../check/check-channels.ts';
import { checkSection, unknownKey } from '../check/check-section.ts';
import type { Destination } from '../config.ts';
import { didYouMean } from '../../text/nearest.ts';
import { FOREIGN_QUOTES, isInForeignQuotes } from '../schema/field-rules.ts';
import type { Findings } from '../findings.ts';
import { pathText, type Path } from '../path.ts';
import { notText } from '../schema/schema-fields.ts';

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

/** Empty, with errors in `findings`, where no address can be told from it. */
export function readDestinations(
  values: Readonly<Record<string, unknown>>,
  path: Path,
  channels: Channels,
  findings: Findings,
): LocatedDestination[] {
  const channel = findChannel(values, path, channels, findings);
  if (!channel) return [];
  const entry = { channel, path, values };
  const options = readOptions(entry, findings);
  return readAddresses(entry, channels, findings).map(({ address, path: addressPath }) => ({
    destination: { key: `${channel.name}:${address}`, channel: channel.name, address, options },
    path: addressPath,
  }));
}

function findChannel(
  values: Readonly<Record<string, unknown>>,
  path: Path,
  channels: Channels,
  findings: Findings,
): KnownChannel | undefined {
  const keys = Object.keys(values);
  const named = keys.filter((key) => channels.has(key));
  const [name] = named;
  if (name === undefined) {
    reportNoChannel(keys, path, channels, findings);
    return undefined;
  }
  if (named.length === 1) return channels.get(name);
  findings.error(
    path,
    `${pathText(path)} names ${named.length} channels (${named.join(', ')}): make it an entry each`,
  );
  return undefined;
}

/** The first key that is no option is probably meant to be the channel. */
function reportNoChannel(keys: readonly string[], path: Path, channels: Channels, findings: Findings): void {
  const options = new Set([...channels.values()].flatMap(({ type }) => Object.keys(type?.options ?? {})));
  const meant = keys.find((key) => !options.has(key));
  const known = [...channels.keys()];
  if (known.length === 0) return; // That there are no channels has been said.
  if (meant === undefined) {
    findings.error(path, `${pathText(path)} names no channel: add one of ${known.join(', ')} and an address`);
    return;
  }
  const hint = didYouMean(meant, known) || `; known: ${known.join(', ')}`;
  findings.errorAtKey([...path, meant], `there is no channel ${JSON.stringify(meant)}${hint}`);
}

function readOptions(entry: Entry, findings: Findings): Record<string, unknown> {
  const { channel, path, values } = entry;
  const schemas = channel.type?.options ?? {};
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (key === channel.name || !channel.type) continue;
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    if (schema) options[key] = checkSection(schema, value, [...path, key], findings) as unknown;
    else findings.errorAtKey([...path, key], unknownKey(key, path, [channel.name, ...Object.keys(schemas)]));
  }
  return options;
}

function readAddresses(
  entry: Entry,
  channels: Channels,
  findings: Findings,
): { address: string; path: Path }[] {
  const path = [...entry.path, entry.channel.name];
  const value = entry.values[entry.channel.name];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  if (items.length === 0) findings.error(path, `${pathText(path)} must name at least one address`);
  return items.flatMap((item, index) => {
    const itemPath = Array.isArray(value) ? [...path, index] : path;
    const address = readAddress(item, itemPath, entry.channel, channels, findings);
    return address === undefined ? [] : [{ address, path: itemPath }];
  });
}

function readAddress(
  value: unknown,
  path: Path,
  channel: KnownChannel,
  channels: Channels,
  findings: Findings,
): string | undefined {
  if (value === null || value === undefined) {
    findings.error(path, `${pathText(path)} has no address: one that begins with # must stand in quotes`);
    return undefined;
  }
  if (typeof value !== 'string') {
    findings.error(path, `${pathText(path)} ${notText(value)}`);
    return undefined;
  }
  if (isInForeignQuotes(value)) {
    findings.error(path, `${pathText(path)} ${FOREIGN_QUOTES}`);
    return undefined;
  }
  const parsed = parseAddress(value, channel);
  if (typeof parsed === 'string' || parsed === undefined) return parsed;
  const hint = otherChannelFor(value, channel, channels);
  findings.error(path, `${pathText(path)}: ${findings.redact(parsed.message)}${hint}`);
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
