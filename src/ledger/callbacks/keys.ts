/** Ids, names and bodies as they are stored: keys short enough for an index, whatever a sender or a remote writes; large bodies deflated. */
import { hash } from 'node:crypto';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import { promisify } from 'node:util';
import { constants, deflate, inflateSync } from 'node:zlib';

/** A PostgreSQL index takes at most 2.7 KB. */
const LONGEST_KEY_BYTES = 200;

/** At most so many characters of an id are cleaned; the key of a longer id has the hash of the raw id. */
const LONGEST_CLEANED = 10_000;

/** Longer than any name that a route's pattern is matched against, so that cutting a name does not change its routing. */
const LONGEST_NAME = 2000;

/** The key of an id: the cleaned id; if that is too long, its beginning and its hash. */
export function keyOf(id: string): string {
  const isCleanedWhole = id.length <= LONGEST_CLEANED;
  const text = cleanText(id.slice(0, LONGEST_CLEANED));
  if (isCleanedWhole && Buffer.byteLength(text) <= LONGEST_KEY_BYTES) return text;
  // UTF-8 takes at most three bytes for each UTF-16 unit.
  const beginning = text.slice(0, Math.floor(LONGEST_KEY_BYTES / 3)).toWellFormed();
  return `${beginning}… ${hash('sha256', isCleanedWhole ? text : id, 'hex')}`;
}

/**
 * Two BOTs may use one id for two jobs. The BOT comes first: whoever locks jobs in the order of their keys locks BOTs' incidents in one order, too.
 * @param job the key of its id, as `bot` is of the BOT's (`keyOf`): no key has a line break
 */
export function jobKeyOf(job: string, bot: string): string {
  return `${bot}\n${job}`;
}

/** Keys for an id that somebody types: an id as callbacks have it, the same without blanks around it, or a key. */
export function keysFor(id: string): readonly string[] {
  return [...new Set([keyOf(id), keyOf(id.trim()), cleanText(id.trim().slice(0, LONGEST_CLEANED))])];
}

export function nameIn(text: string): string {
  return shortText(text, LONGEST_NAME);
}

/** A smaller body costs more to deflate than its bytes cost to keep. */
const DEFLATED_FROM_BYTES = 64 * 1024;

/** The first byte of zlib's format with its usual window (RFC 1950). No JSON begins with it. */
const ZLIB = 0x78;

/** Five times as fast as the default, for a fifth more bytes. */
const OPTIONS = { level: constants.Z_BEST_SPEED };

const deflateInThread = promisify<Uint8Array, typeof OPTIONS, Buffer>(deflate);

/** @param body JSON in UTF-8 */
export function toStored(body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  return body.byteLength < DEFLATED_FROM_BYTES ? body : deflateInThread(body, OPTIONS);
}

/** Synchronous: 8 MB take about 25 ms. @returns JSON in UTF-8 */
export function storedJson(stored: Uint8Array): Uint8Array {
  return stored[0] === ZLIB ? inflateSync(stored) : stored;
}
