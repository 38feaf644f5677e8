/** Reads `notify` lists: names of groups, and addresses such as `{ slack: ["#ops", "#shop"], mention_on_error: "@here" }`. */
import { MENTION_OPTION } from '../../channels/mention-option.ts';
import type { PerJob } from '../../signal/rules.ts';
import { Fault, quoted } from '../../text/fault.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import { nearest, nearestOrAll } from '../../text/nearest.ts';
import type { CheckedChannels } from './channels.ts';
import { checkSection, type Checking, entriesOf } from './section.ts';
import type { Calendars, DigestConfig } from '../config.ts';
import type { Destination, NotifyList } from '../destination.ts';
import { NOTHING_KNOWN } from '../schema/form.ts';
import { group as groupForm } from '../schema/forms.ts';
import type { Path } from '../path.ts';
import type { Problems } from '../problems.ts';
import { fault } from '../words.ts';
import { groupSchema } from '../schema/schema.ts';

/** A group or a destination named by a list's entry. */
interface Named {
  readonly name: string;
  readonly at: Path;
  readonly told: readonly Destination[];
}

export class NotifyReader {
  readonly groups = new Map<string, readonly Destination[]>();
  readonly digests: DigestConfig[] = [];
  readonly #channels: CheckedChannels;
  readonly #checking: Checking;
  readonly #problems: Problems;

  /** @param groups the config's `groups`, unchecked */
  constructor(groups: unknown, channels: CheckedChannels, calendars: Calendars, problems: Problems) {
    this.#channels = channels;
    this.#problems = problems;
    this.#checking = { problems, known: { ...NOTHING_KNOWN, calendars: calendars.named } };
    for (const [name, group, path] of entriesOf('groups', groups, problems))
      this.groups.set(name, this.#readGroup(name, group, path));
  }

  readNotify(list: unknown, path: Path): NotifyList {
    const groups = [list].flat().filter((entry) => typeof entry === 'string');
    return { told: this.read(list, path), groups };
  }

  /** @returns the list's destinations in order, each once, with the options of the first entry that names it */
  read(list: unknown, path: Path, mayNameGroups = true): readonly Destination[] {
    const wrong = faultOfList(list, mayNameGroups);
    if (wrong !== undefined) this.#problems.error(path, wrong);
    const names = new Set<string>();
    const all = new Map<string, Destination>();
    for (const [index, entry] of (Array.isArray(list) ? list : []).entries())
      for (const { name, at, told } of this.#namedBy(entry, [...path, index], mayNameGroups)) {
        if (names.has(name)) this.#problems.error(at, fault('duplicate'));
        names.add(name);
        for (const each of told) if (!all.has(each.destination)) all.set(each.destination, each);
      }
    return [...all.values()];
  }

  #readGroup(name: string, group: unknown, path: Path): readonly Destination[] {
    if (!isJsonObject(group)) return this.read(group, path, false);
    const notify = this.read(group['notify'], [...path, 'notify'], false);
    const digest = checkSection(groupSchema, group, path, this.#checking)?.digest;
    if (digest !== undefined) this.digests.push({ group: name, notify, ...digest });
    return notify;
  }

  #namedBy(entry: unknown, at: Path, mayNameGroups: boolean): readonly Named[] {
    if (isJsonObject(entry)) return this.#addressesIn(entry, at);
    if (typeof entry !== 'string' || !mayNameGroups) {
      this.#problems.error(at, fault(mayNameGroups ? 'group or address' : 'address'));
      return [];
    }
    const named = groupForm.read(entry, { ...NOTHING_KNOWN, groups: [...this.groups.keys()] });
    if (named instanceof Fault) this.#problems.error(at, named);
    return [{ name: entry, at, told: this.groups.get(entry) ?? [] }];
  }

  /** One key of an entry is a channel's name; its other keys are options. */
  #addressesIn(entry: JsonObject, at: Path): readonly Named[] {
    // `checkChannels` has reported that there are no channels.
    if (this.#channels.size === 0) return [];
    const named = Object.keys(entry).filter((key) => this.#channels.has(key));
    const [name, ...more] = named;
    if (name === undefined || more.length > 0) {
      const tooMany = fault('many channels', { count: named.length, names: named.join(', ') });
      this.#problems.error(at, name === undefined ? this.#noChannelIn(entry) : tooMany);
      return [];
    }
    const channel = this.#channels.get(name);
    const checked = channel && checkSection(channel.entry, entry, at, this.#checking);
    if (channel?.config === undefined || checked === undefined) return [];
    const { type, config } = channel;
    const { [name]: written, per_job: perJob = 'message', ...rest } = checked;
    const mentioning = withHours(rest);
    return [written].flat().flatMap((text: unknown, index) => {
      // An unresolved reference has no address.
      if (typeof text !== 'string') return [];
      const address = type.parseAddress(text, config.settings);
      const destination = `${name}:${address}`;
      const told = { destination, channel: name, address, ...mentioning, perJob: perJob as PerJob };
      const place = Array.isArray(written) ? [...at, name, index] : [...at, name];
      return [{ name: destination, at: place, told: [told] }];
    });
  }

  #noChannelIn(entry: JsonObject): Fault {
    const names = [...this.#channels.keys()];
    const keys = Object.keys(entry);
    const meant = keys.find((key) => nearest(key, names) !== undefined) ?? keys[0] ?? '';
    return fault('no channel', { name: quoted(meant), hint: nearestOrAll(meant, names) });
  }
}

function withHours(options: JsonObject): Pick<Destination, 'options' | 'mentionHours'> {
  const { [MENTION_OPTION]: mention } = options;
  if (!isJsonObject(mention)) return { options };
  const { who, ...hours } = mention;
  return { options: { ...options, [MENTION_OPTION]: who }, mentionHours: hours };
}

/** A list of a group has addresses alone, and is not empty. */
function faultOfList(list: unknown, mayNameGroups: boolean): Fault | undefined {
  const example = mayNameGroups ? '[operators, { slack: "#ops" }]' : '[{ slack: "#ops" }]';
  if (list === null) return fault('no value');
  if (list === undefined) return fault('missing, such as', { example });
  if (!Array.isArray(list)) return fault('list', { example });
  return list.length === 0 && !mayNameGroups ? fault('at least one') : undefined;
}
