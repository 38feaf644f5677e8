/** The words for cut, left-out, counted and empty content, in the card's language. */
import type { Language } from '../time/display.ts';

const NUMBERS = new Intl.NumberFormat('en');

/** With thousands separators, which are the same in each language: `1,234`. */
export function separated(number: number | bigint): string {
  return NUMBERS.format(number);
}

/** Replaces the middle of a text, on a line of its own. */
export function leftOutMark(language: Language): (leftOut: number) => string {
  return language === 'ja'
    ? (leftOut) => `\n……（${separated(leftOut)}文字省略）……\n`
    : (leftOut) => `\n… ${separated(leftOut)} characters left out …\n`;
}

/** Replaces the rest of a list; '' if nothing was left out. */
export function moreMark(language: Language, count: number): string {
  if (count <= 0) return '';
  return language === 'ja' ? `…ほか${separated(count)}件` : `… ${separated(count)} more`;
}

/** Follows the name of a list with the number of its items. */
export function countMark(language: Language, count: number): string {
  return language === 'ja' ? `（${separated(count)}件）` : ` (${separated(count)})`;
}

export function emptyMark(language: Language): string {
  return language === 'ja' ? 'なし' : 'empty';
}
