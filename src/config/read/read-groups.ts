/** Reads `groups`: addresses that are told together, by name. */
import { isJsonObject } from '../../text/json-object.ts';
import type { Destination } from '../config.ts';
import { didYouMean } from '../../text/nearest.ts';
import { nameRule } from '../schema/field-rules.ts';
import type { Findings } from '../findings.ts';
import { pathText, type Path } from '../path.ts';
import { readDestinations, type Channels } from './read-destinations.ts';

/** What a `notify` list can name, and what of it has been named so far. */
export interface Directory {
  readonly channels: Channels;
  readonly groups: ReadonlyMap<string, readonly Destination[]>;
  readonly usedGroups: Set<string>;
  readonly usedChannels: Set<string>;
}

export function readGroups(value: unknown, channels: Channels, findings: Findings): Directory {
  const groups = new Map<string, readonly Destination[]>();
  if (isJsonObject(value)) {
    for (const [name, entries] of Object.entries(value)) {
      groups.set(name, readGroup(name, entries, channels, findings));
    }
  } else if (value !== undefined && value !== null) {
    findings.error(['groups'], 'groups must be a map of names and lists of addresses');
  }
  const told = [...groups.values()].flat().map(({ channel }) => channel);
  return { channels, groups, usedGroups: new Set(), usedChannels: new Set(told) };
}

const EXAMPLE = '[{ slack: "#ops" }]';

function readGroup(name: string, value: unknown, channels: Channels, findings: Findings): Destination[] {
  const path = ['groups', name];
  const fault = nameRule(name);
  if (fault !== undefined) findings.errorAtKey(path, `the name of a group ${fault}`);
  const told = new Map<string, Destination>();
  if (Array.isArray(value) && value.length === 0)
    findings.error(path, `${pathText(path)} must name at least one, such as ${EXAMPLE}`);
  for (const [index, entry] of listAt(value, path, EXAMPLE, findings).entries()) {
    for (const { destination, path: at } of readMember(entry, [...path, index], channels, findings)) {
      if (told.has(destination.key)) findings.error(at, duplicateOf(at));
      else told.set(destination.key, destination);
    }
  }
  return [...told.values()];
}

function readMember(entry: unknown, path: Path, channels: Channels, findings: Findings) {
  if (isJsonObject(entry)) return readDestinations(entry, path, channels, findings);
  const rule = 'must be an address such as { slack: "#ops" }: a group cannot name groups';
  findings.error(path, `${pathText(path)} ${rule}`);
  return [];
}

/** A list; nothing, with an error, for anything else. */
export function listAt(value: unknown, path: Path, example: string, findings: Findings): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  findings.error(path, `${pathText(path)} must be a list, such as ${example}`);
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
  findings: Findings,
): readonly Destination[] {
  directory.usedGroups.add(name);
  const group = directory.groups.get(name);
  if (group) return group;
  findings.error(path, `there is no group ${findings.shown(path, name)}${hintFor(name, directory)}`);
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
