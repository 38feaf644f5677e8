/** Text cut to a limit where a reader would cut it, between graphemes and so that it shows, and the units that limits count in. */
import { cleanLine, cleanText } from './clean.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest prefix of whole graphemes within `limit`; cut at a code point where the first grapheme alone is larger. */
export function graphemeCut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  // Whether there is a boundary at an index depends on nothing past the next code point.
  const start = graphemes.segment(text.slice(0, limit + 2)).containing(limit)?.index ?? 0;
  return text.slice(0, start === 0 ? codePointAtOrBefore(text, limit) : start);
}

/** The text itself where it fits, else its beginning and `mark`, together within `limit`. */
export function cutEnd(text: string, limit: number, mark: string, unit: Unit = CHARACTERS): string {
  if (fits(unit, text, limit)) return text;
  const room = limit - unit.sizeOf(mark);
  if (room <= 0) return graphemeCut(text, unit.indexWithin(text, limit));
  return graphemeCut(text, unit.indexWithin(text, room)) + mark;
}

/**
 * The text itself where it fits, else its beginning (about two thirds), a mark and its end, together within `limit`.
 * @param markOf the mark for so many characters (code points) left out
 */
export function cutMiddle(
  text: string,
  limit: number,
  markOf: (leftOut: number) => string,
  unit: Unit = CHARACTERS,
): string {
  if (fits(unit, text, limit)) return text;
  let markSize = unit.sizeOf(markOf(text.length));
  // The mark's length may depend on the number it names, which depends on the mark's length.
  for (let attempt = 0; attempt < 3 && markSize < limit; attempt += 1) {
    const { head, tail } = bothEnds(unit, text, limit - markSize);
    const mark = markOf(countCodePoints(text, head.length, text.length - tail.length));
    if (unit.sizeOf(mark) <= markSize) return head + mark + tail;
    markSize = unit.sizeOf(mark);
  }
  return graphemeCut(text, unit.indexWithin(text, limit));
}

function bothEnds(unit: Unit, text: string, room: number): { head: string; tail: string } {
  const head = graphemeCut(text, unit.indexWithin(text, Math.ceil((room * 2) / 3)));
  const tail = text.length - unit.indexFromEnd(text, room - unit.sizeOf(head));
  return { head, tail: graphemeTail(text, tail) };
}

/** The longest suffix of whole graphemes within `limit`; may be empty. */
function graphemeTail(text: string, limit: number): string {
  if (limit <= 0) return '';
  const from = text.length - limit;
  // There is always a boundary after a line feed, so nothing before it matters.
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const around = graphemes.segment(text.slice(line)).containing(from - line);
  if (around === undefined || line + around.index === from) return text.slice(from);
  return text.slice(line + around.index + around.segment.length);
}

export interface Unit {
  /** The most that a UTF-16 code unit takes; the least is one. */
  readonly most: number;
  sizeOf(text: string): number;
  /** The largest index at a code point up to which the text is no larger than `size`. */
  indexWithin(text: string, size: number): number;
  /** The smallest index at a code point from which the text is no larger than `size`. */
  indexFromEnd(text: string, size: number): number;
}

/** What `.length` counts. */
export const CHARACTERS: Unit = {
  most: 1,
  sizeOf: (text) => text.length,
  indexWithin: codePointAtOrBefore,
  indexFromEnd: (text, size) => codePointAtOrAfter(text, text.length - size),
};

const encoder = new TextEncoder();

export const UTF8_BYTES: Unit = {
  most: 3,
  sizeOf: (text) => Buffer.byteLength(text),
  indexWithin: (text, size) => {
    if (size <= 0) return 0;
    // A code unit takes at least one byte, so nothing past `size` units can fit.
    const mayFit = text.slice(0, codePointAtOrBefore(text, size));
    return encoder.encodeInto(mayFit, new Uint8Array(size)).read;
  },
  indexFromEnd: (text, size) => {
    if (size <= 0) return text.length;
    const mayFit = text.slice(codePointAtOrAfter(text, text.length - size));
    const bytes = Buffer.from(mayFit);
    let start = Math.max(0, bytes.length - size);
    while (isInsideCodePoint(bytes[start])) start += 1;
    return text.length - bytes.subarray(start).toString().length;
  },
};

/** Most texts are so short, and some so long, that they need not be measured. */
export function fits(unit: Unit, text: string, limit: number): boolean {
  if (text.length * unit.most <= limit) return true;
  return text.length <= limit && unit.sizeOf(text) <= limit;
}

function codePointAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const splitsPair = isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1));
  return splitsPair ? index - 1 : index;
}

function codePointAtOrAfter(text: string, index: number): number {
  const before = codePointAtOrBefore(text, index);
  return before < Math.min(index, text.length) ? before + 2 : before;
}

/** UTF-8, "continuation bytes". */
function isInsideCodePoint(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function countCodePoints(text: string, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    if (!isLowSurrogate(text.charCodeAt(index))) count += 1;
  }
  return count;
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

function isLowSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xdc00 && codeUnit <= 0xdfff;
}

/** How much of a long text is looked at, in limits: cleaning and escaping change lengths, and much of it may be invisible. */
const WINDOW = 5;

/**
 * {@link cleanLine} of at most `limit` characters, with an ellipsis where something was left out. Of a longer text only a
 * few limits are read.
 */
export function shortLine(text: string, limit: number): string {
  return shortened(text, limit, cleanLine);
}

/** The same of {@link cleanText}, which may have several lines. */
export function shortText(text: string, limit: number): string {
  return shortened(text, limit, cleanText);
}

function shortened(text: string, limit: number, clean: (text: string) => string): string {
  const most = WINDOW * limit;
  if (text.length <= most) return cutEnd(clean(text), limit, '…');
  return cutEnd(`${clean(text.slice(0, codePointAtOrBefore(text, most)))}…`, limit, '…');
}

const SMALLEST_WINDOW = 1000;

/** `cutMiddle` of one text to several limits, of which `most` is the largest: the megabytes in between are counted once. */
export function cutterOf(
  text: string,
  most: number,
  markOf: (leftOut: number) => string,
): (limit: number) => string {
  const window = Math.max(SMALLEST_WINDOW, most * WINDOW);
  if (text.length <= 2 * window) return (limit) => cutMiddle(text, limit, markOf);
  const skipped = countCodePoints(text, window, text.length - window);
  const ends = text.slice(0, window) + text.slice(-window);
  return (limit) => cutMiddle(ends, limit, (leftOut) => markOf(leftOut + skipped));
}

/** The text itself, or its two ends of together about `most` characters. */
export function endsOf(text: string, most: number): string {
  const half = Math.floor(most / 2);
  return text.length <= most ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** Less room has none for the words that say what was cut. */
const SMALLEST_ROOM = 60;

/**
 * A text escaped within `most` characters: a longer one loses its middle before it is escaped. Escaping makes texts longer,
 * so that shorter cuts are tried until the result fits.
 */
export function fitEscaped(
  text: string,
  most: number,
  escape: (text: string) => string,
  markOf: (leftOut: number) => string,
): string {
  if (text.length <= most) {
    const whole = escape(text);
    if (whole.length <= most) return whole;
  }
  const cut = cutterOf(text, most, markOf);
  for (let room = most; room >= SMALLEST_ROOM;) {
    const escaped = escape(cut(room));
    if (escaped.length <= most) return escaped;
    room = Math.floor(room * Math.min(0.9, most / escaped.length));
  }
  return '…';
}
