/** What Slack would refuse of a message's blocks, with JSON pointers and in Slack's own words. */
import { isJsonObject } from '../../text/json-object.ts';
import { didYouMean } from '../../text/nearest.ts';
import { MAX_URL_LENGTH } from './message.ts';
import { BLOCKS, type ListRule, MAX_TABLE_TEXT, type ObjectRule, type Rule } from './block-kit.ts';

type Path = readonly (string | number)[];

export interface BlockFlaw {
  readonly path: Path;
  readonly message: string;
  /** A text too long or empty, an address that came out empty: Botbell cuts or drops it before it sends. */
  readonly isMended: boolean;
}

export function flawsOfBlocks(blocks: unknown): readonly BlockFlaw[] {
  const entries: readonly unknown[] = Array.isArray(blocks) ? blocks : [];
  return [...flawsOf(BLOCKS, blocks, ['blocks']), ...repeatedIds(entries), ...flawsOfTables(entries)];
}

function flawsOf(rule: Rule, value: unknown, path: Path): readonly BlockFlaw[] {
  switch (rule.kind) {
    case 'text':
      return flawsOfText(value, rule.most, path);
    case 'url':
      return flawsOfUrl(value, path);
    case 'primitive':
      return typeof value === rule.type ? [] : [flaw(path, `must be a ${rule.type}`)];
    case 'oneOf':
      return rule.values.includes(value) ? [] : [flaw(path, `must be one of ${rule.values.join(', ')}`)];
    case 'list':
      return flawsOfList(rule, value, path);
    case 'object':
      return flawsOfObject(rule, value, path);
    case 'byType':
      return flawsByType(rule.types, value, path);
    case 'anything':
      return [];
  }
}

function flaw(path: Path, message: string, isMended = false): BlockFlaw {
  return { path, message, isMended };
}

function flawsOfText(value: unknown, most: number, path: Path): readonly BlockFlaw[] {
  if (typeof value !== 'string') return [flaw(path, 'must be a string')];
  if (value.length === 0) return [flaw(path, 'must be more than 0 characters', true)];
  if (value.length > most) return [flaw(path, `must be less than ${most + 1} characters`, true)];
  return value.isWellFormed() ? [] : [flaw(path, 'must be valid Unicode', true)];
}

function flawsOfUrl(value: unknown, path: Path): readonly BlockFlaw[] {
  if (value === '') return [flaw(path, 'must be more than 0 characters', true)];
  if (typeof value === 'string' && value.length > MAX_URL_LENGTH)
    return [flaw(path, `must be less than ${MAX_URL_LENGTH + 1} characters`)];
  const isUrl = typeof value === 'string' && URL.canParse(value);
  return isUrl && /^(https?|mailto|slack):/.test(value) ? [] : [flaw(path, 'invalid url')];
}

function flawsOfList({ most, item }: ListRule, value: unknown, path: Path): readonly BlockFlaw[] {
  if (!Array.isArray(value)) return [flaw(path, 'must provide an array')];
  if (value.length === 0) return [flaw(path, 'no less than 1 items allowed', true)];
  if (value.length > most) return [flaw(path, `no more than ${most} items allowed`)];
  return value.flatMap((entry, index) => flawsOf(item, entry, [...path, index]));
}

function flawsOfObject(
  { required, optional, anyOf }: ObjectRule,
  value: unknown,
  path: Path,
): readonly BlockFlaw[] {
  if (!isJsonObject(value)) return [flaw(path, 'must provide an object')];
  const missing = Object.keys(required).filter((key) => value[key] === undefined);
  const lacksAll = anyOf.length > 0 && anyOf.every((key) => value[key] === undefined);
  return [
    ...missing.map((key) => flaw(path, `missing required field: ${key}`)),
    ...(lacksAll ? [flaw(path, `missing required field: ${anyOf.join(' or ')}`)] : []),
    ...Object.entries(value).flatMap(([key, entry]) => {
      if (key === 'type' || entry === undefined) return [];
      const rule = ruleOf(required, key) ?? ruleOf(optional, key);
      const at = [...path, key];
      if (rule !== undefined) return flawsOf(rule, entry, at);
      const known = Object.keys({ ...required, ...optional });
      return [flaw(at, `invalid additional property: ${key}${didYouMean(key, known)}`)];
    }),
  ];
}

export function ruleOf(rules: Readonly<Record<string, Rule>>, key: string): Rule | undefined {
  return Object.hasOwn(rules, key) ? rules[key] : undefined;
}

function flawsByType(
  types: Readonly<Record<string, Rule>>,
  value: unknown,
  path: Path,
): readonly BlockFlaw[] {
  if (!isJsonObject(value)) return [flaw(path, 'must provide an object')];
  const { type } = value;
  if (typeof type !== 'string') return [flaw(path, 'missing required field: type')];
  const rule = ruleOf(types, type);
  if (rule !== undefined) return flawsOf(rule, value, path);
  const known = Object.keys(types);
  return [
    flaw(
      [...path, 'type'],
      `unsupported type: ${type}${didYouMean(type, known) || `: one of ${known.join(', ')}`}`,
    ),
  ];
}

function flawsOfTables(blocks: readonly unknown[]): readonly BlockFlaw[] {
  const tables = [...blocks.entries()].filter(
    ([, entry]) => isJsonObject(entry) && entry['type'] === 'table',
  );
  const [first, second] = tables;
  if (first === undefined) return [];
  const isTooLong = textLength(tables.map(([, table]) => table)) > MAX_TABLE_TEXT;
  return [
    ...(second === undefined ? [] : [flaw(['blocks', second[0]], 'only_one_table_allowed', true)]),
    ...(isTooLong
      ? [flaw(['blocks', first[0]], `must be less than ${MAX_TABLE_TEXT + 1} characters`, true)]
      : []),
  ];
}

function repeatedIds(blocks: readonly unknown[]): readonly BlockFlaw[] {
  const ids = blocks.map((entry) => (isJsonObject(entry) ? entry['block_id'] : undefined));
  return ids.flatMap((id, index) =>
    id === undefined || ids.indexOf(id) === index
      ? []
      : [flaw(['blocks', index, 'block_id'], 'block_id already exists')],
  );
}

/** All characters under the keys `text`, entities counted as they are written. */
export function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((total, [key, entry]: [string, unknown]) => {
    return total + (key === 'text' && typeof entry === 'string' ? entry.length : textLength(entry));
  }, 0);
}
