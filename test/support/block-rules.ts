/** The rules in Slack's table of blocks: each says why Slack would refuse a value. */
import { isUsableUrl } from '../../src/channels/slack/message.ts';
import { isBlank } from '../../src/text/clean.ts';
import { isJsonObject } from '../../src/text/json.ts';

export interface BlockFlaw {
  readonly path: readonly (string | number)[];
  /** In Slack's own words. */
  readonly message: string;
}

/** Told of each flaw. */
type Found = (path: BlockFlaw['path'], message: string) => unknown;

export type BlockRule = (value: unknown, path: BlockFlaw['path'], found: Found) => void;

export type BlockRules = Readonly<Record<string, BlockRule>>;

export const anything: BlockRule = () => undefined;

export function oneOf(...values: readonly unknown[]): BlockRule {
  return (value, path, found) => {
    if (!values.includes(value)) found(path, `must be one of ${values.join(', ')}`);
  };
}

export const flag: BlockRule = (value, path, found) => {
  if (typeof value !== 'boolean') found(path, 'must be a boolean');
};

/** @param most characters @param isNothing whether a text counts as empty */
export function text(most: number, isNothing = isBlank): BlockRule {
  return (value, path, found) => {
    if (typeof value !== 'string') found(path, 'must be a string');
    else if (isNothing(value)) found(path, 'must be more than 0 characters');
    else if (!value.isWellFormed()) found(path, 'must be valid Unicode');
    else if (value.length > most) found(path, `must be less than ${most + 1} characters`);
  };
}

export const url: BlockRule = (value, path, found) => {
  const isUsable = typeof value === 'string' && (isUsableUrl(value) || /^(?:mailto|slack):/.test(value));
  if (!isUsable) found(path, 'invalid url');
};

export function list(most: number, item: BlockRule): BlockRule {
  return (value, path, found) => {
    if (!Array.isArray(value)) return void found(path, 'must provide an array');
    if (value.length === 0) found(path, 'no less than 1 items allowed');
    if (value.length > most) found(path, `no more than ${most} items allowed`);
    value.forEach((each, index) => item(each, [...path, index], found));
  };
}

/** @param anyOf at least one of these is required */
export function object(
  required: BlockRules,
  optional: BlockRules = {},
  anyOf: readonly string[] = [],
): BlockRule {
  const rules = new Map<string, BlockRule>(Object.entries({ type: anything, ...required, ...optional }));
  return (value, path, found) => {
    if (!isJsonObject(value)) return void found(path, 'must provide an object');
    const given = Object.keys(value).filter((key) => value[key] !== undefined);
    const lacked = Object.keys(required).filter((key) => !given.includes(key));
    if (anyOf.length > 0 && !anyOf.some((key) => given.includes(key))) lacked.push(anyOf.join(' or '));
    for (const key of lacked) found(path, `missing required field: ${key}`);
    for (const key of given) {
      const rule = rules.get(key);
      if (rule === undefined) found([...path, key], `invalid additional property: ${key}`);
      rule?.(value[key], [...path, key], found);
    }
  };
}

/** An object whose `type` picks its rule. */
export function byType(types: BlockRules): BlockRule {
  return (value, path, found) => {
    if (!isJsonObject(value)) return void found(path, 'must provide an object');
    const { type } = value;
    if (typeof type !== 'string') return void found(path, 'missing required field: type');
    const rule = Object.hasOwn(types, type) ? types[type] : undefined;
    if (rule === undefined) found([...path, 'type'], `unsupported type: ${type}`);
    rule?.(value, path, found);
  };
}
