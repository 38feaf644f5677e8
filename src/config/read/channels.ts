/** Checks `channels`: the type of each channel, and its settings against the type's schema. */
import type { Schema } from 'yup';
import { AddressError, type ChannelType } from '../../channels/channel.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import { didYouMean, nearest } from '../../text/nearest.ts';
import { checkSection, type Checking, entriesOf, type NamedEntry } from './section.ts';
import type { ChannelConfig } from '../config.ts';
import { judged, type Known, NOTHING_KNOWN } from '../schema/form.ts';
import { fault } from '../words.ts';
import type { Problems } from '../problems.ts';
import { burstSchema, optionFields } from '../schema/schema.ts';
import { section, textOrTexts } from '../schema/fields.ts';

interface CheckedChannel {
  readonly type: ChannelType;
  /** Undefined: its settings have errors, which have been reported. */
  readonly config?: ChannelConfig;
  /** The schema of a `notify` entry for this channel: its addresses and options. */
  readonly entry: Schema<JsonObject>;
}

/** By the channel's name; undefined: what it takes is not known, and its errors have been reported. */
export type CheckedChannels = ReadonlyMap<string, CheckedChannel | undefined>;

export function checkChannels(
  value: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
  conditionFault?: Known['conditionFault'],
): CheckedChannels {
  const entries = entriesOf('channels', value, problems);
  if (entries.length === 0 && (value === undefined || isJsonObject(value)))
    problems.error(['channels'], fault('no channels'));
  const checking = { problems, known: { ...NOTHING_KNOWN, conditionFault } };
  return new Map(entries.map((entry) => [entry[0], checkChannel(entry, types, checking)]));
}

function checkChannel(
  [name, entry, path]: NamedEntry,
  types: ReadonlyMap<string, ChannelType>,
  checking: Checking,
): CheckedChannel | undefined {
  const { problems } = checking;
  if (!isJsonObject(entry)) {
    problems.error(path, fault('type.map'));
    return undefined;
  }
  const { type: typeName, burst: writtenBurst, ...rest } = entry;
  const type = types.get(String(typeName));
  if (type === undefined) {
    const known = [...types.keys()];
    const names = known.join(', ');
    const hint = didYouMean(typeof typeName === 'string' ? typeName : '', known);
    problems.error([...path, 'type'], fault('type', { names, hint }));
    const meant =
      typeName === undefined ? Object.keys(rest).find((key) => nearest(key, ['type'])) : undefined;
    if (meant !== undefined)
      problems.error([...path, meant], fault('unknown key', { hint: didYouMean(meant, ['type']) }));
    return undefined;
  }
  const settings = checkSection(type.settings, rest, path, { ...checking, others: ['type', 'burst'] });
  const burst =
    writtenBurst === undefined
      ? undefined
      : checkSection(burstSchema, writtenBurst, [...path, 'burst'], { problems });
  if (settings === undefined)
    return type.needsSettings ? undefined : { type, entry: entrySchema(name, type, undefined) };
  for (const { key, fault: what } of type.warningsOf(settings))
    problems.warning([...path, ...[key].flat()], fault('of its own', { what }));
  const limit = burst && { max: burst.max, perMs: burst.per };
  const config = { name, type: type.type, settings, burst: limit };
  return { type, config, entry: entrySchema(name, type, settings) };
}

/** Built once per channel, since a config may have thousands of entries. */
function entrySchema(name: string, type: ChannelType, settings: unknown): Schema<JsonObject> {
  const address = judged((text) => {
    try {
      type.parseAddress(text, settings);
      return undefined;
    } catch (error) {
      if (error instanceof AddressError) return fault('of its own', { what: error.fault });
      throw error;
    }
  });
  return section('Whom to tell on one channel.', {
    [name]: textOrTexts(address, 'Whom it reaches there.'),
    ...optionFields(type.formatOf(settings).options ?? {}, ['message', ...(type.perJob ?? [])]),
  });
}
