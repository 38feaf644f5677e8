/** Text cut to a limit, in characters of UTF-16, where a reader would cut it: between graphemes and so that it shows. */
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
export function cutEnd(text: string, limit: number, mark: string): string {
  if (text.length <= limit) return text;
  const room = limit - mark.length;
  return room <= 0 ? graphemeCut(text, limit) : graphemeCut(text, room) + mark;
}

/**
 * The text itself where it fits, else its beginning (about two thirds), a mark and its end, together within `limit`.
 * @param markOf the mark for so many characters left out; no longer for fewer
 */
export function cutMiddle(text: string, limit: number, markOf: (leftOut: number) => string): string {
  if (text.length <= limit) return text;
  const room = limit - markOf(text.length).length;
  if (room <= 0) return graphemeCut(text, limit);
  const head = graphemeCut(text, Math.ceil((room * 2) / 3));
  const tail = graphemeTail(text, room - head.length);
  return head + markOf(text.length - head.length - tail.length) + tail;
}

/** No grapheme that anybody reads is longer. */
const LONGEST_GRAPHEME = 1000;

/** The longest suffix of whole graphemes within `limit`; may be empty. */
function graphemeTail(text: string, limit: number): string {
  const from = text.length - limit;
  // There is always a boundary after a line feed, so nothing before it matters.
  const line = Math.max(text.lastIndexOf('\n', from - 1) + 1, from - LONGEST_GRAPHEME);
  const around = graphemes.segment(text.slice(line)).containing(from - line);
  if (around === undefined || line + around.index === from) return text.slice(from);
  return text.slice(line + around.index + around.segment.length);
}

const encoder = new TextEncoder();

/** How many of its characters, from the beginning, fit into so many bytes of UTF-8; no code point is parted. */
export function charactersWithin(text: string, bytes: number): number {
  return encoder.encodeInto(text, new Uint8Array(Math.max(0, bytes))).read;
}

function codePointAtOrBefore(text: string, index: number): number {
  const isInsidePair = index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  return isInsidePair ? index - 1 : Math.max(0, index);
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
  for (let room = most; room >= SMALLEST_ROOM;) {
    const escaped = escape(cutMiddle(text, room, markOf));
    if (escaped.length <= most) return escaped;
    room = Math.floor(room * Math.min(0.9, most / escaped.length));
  }
  return '…';
}
