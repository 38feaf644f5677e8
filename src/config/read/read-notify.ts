/** Reads a `notify` list: whom a route tells, groups expanded, every destination once. */
import { isJsonObject } from '../../text/json-object.ts';
import type { Destination } from '../config.ts';
import type { Findings } from '../findings.ts';
import { pathText, type Path } from '../path.ts';
import { readDestinations, type LocatedDestination } from './read-destinations.ts';
import { duplicateOf, groupAt, listAt, type Directory } from './read-groups.ts';

/**
 * The destinations in their order; the first entry that names one gives its options. An empty list is meant: nobody,
 * not even default_route.
 */
export function readNotify(
  value: unknown,
  path: Path,
  directory: Directory,
  findings: Findings,
): Destination[] {
  const list = new NotifyList(directory, findings);
  const entries = listAt(value, path, '[operators, { slack: "#ops" }]', findings);
  for (const [index, entry] of entries.entries()) list.add(entry, [...path, index]);
  return list.destinations();
}

/** Groups told of what Botbell itself has to say. */
export function readAlerts(
  names: readonly string[],
  path: Path,
  directory: Directory,
  findings: Findings,
): Destination[] {
  const list = new NotifyList(directory, findings);
  for (const [index, name] of names.entries()) list.addGroup(name, [...path, index]);
  return list.destinations();
}

class NotifyList {
  /** By key, each with the group that brought it; undefined: an entry of its own. */
  private readonly told = new Map<string, { destination: Destination; group: string | undefined }>();
  private readonly groups = new Set<string>();
  private readonly directory: Directory;
  private readonly findings: Findings;

  constructor(directory: Directory, findings: Findings) {
    this.directory = directory;
    this.findings = findings;
  }

  destinations(): Destination[] {
    return [...this.told.values()].map(({ destination }) => destination);
  }

  add(entry: unknown, path: Path): void {
    if (typeof entry === 'string') {
      this.addGroup(entry, path);
    } else if (isJsonObject(entry)) {
      const { channels } = this.directory;
      for (const each of readDestinations(entry, path, channels, this.findings)) this.addDestination(each);
    } else {
      const rule = 'must be the name of a group, or an address such as { slack: "#ops" }';
      this.findings.error(path, `${pathText(path)} ${rule}`);
    }
  }

  addGroup(name: string, path: Path): void {
    if (this.groups.has(name)) this.findings.error(path, duplicateOf(path));
    this.groups.add(name);
    for (const destination of groupAt(name, path, this.directory, this.findings)) {
      if (!this.told.has(destination.key)) this.told.set(destination.key, { destination, group: name });
    }
  }

  private addDestination({ destination, path }: LocatedDestination): void {
    this.directory.usedChannels.add(destination.channel);
    const before = this.told.get(destination.key);
    if (!before) {
      this.told.set(destination.key, { destination, group: undefined });
    } else if (before.group === undefined) {
      this.findings.error(path, duplicateOf(path));
    } else {
      const reason = `the group ${before.group} in this list tells it already, and its options win`;
      this.findings.warning(path, `${pathText(path)} has no effect: ${reason}`);
    }
  }
}
