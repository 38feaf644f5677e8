/** The rules in Slack's table of blocks: each reports why Slack would refuse a value, and returns what Slack would take of it. */
import { isBlank } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { didYouMean } from '../../text/nearest.ts';
import { isUsableUrl } from './message.ts';

export interface BlockFlaw {
  readonly path: readonly (string | number)[];
  /** In Slack's own words. */
  readonly message: string;
  /** Whether the flaw is a too long or empty text, which depends on the values that a template prints. */
  readonly isOfValue: boolean;
}

/** Collects the flaws of all blocks; `mark` ends each text that is cut. */
export class Judgement {
  readonly flaws: BlockFlaw[] = [];
  readonly mark: string;

  constructor(mark: string) {
    this.mark = mark;
  }

  /** @returns undefined, so that a rule can return it for a value of which nothing is kept */
  flaw(path: BlockFlaw['path'], message: string, isOfValue = false): undefined {
    this.flaws.push({ path, message, isOfValue });
  }
}

/** @returns the part of the value that Slack takes; undefined: none */
export type BlockRule = (value: unknown, path: BlockFlaw['path'], found: Judgement) => unknown;

export type BlockRules = Readonly<Record<string, BlockRule>>;

export const anything: BlockRule = (value) => value;

export function oneOf(...values: readonly unknown[]): BlockRule {
  return (value, path, found) =>
    values.includes(value) ? value : found.flaw(path, `must be one of ${values.join(', ')}`);
}

export const flag: BlockRule = (value, path, found) =>
  typeof value === 'boolean' ? value : found.flaw(path, 'must be a boolean');

/** In less room, the words that say that something was cut do not fit. */
const ROOM_FOR_WORDS = 80;

/** @param most characters @param isNothing whether a text counts as empty */
export function text(most: number, { isNothing = isBlank, cut = cutEnd } = {}): BlockRule {
  return (value, path, found) => {
    if (typeof value !== 'string') return found.flaw(path, 'must be a string');
    if (isNothing(value)) return found.flaw(path, 'must be more than 0 characters', true);
    if (!value.isWellFormed()) return found.flaw(path, 'must be valid Unicode');
    if (value.length <= most) return value;
    found.flaw(path, `must be less than ${most + 1} characters`, true);
    return cut(value, most, most < ROOM_FOR_WORDS ? '…' : found.mark);
  };
}

export const url: BlockRule = (value, path, found) => {
  const isUsable = typeof value === 'string' && (isUsableUrl(value) || /^(?:mailto|slack):/.test(value));
  return isUsable ? value : found.flaw(path, 'invalid url', value === '');
};

/** @param nothing replaces a refused item, which otherwise is left out */
export function list(most: number, item: BlockRule, nothing?: unknown) {
  return (value: unknown, path: BlockFlaw['path'], found: Judgement): readonly unknown[] | undefined => {
    if (!Array.isArray(value)) return found.flaw(path, 'must provide an array');
    if (value.length === 0) return found.flaw(path, 'no less than 1 items allowed');
    if (value.length > most) found.flaw(path, `no more than ${most} items allowed`);
    const items = value.map((each, index) => item(each, [...path, index], found) ?? nothing);
    const kept = items.filter((each) => each !== undefined);
    return kept.length > 0 ? kept.slice(0, most) : undefined;
  };
}

/** An object is refused if a required member or its `url` is refused. @param anyOf at least one of these is required */
export function object(
  required: BlockRules,
  optional: BlockRules = {},
  anyOf: readonly string[] = [],
): BlockRule {
  const rules = new Map<string, BlockRule>(Object.entries({ type: anything, ...required, ...optional }));
  const known = [...rules.keys()].filter((key) => key !== 'type');
  return (value, path, found) => {
    if (!isJsonObject(value)) return found.flaw(path, 'must provide an object');
    const given = Object.keys(value).filter((key) => value[key] !== undefined);
    const lackedBy = (keys: readonly string[]) => {
      const lacked = Object.keys(required).filter((key) => !keys.includes(key));
      const hasAny = anyOf.length === 0 || anyOf.some((key) => keys.includes(key));
      return hasAny ? lacked : [...lacked, anyOf.join(' or ')];
    };
    for (const key of lackedBy(given)) found.flaw(path, `missing required field: ${key}`);
    const kept = given.flatMap((key) => {
      const rule = rules.get(key);
      if (rule === undefined)
        found.flaw([...path, key], `invalid additional property: ${key}${didYouMean(key, known)}`);
      const member = rule?.(value[key], [...path, key], found);
      return member === undefined ? [] : [[key, member] as const];
    });
    const keys = kept.map(([key]) => key);
    const isWhole = lackedBy(keys).length === 0 && given.includes('url') === keys.includes('url');
    return isWhole ? Object.fromEntries(kept) : undefined;
  };
}

/** An object whose `type` picks its rule. */
export function byType(types: BlockRules): BlockRule {
  const known = Object.keys(types);
  return (value, path, found) => {
    if (!isJsonObject(value)) return found.flaw(path, 'must provide an object');
    const { type } = value;
    if (typeof type !== 'string') return found.flaw(path, 'missing required field: type');
    const rule = Object.hasOwn(types, type) ? types[type] : undefined;
    if (rule !== undefined) return rule(value, path, found);
    const hint = didYouMean(type, known) || `: one of ${known.join(', ')}`;
    return found.flaw([...path, 'type'], `unsupported type: ${type}${hint}`);
  };
}
