/** Liquid's comparisons: liquidjs takes null, an empty text and an empty list for 0. */
import { defaultOperators, type Operators } from 'liquidjs';
import { plainNumber } from '../text/json.ts';

/** In templates: a value that is no number is neither less nor greater than a number. */
export const ORDERING: Operators = { ...defaultOperators, ...comparing(['<', '<=', '>', '>='], false) };

/** In conditions: the same for `==` and `!=`, so that `'0' == 0`. */
export const COMPARING: Operators = { ...ORDERING, ...comparing(['==', '!='], true) };

/** @param ofAnything whether any two values are compared; else two that are not both numbers or both texts compare as false */
function comparing(names: readonly string[], ofAnything: boolean): Operators {
  return Object.fromEntries(names.map((name) => [name, comparison(name, ofAnything)]));
}

function comparison(name: string, ofAnything: boolean) {
  const compare = defaultOperators[name] as (left: unknown, right: unknown) => boolean;
  return (left: unknown, right: unknown): boolean => {
    const [one, other] = [numberIn(left), numberIn(right)];
    if (one !== undefined && other !== undefined) return compare(one, other);
    const areTexts = typeof left === 'string' && typeof right === 'string';
    return (ofAnything || areTexts) && compare(left, right);
  };
}

const NUMBER = /^\s*[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/** A longer text is not looked at. */
const LONGEST_NUMBER = 1000;

/** The value of a number, or of a string that is nothing but a number, also in groups of three digits or in full width; undefined: neither. */
function numberIn(value: unknown): number | undefined {
  const plain = plainNumber(value);
  if (typeof plain === 'number') return plain;
  if (typeof value !== 'string' || value.length > LONGEST_NUMBER) return undefined;
  const text = value.normalize('NFKC');
  return NUMBER.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}
