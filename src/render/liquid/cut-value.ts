/** Cuts values of any length in about the time that what is left of them takes. */
import { cutMiddle } from '../../text/cut.ts';
import { countCodePoints } from '../../text/unit.ts';

/** How much of either end is looked at, in limits: cleaning and escaping change lengths. */
const WINDOW = 4;
const SMALLEST_WINDOW = 1000;

/** As `cutMiddle`, but without reading the megabytes in between for more than their count. */
export function cutValue(text: string, limit: number, markOf: (leftOut: number) => string): string {
  return cutterOf(text, limit, markOf)(limit);
}

/** `cutValue` of one text to several limits, of which `most` is the largest: what is in between is counted once. */
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
