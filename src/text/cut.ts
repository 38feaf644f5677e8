/** Cuts text to a limit, in UTF-16 code units, between graphemes, where it can between words, and with a visible mark. */
import { addressAtStart } from './addresses.ts';
import { cleanLine, cleanText, LONGEST_ADDRESS } from './clean.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest prefix of whole graphemes within `limit`; when the first grapheme alone is larger, it is cut at a code point. */
export function graphemeCut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  // There is always a boundary after a line feed. Whether there is one elsewhere does not depend on text after the next code point.
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const start = line + (graphemes.segment(text.slice(line, limit + 2)).containing(limit - line)?.index ?? 0);
  return text.slice(0, start === 0 ? codePointAtOrBefore(text, limit) : start);
}

/** The text itself if it fits, else its beginning and `mark`, together within `limit`. */
export function cutEnd(text: string, limit: number, mark: string): string {
  if (text.length <= limit) return text;
  const room = limit - mark.length;
  return room <= 0 ? graphemeCut(text, limit) : headOf(text, room) + mark;
}

/** The word or id of at most 40 characters, or the address, with which a text ends. Japanese words are not told apart. */
const LAST_PART = /(?:https?:\/\/[!-~]*|(?<![!-~])[!-~]{1,40})$/i;
/** That word or id, with the character before it. */
const LONGEST_WORD = 41;
const GOES_ON = /^[!-~]{2}$/;

/** Letters of other languages belong to an address where no prose follows it. */
const LAST_ADDRESS = /https?:\/\/[!-~\p{L}\p{M}\p{N}]*$/iu;

/** The part before the index of a word, id or address that goes on after it; '' if there is none. */
function partBefore(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - LONGEST_ADDRESS), index);
  const part = LAST_ADDRESS.exec(before)?.[0] ?? '';
  const address = part === '' ? '' : addressAtStart(part + text.slice(index, index + LONGEST_ADDRESS));
  if (address.length > part.length) return part;
  if (!GOES_ON.test(text.slice(index - 1, index + 1))) return '';
  return LAST_PART.exec(before.slice(-Math.max(part.length, LONGEST_WORD)))?.[0] ?? '';
}

/** Drops the part of a word if that leaves at least half, and always the part of an address, which would open another place. */
function withoutPart(part: string, cut: string, without: string): string {
  return part.includes('://') || (part !== '' && without.length * 2 >= cut.length) ? without : cut;
}

function headOf(text: string, limit: number): string {
  const cut = graphemeCut(text, limit);
  const part = partBefore(text, cut.length);
  return withoutPart(part, cut, cut.slice(0, cut.length - part.length)).trimEnd();
}

function tailOf(text: string, limit: number): string {
  const cut = graphemeTail(text, limit);
  return withoutPart(partBefore(text, text.length - cut.length), cut, cut.replace(/^[!-~]+\s*/, ''));
}

/**
 * The text itself if it fits, else its beginning (about two thirds), a mark and its end, together within `limit`.
 * @param markOf the mark for a number of omitted characters, by default an ellipsis; must not get longer for a smaller number
 */
export function cutMiddle(text: string, limit: number, markOf = ELLIPSIS): string {
  return text.length <= limit ? text : bothEnds(text, text, text.length, limit, markOf);
}

type MarkOf = (leftOut: number) => string;

const ELLIPSIS: MarkOf = () => '…';
const AMONG_WORDS: MarkOf = () => ' … ';

/** @param length of the whole text, which begins with `head` and ends with `tail` */
function bothEnds(head: string, tail: string, length: number, limit: number, markOf: MarkOf): string {
  const room = limit - markOf(length).length;
  if (room <= 0) return graphemeCut(head, limit);
  const first = headOf(head, Math.ceil((room * 2) / 3));
  const last = tailOf(tail, room - first.length);
  return first + markOf(length - first.length - last.length) + last;
}

/** How much of a long text is read, as a multiple of the limit: cleaning may remove much of it. */
const WINDOW = 5;

/** {@link cutMiddle} of {@link cleanText}. Reads only the two ends of a text that is longer than {@link WINDOW} times `limit`. */
export function cleanMiddle(text: string, limit: number, markOf = AMONG_WORDS): string {
  const half = Math.ceil((WINDOW * limit) / 2);
  if (text.length <= 2 * half) return cutMiddle(cleanText(text), limit, markOf);
  const from = codePointAtOrBefore(text, text.length - half);
  const head = cleanText(text.slice(0, codePointAtOrBefore(text, half)));
  const tail = cleanText(text.slice(from));
  return bothEnds(head, tail, head.length + (from - half) + tail.length, limit, markOf);
}

/** Code units; no legible grapheme is longer. */
const LONGEST_GRAPHEME = 1000;

/** The longest suffix of whole graphemes within `limit`; may be empty. */
function graphemeTail(text: string, limit: number): string {
  const from = text.length - limit;
  if (from <= 0) return text;
  // There is always a boundary after a line feed, so nothing before it matters.
  const line = Math.max(text.lastIndexOf('\n', from - 1) + 1, from - LONGEST_GRAPHEME);
  const around = graphemes.segment(text.slice(line, from + LONGEST_GRAPHEME)).containing(from - line);
  if (around === undefined || line + around.index === from) return text.slice(from);
  return text.slice(line + around.index + around.segment.length);
}

const encoder = new TextEncoder();

/** How many of the text's first code units fit into `bytes` of UTF-8, without splitting a code point. */
export function charactersWithin(text: string, bytes: number): number {
  // A code unit takes three bytes at most.
  if (text.length * 3 <= bytes) return text.length;
  return encoder.encodeInto(text, new Uint8Array(Math.max(0, bytes))).read;
}

function codePointAtOrBefore(text: string, index: number): number {
  const isInsidePair = index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  return isInsidePair ? index - 1 : Math.max(0, index);
}

/** {@link cleanLine} of at most `limit` characters, with an ellipsis if it was cut. Reads {@link WINDOW} times as many. */
export function shortLine(text: string, limit: number): string {
  return shortened(text, limit, cleanLine);
}

/** Like {@link shortLine}, but by {@link cleanText}: keeps several lines. */
export function shortText(text: string, limit: number): string {
  return shortened(text, limit, cleanText);
}

function shortened(text: string, limit: number, clean: (text: string) => string): string {
  const most = WINDOW * limit;
  if (text.length <= most) return cutEnd(clean(text), limit, '…');
  return cutEnd(`${clean(text.slice(0, codePointAtOrBefore(text, most)))}…`, limit, '…');
}

/** The text itself if it fits, else {@link cleanMiddle} of it. */
export function endsOf(text: string, most: number): string {
  return text.length <= most ? text : cleanMiddle(text, most);
}

/** In characters: smaller ones have no room for the mark. */
const SMALLEST_ROOM = 60;

/** Escapes a text to at most `most` characters: since that makes it longer, ever more of its middle goes until it fits. */
export function fitEscaped(
  text: string,
  most: number,
  escape: (text: string) => string,
  markOf: MarkOf,
): string {
  if (text.length <= most) {
    const whole = escape(text);
    if (whole.length <= most) return whole;
  }
  for (let room = most; room >= SMALLEST_ROOM;) {
    const escaped = escape(cleanMiddle(text, room, markOf));
    if (escaped.length <= most) return escaped;
    room = Math.floor(room * Math.min(0.9, most / escaped.length));
  }
  return '…';
}
