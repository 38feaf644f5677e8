/** Cuts text to a limit, in UTF-16 code units, between graphemes, where it can between words, and with a visible mark. */
import { cleanLine, cleanText } from './clean.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest prefix of whole graphemes within `limit`; when the first grapheme alone is larger, it is cut at a code point. */
export function graphemeCut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  // There is always a boundary after a line feed. Where one is depends on no text after the next code point.
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

/** What is no part of a word or an id: in Japanese, words are not told apart. */
const APART = '\\s\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー、。：「」（）';

/** Characters of a word that is left out rather than cut. */
const LONGEST_WORD = 40;
/** Of an address, a part of which would open another place. */
const LONGEST_CUT = 4000;

const BEGUN = new RegExp(`(?<![^${APART}])[^${APART}]{1,${LONGEST_WORD}}$`, 'u');
const BEGUN_ADDRESS = /https?:\/\/\S*$/iu;
const ENDED = new RegExp(`^[^${APART}]{1,${LONGEST_WORD}}(?![^${APART}])`, 'u');
const INSIDE = new RegExp(`^[^${APART}]{2}$`, 'u');

/** Whether a cut at the index is in a word. */
function isInside(text: string, index: number): boolean {
  return INSIDE.test(text.slice(index - 1, index + 1));
}

/** A word is left out while half of what there is room for stays. */
function unlessTooShort(cut: string, whole: string): string {
  return cut.length * 2 >= whole.length ? cut : whole;
}

/** The longest prefix within `limit` of whole graphemes, and of whole words if these are short; never with a part of an address. */
function headOf(text: string, limit: number): string {
  const cut = graphemeCut(text, limit);
  if (!isInside(text, cut.length)) return cut.trimEnd();
  const from = Math.max(0, cut.length - LONGEST_CUT);
  const before = (word: RegExp) => cut.slice(0, from) + cut.slice(from).replace(word, '').trimEnd();
  const plain = before(BEGUN_ADDRESS);
  return plain.length < cut.length ? plain : unlessTooShort(before(BEGUN), cut);
}

/**
 * The text itself if it fits, else its beginning (about two thirds), a mark and its end, together within `limit`.
 * @param markOf the mark for a number of omitted characters; must not get longer for a smaller number
 */
export function cutMiddle(text: string, limit: number, markOf: MarkOf): string {
  return text.length <= limit ? text : bothEnds(text, text, text.length, limit, markOf);
}

/** The end of a text without the rest of a word or an address that it begins with. */
function tailOf(text: string, cut: string): string {
  const from = text.length - cut.length;
  if (!isInside(text, from)) return cut;
  if (BEGUN_ADDRESS.test(text.slice(Math.max(0, from - LONGEST_CUT), from)))
    return cut.replace(/^\S+\s*/u, '');
  return unlessTooShort(cut.replace(ENDED, '').trimStart(), cut);
}

type MarkOf = (leftOut: number) => string;

/** @param length of all that `head` begins and `tail` ends */
function bothEnds(head: string, tail: string, length: number, limit: number, markOf: MarkOf): string {
  const room = limit - markOf(length).length;
  if (room <= 0) return graphemeCut(head, limit);
  const first = headOf(head, Math.ceil((room * 2) / 3));
  const cut = graphemeTail(tail, room - first.length);
  const last = tailOf(tail, cut);
  return first + markOf(length - first.length - last.length) + last;
}

/** How much of a long text is read, as a multiple of the limit: cleaning may remove much of it. */
const WINDOW = 5;

/** {@link cutMiddle} of {@link cleanText}. Reads only the two ends of a text that is longer than {@link WINDOW} times `limit`. */
export function cleanMiddle(text: string, limit: number, markOf: MarkOf): string {
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
  return text.length <= most ? text : cleanMiddle(text, most, () => ' … ');
}

/** Smaller cuts have no room for the mark. */
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
