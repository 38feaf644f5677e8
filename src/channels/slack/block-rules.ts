/** Rules of which Slack's table of blocks is made: each says what Slack would refuse of a value, and where. */
import { isBlank } from '../../text/clean.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { didYouMean } from '../../text/nearest.ts';
import { isUsableUrl } from './message.ts';

export interface BlockFlaw {
  readonly path: readonly (string | number)[];
  /** In Slack's own words. */
  readonly message: string;
  /** Of a text that a value made too long: how many characters Slack takes; 0 where a value left nothing. Undefined: no value did it. */
  readonly most: number | undefined;
}

export type Rule = (value: unknown, spot: Spot) => void;

export type Rules = Readonly<Record<string, Rule>>;

/** Where a value stands, and what is wrong in the whole of which it is a part. */
export class Spot {
  readonly path: BlockFlaw['path'];
  readonly flaws: BlockFlaw[];

  constructor(path: BlockFlaw['path'], flaws: BlockFlaw[] = []) {
    this.path = path;
    this.flaws = flaws;
  }

  at(key: string | number): Spot {
    return new Spot([...this.path, key], this.flaws);
  }

  flaw(message: string, most?: number): void {
    this.flaws.push({ path: this.path, message, most });
  }
}

export const anything: Rule = () => undefined;

export function is(type: 'boolean' | 'number'): Rule {
  return (value, spot) => {
    if (typeof value !== type) spot.flaw(`must be a ${type}`);
  };
}

export function oneOf(...values: readonly unknown[]): Rule {
  return (value, spot) => {
    if (!values.includes(value)) spot.flaw(`must be one of ${values.join(', ')}`);
  };
}

/** @param most characters @param isNothing what is as good as no text */
export function text(most: number, isNothing = isBlank): Rule {
  return (value, spot) => {
    if (typeof value !== 'string') spot.flaw('must be a string');
    else if (isNothing(value)) spot.flaw('must be more than 0 characters', 0);
    else if (!value.isWellFormed()) spot.flaw('must be valid Unicode');
    else if (value.length > most) spot.flaw(`must be less than ${most + 1} characters`, most);
  };
}

export const url: Rule = (value, spot) => {
  if (value === '') spot.flaw('invalid url', 0);
  else if (typeof value !== 'string' || !(isUsableUrl(value) || /^(?:mailto|slack):/.test(value)))
    spot.flaw('invalid url');
};

export function list(most: number, item: Rule): Rule {
  return (value, spot) => {
    if (!Array.isArray(value)) return spot.flaw('must provide an array');
    if (value.length === 0) spot.flaw('no less than 1 items allowed');
    if (value.length > most) spot.flaw(`no more than ${most} items allowed`);
    for (const [index, each] of value.entries()) item(each, spot.at(index));
  };
}

/** @param anyOf at least one of these must be there */
export function object(required: Rules, optional: Rules = {}, anyOf: readonly string[] = []): Rule {
  const rules: Rules = { ...required, ...optional };
  return (value, spot) => {
    if (!isJsonObject(value)) return spot.flaw('must provide an object');
    const isThere = (key: string) => value[key] !== undefined;
    const missing = Object.keys(required).filter((key) => !isThere(key));
    if (anyOf.length > 0 && !anyOf.some(isThere)) missing.push(anyOf.join(' or '));
    for (const key of missing) spot.flaw(`missing required field: ${key}`);
    for (const key of Object.keys(value).filter(isThere)) {
      if (Object.hasOwn(rules, key)) rules[key]?.(value[key], spot.at(key));
      else if (key !== 'type')
        spot.at(key).flaw(`invalid additional property: ${key}${didYouMean(key, Object.keys(rules))}`);
    }
  };
}

/** An object whose `type` picks its rule. */
export function byType(types: Rules): Rule {
  const known = Object.keys(types);
  return (value, spot) => {
    const type = isJsonObject(value) ? value['type'] : undefined;
    if (!isJsonObject(value)) spot.flaw('must provide an object');
    else if (typeof type !== 'string') spot.flaw('missing required field: type');
    else if (Object.hasOwn(types, type)) types[type]?.(value, spot);
    else
      spot
        .at('type')
        .flaw(`unsupported type: ${type}${didYouMean(type, known) || `: one of ${known.join(', ')}`}`);
  };
}
