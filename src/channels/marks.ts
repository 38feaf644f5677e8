/** The words that stand for what was cut or left out, in the card's language. */
import type { Language } from '../time/display.ts';

const NUMBER_FORMATS: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat('en'),
  ja: new Intl.NumberFormat('ja'),
};

/** With separators: `1,234`. */
export function separated(language: Language, number: number): string {
  return NUMBER_FORMATS[language].format(number);
}

/** Stands at the end of a text that was cut there. */
export function cutMark(language: Language): string {
  return language === 'ja' ? '…（以下省略）' : ' … (cut short)';
}

/** Stands where the middle of a text was, on a line of its own. */
export function leftOutMark(language: Language): (leftOut: number) => string {
  return (leftOut) => {
    const count = separated(language, leftOut);
    return language === 'ja' ? `\n……（${count}文字省略）……\n` : `\n… ${count} characters left out …\n`;
  };
}

/** Stands for what a list no longer holds; '' for nothing. */
export function moreMark(language: Language, count: number): string {
  if (count <= 0) return '';
  const number = separated(language, count);
  return language === 'ja' ? `…ほか${number}件` : `… ${number} more`;
}

/** Stands beside the name of a list: how many items it has. */
export function countMark(language: Language, count: number): string {
  const number = separated(language, count);
  return language === 'ja' ? `（${number}件）` : ` (${number})`;
}

/** Stands where a value is empty. */
export function emptyMark(language: Language): string {
  return language === 'ja' ? 'なし' : 'empty';
}
