/** Decodes a request body as JSON without losing digits of its numbers. */
import { isUtf8 } from 'node:buffer';
import { shortLine } from '../text/cut.ts';
import { InvalidCallback, MAX_DEPTH } from './callback.ts';
import { isJsonObject } from '../text/json-object.ts';

const LONGEST_REASON = 100;

/** Parsing megabytes of brackets would block the event loop for seconds; such a text contains this string. */
const MANY_BRACKETS = '['.repeat(1000);

/** Its message says what is wrong with the body and quotes at most a few characters of it. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The JSON value in UTF-8 bytes, and the bytes without a byte order mark.
 * @throws {UndecodableBody}
 * @throws {InvalidCallback} very deep nesting
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
    // V8's message, which may quote a few characters of the body.
    const reason = shortLine(error instanceof Error ? error.message : '', LONGEST_REASON);
    throw new UndecodableBody(`The body is not JSON: ${reason}.`);
  }
}

/** Whether arrays and objects nest deeper than `MAX_DEPTH`; brackets in strings do not count. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of tokensOutsideStrings(text, /[[{\]}]/)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The beginning of a number that may lose digits or be out of JavaScript's range. */
const LONG = '(?:[\\d.]{16}|[\\d.]+[eE])';
const MAY_BE_LOST = new RegExp(`-?(?=${LONG})[\\d.eE+-]+`);

/** A quick test for such a number, which few bodies have. Its match may be inside a string. */
const PERHAPS_LOST = new RegExp(`[:,[\\s]-?${LONG}`);

/** Decimal digits that every number keeps (ECMAScript's Number, IEEE 754 binary64). */
const KEPT_DIGITS = 15;

/** The fields that the interface defines as numbers stay numbers, even if inexact. */
const NUMBERS = ['code', 'status', 'elapsed_time'];

/**
 * Parses JSON. A number that JavaScript cannot represent, such as an id of 64 bits, becomes a string with the same digits, so
 * that it is shown as it came, and callbacks that differ only in it have different identities.
 * `lossless-json` does the same, but a process with 256 MB runs out of memory at a body of 8 MB that is one string.
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

/** Matches of `pattern` in order. (A regular expression that matches whole strings overflows V8's stack at a long one.) */
function* tokensOutsideStrings(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let isInString = false;
  for (const found of text.matchAll(new RegExp(`\\\\["\\\\]|"|${pattern.source}`, 'g'))) {
    if (found[0] === '"') isInString = !isInString;
    else if (!isInString) yield found;
  }
}
