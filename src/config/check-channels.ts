/** Checks `channels`: the type of each, and its settings by the type's own schema. */
import type { ChannelType } from '../channels/channel.ts';
import { isJsonObject } from '../text/json-object.ts';
import { didYouMean } from '../text/nearest.ts';
import { checkSection } from './check-section.ts';
import { type ChannelConfig, msOf } from './config.ts';
import { type KnownChannel, nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import { burstSchema } from './schema.ts';

/** As the config has it, and with its type. */
export interface CheckedChannel extends KnownChannel {
  readonly config: ChannelConfig;
}

/**
 * @param value that is no map has been told of
 * @returns by name; undefined: something is wrong with it, and has been said
 */
export function checkChannels(
  value: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): ReadonlyMap<string, CheckedChannel | undefined> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return new Map(entries.map(([name, entry]) => [name, checkChannel(name, entry, types, problems)]));
}

function checkChannel(
  name: string,
  entry: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): CheckedChannel | undefined {
  const path = ['channels', name];
  const wrong = nameRule(name);
  if (wrong !== undefined) problems.error(path, `: the name of a channel ${wrong}`);
  if (!isJsonObject(entry)) {
    problems.error(path, 'must be a map with its type and settings');
    return undefined;
  }
  const { type: typeName, burst: writtenBurst, ...rest } = entry;
  const type = types.get(String(typeName));
  if (type === undefined) {
    const names = [...types.keys()];
    const hint = typeof typeName === 'string' ? didYouMean(typeName, names) : '';
    const what = typeName === undefined ? 'is missing: one of' : 'must be one of';
    problems.error([...path, 'type'], `${what} ${names.join(', ')}${hint}`);
    return undefined;
  }
  const settings = checkSection(type.settings, rest, path, { problems });
  const burst =
    writtenBurst === undefined
      ? undefined
      : checkSection(burstSchema, writtenBurst, [...path, 'burst'], { problems });
  if (settings === undefined) return undefined;
  for (const { key, message } of type.warningsOf(settings))
    problems.warning([...path, ...[key].flat()], `: ${message}`);
  const limit = burst && { max: burst.max, perMs: msOf(burst.per) };
  return { type, settings, config: { name, type: type.type, settings, burst: limit } };
}
