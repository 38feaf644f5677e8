/** Text cut to a limit where a reader would cut it: between graphemes, and so that it shows. */
import { CHARACTERS, codePointAtOrBefore, countCodePoints, fits, UTF8_BYTES } from './unit.ts';
import type { Unit } from './unit.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest prefix of whole graphemes within `limit`; cut at a code point where the first grapheme alone is larger. */
export function graphemeCut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  if (isPlainBoundary(text, limit)) return text.slice(0, limit);
  // Whether there is a boundary at an index depends on nothing past the next code point.
  const start = graphemes.segment(text.slice(0, limit + 2)).containing(limit)?.index ?? 0;
  return text.slice(0, start === 0 ? codePointAtOrBefore(text, limit) : start);
}

/** Between two such characters there always is a boundary (UAX #29, GB999), and no need to ask Intl, which takes its time. */
function isPlainBoundary(text: string, index: number): boolean {
  return standsAlone(text.charCodeAt(index - 1)) && standsAlone(text.charCodeAt(index));
}

/** Printable ASCII, kana and Chinese characters. */
function standsAlone(codeUnit: number): boolean {
  return (
    (codeUnit >= 0x20 && codeUnit <= 0x7e) ||
    (codeUnit >= 0x3041 && codeUnit <= 0x3096) ||
    (codeUnit >= 0x30a1 && codeUnit <= 0x30fa) ||
    (codeUnit >= 0x4e00 && codeUnit <= 0x9fff)
  );
}

/** The text itself where it fits, else its beginning and `mark`, together within `limit` characters. */
export function cutEnd(text: string, limit: number, mark: string): string {
  return cutEndIn(CHARACTERS, text, limit, mark);
}

/** {@link cutEnd} counting UTF-8 bytes. */
export function cutEndBytes(text: string, limitBytes: number, mark: string): string {
  return cutEndIn(UTF8_BYTES, text, limitBytes, mark);
}

/**
 * The text itself where it fits, else its beginning (about two thirds), a mark and its end, together within `limit`.
 * @param markOf the mark for so many characters (code points) left out
 */
export function cutMiddle(text: string, limit: number, markOf: (leftOut: number) => string): string {
  return cutMiddleIn(CHARACTERS, text, limit, markOf);
}

/** {@link cutMiddle} counting UTF-8 bytes. */
export function cutMiddleBytes(
  text: string,
  limitBytes: number,
  markOf: (leftOut: number) => string,
): string {
  return cutMiddleIn(UTF8_BYTES, text, limitBytes, markOf);
}

function cutEndIn(unit: Unit, text: string, limit: number, mark: string): string {
  if (fits(unit, text, limit)) return text;
  const room = limit - unit.sizeOf(mark);
  if (room <= 0) return graphemeCut(text, unit.indexWithin(text, limit));
  return graphemeCut(text, unit.indexWithin(text, room)) + mark;
}

function cutMiddleIn(unit: Unit, text: string, limit: number, markOf: (leftOut: number) => string): string {
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
  if (isPlainBoundary(text, from)) return text.slice(from);
  // There is always a boundary after a line feed, so nothing before it matters.
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const around = graphemes.segment(text.slice(line)).containing(from - line);
  if (around === undefined || line + around.index === from) return text.slice(from);
  return text.slice(line + around.index + around.segment.length);
}
