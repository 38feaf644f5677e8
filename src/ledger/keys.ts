/** What the ledger knows jobs, BOTs and causes by: short enough for an index, whatever a sender or a remote writes. */
import { hash } from 'node:crypto';
import { cleanText } from '../text/clean.ts';
import { shortText } from '../text/cut.ts';

/** PostgreSQL's indexes take 2.7 KB. */
const LONGEST_KEY_BYTES = 200;

/** Of a longer id, no more characters are cleaned: it is known by the hash of what came. */
const LONGEST_CLEANED = 10_000;

/** Longer than any name that a route's pattern is looked for in, so that a cut one is no more routed than the whole. */
const LONGEST_NAME = 2000;

/** An id as the ledger looks it up: cleaned; of a longer one its beginning, and its hash, which tells it from its like. */
export function keyOf(id: string): string {
  const isCleanedWhole = id.length <= LONGEST_CLEANED;
  const text = cleanText(isCleanedWhole ? id : id.slice(0, LONGEST_CLEANED));
  if (isCleanedWhole && Buffer.byteLength(text) <= LONGEST_KEY_BYTES) return text;
  return `${beginningOf(text)}… ${hash('sha256', isCleanedWhole ? text : id, 'hex')}`;
}

/** A character takes at most three bytes for each of its UTF-16 units. */
function beginningOf(text: string): string {
  return text.slice(0, Math.floor(LONGEST_KEY_BYTES / 3)).toWellFormed();
}

/** Of an id as somebody asks for it: as callbacks name it, also without the blanks around it, or as the ledger does. */
export function keysFor(id: string): readonly string[] {
  return [...new Set([keyOf(id), keyOf(id.trim()), cleanText(id.trim().slice(0, LONGEST_CLEANED))])];
}

/** A BOT's id or name as it is shown. */
export function nameIn(text: string): string {
  return shortText(text, LONGEST_NAME);
}
