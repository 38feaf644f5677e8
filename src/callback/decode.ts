/** Decodes a request body as JSON without losing a digit of its numbers or the order of its keys. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { shortLine } from '../text/cut.ts';
import { isJsonObject, SpeltNumber, parseExactly } from '../text/json.ts';
import { endOfText, survey } from '../text/json-survey.ts';
import { InvalidCallback, isInteger, MAX_DEPTH, TooManyValues } from './callback.ts';

const LONGEST_REASON = 100;

/** From this depth on, JSON is refused without being parsed, which would take long. */
const TOO_DEEP_TO_PARSE = 1000;

/** Its message says what is wrong with the body and quotes at most a few characters of it. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

export interface Decoded {
  readonly value: unknown;
  /** The fields that nest deeper than `MAX_DEPTH`. */
  readonly tooDeep: readonly string[];
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The JSON value in UTF-8 bytes, and the bytes without a byte order mark.
 * @param mostValues limit of objects, lists, texts, numbers and other values; keys do not count
 * @throws {UndecodableBody} @throws {TooManyValues} @throws {InvalidCallback} very deep nesting
 */
export function decodeBody(
  bytes: Uint8Array,
  mostValues = Infinity,
): Decoded & { readonly json: Uint8Array } {
  if (!isUtf8(bytes)) throw new UndecodableBody('The body is not UTF-8, as every callback has to be.');
  const isMarked = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const json = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  try {
    return { json, ...parseJson(json, mostValues) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // V8's message, which may quote a few characters of the body.
    throw new UndecodableBody(`The body is not JSON: ${shortLine(error.message, LONGEST_REASON)}.`);
  }
}

/**
 * The value of JSON in UTF-8, its numbers as they are spelt (`SpeltNumber`) and its keys in their order.
 * @throws {SyntaxError} as JSON.parse @throws {UndecodableBody} nothing but blanks
 * @throws {TooManyValues} @throws {InvalidCallback} very deep nesting
 */
export function parseJson(bytes: Uint8Array, mostValues = Infinity): Decoded {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { values, depth, tooDeep, isChangedByParsing } = survey(json, MAX_DEPTH);
  if (values > mostValues) throw new TooManyValues(`holds more than ${mostValues} JSON values`);
  if (depth > TOO_DEEP_TO_PARSE) {
    const detail = `is nested deeper than ${MAX_DEPTH} levels`;
    throw new InvalidCallback([{ pointer: '', detail }]);
  }
  const text = textIn(json);
  if (values === 0 && text.trim() === '')
    throw new UndecodableBody('The body is empty: a callback is a JSON object.');
  const value: unknown = JSON.parse(text);
  return {
    value: isChangedByParsing ? withPlainStatus(parseExactly(text)) : value,
    tooDeep: tooDeep.map((at) => JSON.parse(json.toString('utf8', at, endOfText(json, at) + 1)) as string),
  };
}

/** V8 decodes UTF-8 that is not ASCII eight times as slowly as Node turns it into UTF-16. @param utf8 valid */
function textIn(utf8: Buffer): string {
  return isAscii(utf8) ? utf8.toString('latin1') : transcode(utf8, 'utf8', 'utf16le').toString('utf16le');
}

/** A status such as `1.0` is the number that it stands for: nobody is to be told how it was spelt. */
function withPlainStatus(value: unknown): unknown {
  const status = isJsonObject(value) ? value['status'] : undefined;
  if (!(status instanceof SpeltNumber && isInteger(status))) return value;
  return Object.assign(value as object, { status: status.valueOf() });
}
