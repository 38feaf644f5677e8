/** JSON as JavaScript reads it, but for the numbers that JavaScript cannot hold: docs/adr/0022-numbers-beyond-doubles.md. */
import { isJsonObject } from '../text/json-object.ts';
import { tokensOutsideStrings } from './json-tokens.ts';

/** How a number begins that may lose digits, or be out of reach; hardly a body has one. */
const LONG = '(?:[\\d.]{16}|[\\d.]+[eE])';
const MAY_BE_LOST = new RegExp(`-?(?=${LONG})[\\d.eE+-]+`);

/** Finds out quickly that there is none; what it finds may stand in a string. */
const PERHAPS_LOST = new RegExp(`[:,[\\s]-?${LONG}`);

/** Decimal digits that every number keeps (ECMAScript's Number, IEEE 754 binary64). */
const KEPT_DIGITS = 15;

/** What the interface says is a number stays one, however inexact. */
const NUMBERS = new Set(['code', 'status', 'elapsed_time']);

/**
 * The value that `text` spells. A number that JavaScript would take for another one, such as an id of 64 bits, is the text
 * that spells it instead: so it is shown as it came, and two callbacks that differ in it alone are two.
 * @throws {SyntaxError} as JSON.parse
 */
export function parseExactly(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  return PERHAPS_LOST.test(text) ? withNumbersOf(value, JSON.parse(withLostAsText(text))) : value;
}

function withLostAsText(json: string): string {
  let spelt = '';
  let copied = 0;
  for (const { 0: number, index } of tokensOutsideStrings(json, MAY_BE_LOST)) {
    if (isKept(number)) continue;
    spelt += `${json.slice(copied, index)}"${number}"`;
    copied = index + number.length;
  }
  return spelt + json.slice(copied);
}

function isKept(token: string): boolean {
  const number = Number(token);
  const [mantissa = ''] = token.split(/[eE]/);
  const digits = mantissa.replaceAll(/\D/g, '').replace(/^0+/, '');
  if (!Number.isFinite(number) || (number === 0 && digits !== '')) return false;
  return digits.length <= KEPT_DIGITS || String(number) === token;
}

function withNumbersOf(value: unknown, exact: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(exact)) return exact;
  const numbers = Object.entries(value).filter(
    ([name, number]) => NUMBERS.has(name) && typeof number === 'number',
  );
  return Object.assign(exact, Object.fromEntries(numbers));
}
