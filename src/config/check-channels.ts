/** Reads `channels`: the type of each, and its settings by the type's own schema. */
import { isJsonObject } from '../text/json-object.ts';
import type { ChannelType } from '../channels/channel.ts';
import { checkSection } from './check-section.ts';
import type { ChannelConfig } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import { nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import { pathText } from './path.ts';

/** A channel that the config names; what is wrong with it is not there, and has been said. */
export interface KnownChannel {
  readonly name: string;
  readonly type?: ChannelType | undefined;
  readonly config?: ChannelConfig;
}

/** @param value that is no map has been told of */
export function checkChannels(
  value: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): Map<string, KnownChannel> {
  return new Map(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, entry]) => [
      name,
      checkChannel(name, entry, types, problems),
    ]),
  );
}

function checkChannel(
  name: string,
  entry: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): KnownChannel {
  const path = ['channels', name];
  const problem = nameRule(name);
  if (problem !== undefined) problems.errorAtKey(path, `the name of a channel ${problem}`);
  if (!isJsonObject(entry)) {
    problems.error(path, 'must be a map with its type and settings');
    return { name };
  }
  const { type: typeName, ...rest } = entry;
  const type = findType(name, typeName, types, problems);
  const settings = type && checkSection(type.settings, rest, path, problems);
  if (!type || settings === undefined) return { name, type };
  for (const { key, message } of type.warningsOf(settings))
    problems.warning([...path, key], `: ${problems.redact(message)}`);
  return { name, type, config: { name, type: type.type, settings } };
}

function findType(
  name: string,
  value: unknown,
  types: ReadonlyMap<string, ChannelType>,
  problems: Problems,
): ChannelType | undefined {
  const path = ['channels', name, 'type'];
  const known = [...types.keys()];
  const type = typeof value === 'string' ? types.get(value) : undefined;
  if (type !== undefined) return type;
  if (value === undefined)
    problems.errorAtKey(path.slice(0, 2), `${pathText(path)} is missing: one of ${known.join(', ')}`);
  else
    problems.error(
      path,
      `must be one of ${known.join(', ')}${typeof value === 'string' ? didYouMean(value, known) : ''}`,
    );
  return undefined;
}
