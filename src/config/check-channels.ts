/** Reads `channels`: the type of each, and its settings by the type's own schema. */
import { isJsonObject } from '../text/json-object.ts';
import type { ChannelType } from '../channels/channel.ts';
import { checkSection } from './check-section.ts';
import { type ChannelConfig, msOf } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import { nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import { type Path, pathText } from './path.ts';
import { burstSchema } from './rules-schema.ts';

export interface KnownChannel {
  readonly type: ChannelType;
  readonly config: ChannelConfig;
}

/** By name; undefined: something is wrong with it, and has been said. */
export type KnownChannels = ReadonlyMap<string, KnownChannel | undefined>;

/** @param value that is no map has been told of */
export function checkChannels(
  value: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): KnownChannels {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return new Map(entries.map(([name, entry]) => [name, checkChannel(name, entry, types, problems)]));
}

function checkChannel(
  name: string,
  entry: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): KnownChannel | undefined {
  const path = ['channels', name];
  const wrong = nameRule(name);
  if (wrong !== undefined) problems.errorAtKey(path, `the name of a channel ${wrong}`);
  if (!isJsonObject(entry)) {
    problems.error(path, 'must be a map with its type and settings');
    return undefined;
  }
  const { type: typeName = '', burst: writtenBurst, ...rest } = entry;
  const type = typeof typeName === 'string' ? types.get(typeName) : undefined;
  if (type === undefined) {
    const known = [...types.keys()].join(', ');
    const hint = typeof typeName === 'string' ? didYouMean(typeName, [...types.keys()]) : '';
    if (typeName === '') problems.errorAtKey(path, `${pathText(path)}.type is missing: one of ${known}`);
    else problems.error([...path, 'type'], `must be one of ${known}${hint}`);
    return undefined;
  }
  const settings = checkSection(type.settings, rest, path, problems);
  const burst = readBurst(writtenBurst, [...path, 'burst'], problems);
  if (settings === undefined) return undefined;
  for (const { key, message } of type.warningsOf(settings))
    problems.warning([...path, ...[key].flat()], `: ${problems.redact(message)}`);
  return { type, config: { name, type: type.type, settings, burst } };
}

function readBurst(written: unknown, path: Path, problems: Problems): ChannelConfig['burst'] {
  const burst = written === undefined ? undefined : checkSection(burstSchema, written, path, problems);
  return burst && { max: burst.max, perMs: msOf(burst.per) };
}
