/** Small rules that say, with JSON pointers and in Slack's own words, what is wrong with a JSON value. */
import { isJsonObject } from '../text/json-object.ts';

export interface Flaw {
  readonly pointer: string;
  readonly message: string;
}

/** Every flaw of `value`, which stands at `pointer`; none: it is right. */
export type Rule = (value: unknown, pointer: string) => Flaw[];

export type Rules = Readonly<Record<string, Rule>>;

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

/** A string of `min` to `max` UTF-16 units without lone surrogates. */
export function text(min: number, max = Infinity): Rule {
  return (value, pointer) => {
    if (typeof value !== 'string') return [{ pointer, message: 'must be a string' }];
    if (value.length < min) return [{ pointer, message: `must be more than ${min - 1} characters` }];
    if (value.length > max) return [{ pointer, message: `must be less than ${max + 1} characters` }];
    return value.isWellFormed() ? [] : [{ pointer, message: 'must be valid Unicode' }];
  };
}

export function webUrl(max: number): Rule {
  const isUrl = (value: unknown) =>
    URL.canParse(String(value)) && /^(https?|mailto|slack):/.test(String(value));
  return all(text(1, max), rule('invalid url', isUrl));
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
  const known = new Map(Object.entries({ ...optional, ...required, type: anything }));
  return (value, pointer) => {
    if (!isJsonObject(value)) return [{ pointer, message: 'must provide an object' }];
    const missing = Object.keys(required).filter((key) => value[key] === undefined);
    const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const additional = (key: string) => [{ pointer, message: `invalid additional property: ${key}` }];
    return [
      ...missing.map((key) => ({ pointer, message: `missing required field: ${key}` })),
      ...given.flatMap(([key, entry]) => known.get(key)?.(entry, `${pointer}/${key}`) ?? additional(key)),
    ];
  };
}

/** An object whose `type` picks its rule. */
export function byType(rules: Rules): Rule {
  const known = new Map(Object.entries(rules));
  return (value, pointer) => {
    if (!isJsonObject(value)) return [{ pointer, message: 'must provide an object' }];
    const { type } = value;
    if (typeof type !== 'string') return [{ pointer, message: 'missing required field: type' }];
    const unsupported = { pointer: `${pointer}/type`, message: `unsupported type: ${type}` };
    return known.get(type)?.(value, pointer) ?? [unsupported];
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
  return (value, pointer) => rules.flatMap((each) => each(value, pointer));
}
