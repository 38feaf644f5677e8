/** The words for cut, left-out, counted and empty content, in the card's language. */
import type { Language } from '../time/display.ts';

const NUMBER_FORMATS: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat('en'),
  ja: new Intl.NumberFormat('ja'),
};

/** With thousands separators: `1,234`. */
export function separated(language: Language, number: number): string {
  return NUMBER_FORMATS[language].format(number);
}

/** Ends a text whose end was cut. */
export function cutMark(language: Language): string {
  return language === 'ja' ? '…（以下省略）' : ' … (cut short)';
}

/** Replaces the middle of a text, on a line of its own. */
export function leftOutMark(language: Language): (leftOut: number) => string {
  return (leftOut) => {
    const count = separated(language, leftOut);
    return language === 'ja' ? `\n……（${count}文字省略）……\n` : `\n… ${count} characters left out …\n`;
  };
}

/** Replaces the rest of a list; '' if nothing was left out. */
export function moreMark(language: Language, count: number): string {
  if (count <= 0) return '';
  const number = separated(language, count);
  return language === 'ja' ? `…ほか${number}件` : `… ${number} more`;
}

/** Follows the name of a list with the number of its items. */
export function countMark(language: Language, count: number): string {
  const number = separated(language, count);
  return language === 'ja' ? `（${number}件）` : ` (${number})`;
}

/** Replaces an empty value. */
export function emptyMark(language: Language): string {
  return language === 'ja' ? 'なし' : 'empty';
}
