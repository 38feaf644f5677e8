/** A request body's bytes as a JSON value. */
import { isUtf8 } from 'node:buffer';
import { cleanLine } from '../text/clean.ts';
import { shortLine } from '../text/short-line.ts';
import { parseExactly } from './exact-json.ts';
import { InvalidCallback } from './invalid-callback.ts';
import { MAX_DEPTH, textNestsDeeperThan } from './nesting.ts';

const MAX_EXCERPT_LENGTH = 24;

/** Parsing megabytes of brackets would hold up everybody else for seconds, so those are counted before. */
const QUICKLY_PARSED = 256 * 1024;
const ABSURD_DEPTH = 100_000;

/** The message says what is wrong with the bytes and shows next to nothing of them. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

/** U+FEFF in UTF-8. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export interface DecodedBody {
  readonly value: unknown;
  /** The JSON in UTF-8 that spells the value, without a byte order mark. */
  readonly json: Uint8Array;
}

/**
 * The JSON value that UTF-8 bytes spell; a byte order mark is skipped.
 * @throws {UndecodableBody}
 * @throws {InvalidCallback} megabytes of nothing but nesting
 */
export function decodeBody(bytes: Uint8Array): DecodedBody {
  if (!isUtf8(bytes)) throw new UndecodableBody('The body is not UTF-8, as every callback has to be.');
  const json = withoutMark(bytes);
  const text = textOf(json);
  if (text.trim() === '') throw new UndecodableBody('The body is empty: a callback is a JSON object.');
  if (text.length > QUICKLY_PARSED && textNestsDeeperThan(text, ABSURD_DEPTH)) {
    throw new InvalidCallback([
      { pointer: '', detail: `must not be nested deeper than ${MAX_DEPTH} levels` },
    ]);
  }
  try {
    return { value: parseExactly(text), json };
  } catch (error) {
    throw new UndecodableBody(`The body is not JSON: ${reasonOf(error, text)}.`);
  }
}

/** The JSON without a byte order mark; the same bytes where there is none. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  const isMarked = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** V8's own words: with a position where it gives one, else with a short excerpt. */
function reasonOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/^(?:Unexpected end|Unterminated string)/.test(message)) {
    return `it ends too early, at position ${text.length}`;
  }
  const [, position] = /^([^"]* at position \d+)/s.exec(message) ?? [];
  if (position !== undefined) return cleanLine(position.replace(' in JSON', ''));
  const [, what = 'it cannot be read', excerpt = ''] = /^(.*?), (?:\.\.\.)?"(.*)"/s.exec(message) ?? [];
  return `${cleanLine(what)} near "${shortLine(excerpt, MAX_EXCERPT_LENGTH)}"`;
}
