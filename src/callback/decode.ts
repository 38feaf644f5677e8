/** Decodes a body as JSON without losing a digit of its numbers or the order of its keys. One pass over its bytes shows first whether `JSON.parse` suffices. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { shortLine } from '../text/cut.ts';
import { isJsonObject, SpeltNumber, parseExactly } from '../text/json.ts';
import { InvalidCallback, isInteger, MAX_DEPTH, TooManyValues, checkCallback } from './callback.ts';

const LONGEST_REASON = 100;

/** From this depth on, JSON is refused without being parsed, which would take long. */
const TOO_DEEP_TO_PARSE = 1000;

/** Its message says what is wrong with the body and quotes at most a few characters of it. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

/**
 * Reads a request's body, of at most `maxNodes` values. @returns also its JSON, without a byte order mark
 * @throws {UndecodableBody} @throws {TooManyValues} @throws {InvalidCallback} with all errors
 */
export function readCallback(bytes: Uint8Array, timezone: string, maxNodes?: number) {
  const { value, json, isDeep } = decodeBody(bytes, maxNodes);
  const { callback, startedAt } = checkCallback(value, timezone, isDeep);
  return { json, callback, startedAt };
}

/**
 * The JSON value in UTF-8 bytes, and the bytes without a byte order mark.
 * @param mostValues limit of objects, lists, texts, numbers and other values; keys do not count
 * @throws {UndecodableBody} @throws {TooManyValues} @throws {InvalidCallback} very deep nesting
 */
export function decodeBody(bytes: Uint8Array, mostValues = Infinity) {
  if (!isUtf8(bytes)) throw new UndecodableBody('The body is not UTF-8, as every callback has to be.');
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const json = isMarked ? bytes.subarray(3) : bytes;
  try {
    return Object.assign(parseJson(json, mostValues), { json });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // V8's message, which may quote a few characters of the body.
    throw new UndecodableBody(`The body is not JSON: ${shortLine(error.message, LONGEST_REASON)}.`);
  }
}

/**
 * The value of JSON in UTF-8, its numbers as they are spelt (`SpeltNumber`) and its keys in their order.
 * @returns also whether it nests deeper than `MAX_DEPTH`
 * @throws {SyntaxError} as JSON.parse @throws {UndecodableBody} nothing but blanks
 * @throws {TooManyValues} @throws {InvalidCallback} very deep nesting
 */
export function parseJson(bytes: Uint8Array, mostValues = Infinity) {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { values, depth, isChangedByParsing } = survey(json);
  if (values > mostValues) throw new TooManyValues(`holds more than ${mostValues} JSON values`);
  if (depth > TOO_DEEP_TO_PARSE) {
    const detail = `is nested deeper than ${MAX_DEPTH} levels`;
    throw new InvalidCallback([{ pointer: '', detail }]);
  }
  const text = textIn(json);
  if (text.trim() === '') throw new UndecodableBody('The body is empty: a callback is a JSON object.');
  const value: unknown = JSON.parse(text);
  return {
    value: isChangedByParsing ? withPlainStatus(parseExactly(text)) : value,
    isDeep: depth > MAX_DEPTH,
  };
}

/** V8 decodes UTF-8 that is not ASCII eight times as slowly as Node turns it into UTF-16. @param utf8 valid */
function textIn(utf8: Buffer): string {
  return isAscii(utf8) ? utf8.toString('latin1') : transcode(utf8, 'utf8', 'utf16le').toString('utf16le');
}

/** Replaces a status such as `1.0` by its number, since nobody is to be told how it was spelt. */
function withPlainStatus(value: unknown): unknown {
  const status = isJsonObject(value) ? value['status'] : undefined;
  if (!(status instanceof SpeltNumber && isInteger(status))) return value;
  return Object.assign(value as object, { status: status.valueOf() });
}

const [BETWEEN, QUOTE, COLON, OPEN, CLOSE, DIGIT, WORD] = [0, 1, 2, 3, 4, 5, 6] as const;

/** What each byte is outside of a text; a table, since comparisons would take several times as long. */
const KINDS = new Uint8Array(256).fill(WORD);
for (const [bytes, kind] of [
  [' \t\n\r,', BETWEEN],
  ['"', QUOTE],
  [':', COLON],
  ['[{', OPEN],
  [']}', CLOSE],
  ['0123456789', DIGIT],
] as const)
  for (const byte of Buffer.from(bytes)) KINDS[byte] = kind;

const [DOUBLE_QUOTE, BACKSLASH, NINE] = [0x22, 0x5c, 0x39] as const;

/** An integer of up to this many digits keeps them all (ECMAScript's Number, IEEE 754 binary64). */
const KEPT_DIGITS = 15;

/** The rest of a key that may be a whole number; its digits may be escapes, such as `\u0031`. */
const WHOLE_NUMBER = /^[\d\\u]{1,60}"/;

/** What `survey` finds; of bytes that are not JSON it may be anything. */
interface Survey {
  /** Objects, lists, texts, numbers and other values; keys do not count. */
  readonly values: number;
  /** Levels of nested lists and objects. */
  readonly depth: number;
  /** Whether `JSON.parse` would respell a number or, perhaps, move a key. */
  readonly isChangedByParsing: boolean;
}

/** Takes no memory, and for a small body no longer than decoding it. @param json in UTF-8 */
export function survey(json: Buffer): Survey {
  let [values, depth, deepest, text] = [0, 0, 0, 0];
  let isChangedByParsing = false;
  for (let at = 0; at < json.length; at += 1) {
    switch (KINDS[json[at] as number] as number) {
      case BETWEEN:
        break;
      case QUOTE:
        values += 1;
        text = at;
        at = endOfText(json, at);
        break;
      case COLON:
        // The text before it was a key.
        values -= 1;
        isChangedByParsing ||= mayBeMoved(json, text);
        break;
      case OPEN:
        values += 1;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case CLOSE:
        depth -= 1;
        break;
      default: {
        values += 1;
        const end = endOfWord(json, at);
        isChangedByParsing ||= isRespelt(json, at, end);
        at = end - 1;
      }
    }
  }
  return { values, depth: deepest, isChangedByParsing };
}

/** The first bytes of a text are looked at one by one, since a search in native code costs as much as this many. */
const NEAR = 64;

/** The index of the quote that ends the text. @param start the index of its first quote */
export function endOfText(json: Buffer, start: number): number {
  const near = Math.min(json.length, start + NEAR);
  let at = start + 1;
  while (at < near && json[at] !== DOUBLE_QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at < near ? at : endOfLongText(json, at);
}

/** @param from an index in the text that is not in the middle of an escape */
function endOfLongText(json: Buffer, from: number): number {
  let quote = json.indexOf(DOUBLE_QUOTE, from);
  while (isEscaped(json, quote, from)) quote = json.indexOf(DOUBLE_QUOTE, quote + 1);
  return quote === -1 ? json.length : quote;
}

/** Whether an odd number of backslashes stands before the quote. Those before an earlier quote are not looked at again. */
function isEscaped(json: Buffer, quote: number, from: number): boolean {
  let first = quote;
  while (first > from && json[first - 1] === BACKSLASH) first -= 1;
  return first % 2 !== quote % 2;
}

function mayBeMoved(json: Buffer, text: number): boolean {
  const first = json[text + 1];
  return (
    (first === BACKSLASH || KINDS[first as number] === DIGIT) &&
    WHOLE_NUMBER.test(json.toString('latin1', text + 1, text + 62))
  );
}

/** The index after a number, true, false or null. */
function endOfWord(json: Buffer, start: number): number {
  let at = start + 1;
  while ((KINDS[json[at] as number] as number) >= DIGIT) at += 1;
  return at;
}

/** Whether the word is a number that JavaScript would spell otherwise. */
function isRespelt(json: Buffer, start: number, end: number): boolean {
  let at = start;
  while (KINDS[json[at] as number] === DIGIT) at += 1;
  if (at === end && end - start <= KEPT_DIGITS) return false;
  // true, false and null begin with letters, whose codes come after those of the digits.
  if ((json[start] as number) > NINE) return false;
  const word = json.toString('latin1', start, end);
  return String(Number(word)) !== word;
}
