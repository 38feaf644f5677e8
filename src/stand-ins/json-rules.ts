/** Small rules that say, with JSON pointers and in Slack's own words, what is wrong with a JSON value. */
import { isJsonObject } from '../text/json-object.ts';

export interface Flaw {
  readonly pointer: string;
  readonly message: string;
}

/** Every flaw of `value`, which stands at `pointer`; none: it is right. */
export type Rule = (value: unknown, pointer: string) => Flaw[];

type Rules = Readonly<Record<string, Rule>>;

export const anything: Rule = () => [];

export function rule(message: string, holds: (value: unknown) => boolean): Rule {
  return (value, pointer) => (holds(value) ? [] : [{ pointer, message }]);
}

export const flag = rule('must be a boolean', (value) => typeof value === 'boolean');

export function wholeNumber(min: number, max: number): Rule {
  return rule(
    `must be an integer from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );
}

/** Further ones are asked only where the ones before hold. */
function inTurn(...rules: readonly Rule[]): Rule {
  return (value, pointer) =>
    rules.reduce<Flaw[]>((flaws, each) => (flaws.length > 0 ? flaws : each(value, pointer)), []);
}

/** A string of `min` to `max` UTF-16 units without lone surrogates. */
export function text(min: number, max = Infinity): Rule {
  return inTurn(
    rule('must be a string', (value) => typeof value === 'string'),
    rule(`must be more than ${min - 1} characters`, (value) => String(value).length >= min),
    rule(`must be less than ${max + 1} characters`, (value) => String(value).length <= max),
    rule('must be valid Unicode', (value) => String(value).isWellFormed()),
  );
}

export function webUrl(max: number): Rule {
  const isUrl = (value: unknown) =>
    URL.canParse(String(value)) && /^(https?|mailto|slack):/.test(String(value));
  return inTurn(text(1, max), rule('invalid url', isUrl));
}

export function oneOf(...values: readonly unknown[]): Rule {
  return rule('must be a valid enum value', (value) => values.includes(value));
}

export function list(min: number, max: number, item: Rule): Rule {
  return (value, pointer) => {
    if (!Array.isArray(value)) return [{ pointer, message: 'must provide an array' }];
    if (value.length < min) return [{ pointer, message: `no less than ${min} items allowed` }];
    if (value.length > max) return [{ pointer, message: `no more than ${max} items allowed` }];
    return value.flatMap((entry, index) => item(entry, `${pointer}/${index}`));
  };
}

/** An object that has all of `required`, perhaps some of `optional`, `type` and nothing else. */
export function shape(required: Rules, optional: Rules = {}): Rule {
  const known: Rules = { ...optional, ...required };
  return (value, pointer) => {
    if (!isJsonObject(value)) return [{ pointer, message: 'must provide an object' }];
    const missing = Object.keys(required).filter((key) => value[key] === undefined);
    return [
      ...missing.map((key) => ({ pointer, message: `missing required field: ${key}` })),
      ...Object.entries(value).flatMap(([key, entry]) => checkEntry(known, key, entry, pointer)),
    ];
  };
}

function checkEntry(known: Rules, key: string, entry: unknown, pointer: string): Flaw[] {
  if (key === 'type' || entry === undefined) return [];
  const rule = Object.hasOwn(known, key) ? known[key] : undefined;
  return rule
    ? rule(entry, `${pointer}/${key}`)
    : [{ pointer, message: `invalid additional property: ${key}` }];
}

/** An object whose `type` picks its rule. */
export function byType(rules: Rules): Rule {
  return (value, pointer) => {
    if (!isJsonObject(value)) return [{ pointer, message: 'must provide an object' }];
    const type = value['type'];
    if (typeof type !== 'string') return [{ pointer, message: 'missing required field: type' }];
    const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
    return rule
      ? rule(value, pointer)
      : [{ pointer: `${pointer}/type`, message: `unsupported type: ${type}` }];
  };
}

/** An object that has at least one of `keys`. */
export function anyOf(...keys: readonly string[]): Rule {
  return rule(
    `missing required field: ${keys.join(' or ')}`,
    (value) => isJsonObject(value) && keys.some((key) => value[key] !== undefined),
  );
}

export function all(...rules: readonly Rule[]): Rule {
  return (value, pointer) => rules.flatMap((rule) => rule(value, pointer));
}
