/** A request body's bytes as a JSON value, no digit of which is lost. */
import { isUtf8 } from 'node:buffer';
import { shortLine } from '../text/cut.ts';
import { InvalidCallback, MAX_DEPTH } from './callback.ts';
import { isJsonObject } from '../text/json-object.ts';

const LONGEST_REASON = 100;

/** Parsing megabytes of brackets would hold up everybody else for seconds; such a text has this somewhere. */
const MANY_BRACKETS = '['.repeat(1000);

/** The message says what is wrong with the bytes and shows next to nothing of them. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The JSON value that UTF-8 bytes spell, and the bytes without a byte order mark.
 * @throws {UndecodableBody}
 * @throws {InvalidCallback} megabytes of nothing but nesting
 */
export function decodeBody(bytes: Uint8Array): { readonly value: unknown; readonly json: Uint8Array } {
  if (!isUtf8(bytes)) throw new UndecodableBody('The body is not UTF-8, as every callback has to be.');
  const isMarked = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const json = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
  if (text.trim() === '') throw new UndecodableBody('The body is empty: a callback is a JSON object.');
  if (text.includes(MANY_BRACKETS) && nestsTooDeep(text)) {
    throw new InvalidCallback([
      { pointer: '', detail: `must not be nested deeper than ${MAX_DEPTH} levels` },
    ]);
  }
  try {
    return { value: parseExactly(text), json };
  } catch (error) {
    // V8's own words, which may show a few characters of it.
    const reason = shortLine(error instanceof Error ? error.message : '', LONGEST_REASON);
    throw new UndecodableBody(`The body is not JSON: ${reason}.`);
  }
}

/** Whether arrays and objects stand too deep in one another; brackets in strings do not count. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of tokensOutsideStrings(text, /[[{\]}]/)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** How a number begins that may lose digits, or be out of reach; hardly a body has one. */
const LONG = '(?:[\\d.]{16}|[\\d.]+[eE])';
const MAY_BE_LOST = new RegExp(`-?(?=${LONG})[\\d.eE+-]+`);

/** Finds out quickly that there is none; what it finds may stand in a string. */
const PERHAPS_LOST = new RegExp(`[:,[\\s]-?${LONG}`);

/** Decimal digits that every number keeps (ECMAScript's Number, IEEE 754 binary64). */
const KEPT_DIGITS = 15;

/** What the interface says is a number stays one, however inexact. */
const NUMBERS = ['code', 'status', 'elapsed_time'];

/**
 * The value that `text` spells. A number that JavaScript would take for another one, such as an id of 64 bits, is the text
 * that spells it instead: so it is shown as it came, and two callbacks that differ in it alone are two.
 * `lossless-json` does the same, and ends a process with 256 MB at a body of 8 MB that is one text.
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
  const names = NUMBERS.filter((name) => typeof value[name] === 'number');
  return Object.assign(exact, Object.fromEntries(names.map((name) => [name, value[name]])));
}

/** What `pattern` matches there, in order. A regular expression for a whole string overflows V8's stack where that is long. */
function* tokensOutsideStrings(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let isInString = false;
  for (const found of text.matchAll(new RegExp(`\\\\["\\\\]|"|${pattern.source}`, 'g'))) {
    if (found[0] === '"') isInString = !isInString;
    else if (!isInString) yield found;
  }
}
