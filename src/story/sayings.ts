/** Times, durations, lists and causes as sentences of a story have them. */
import { failureInWords, type FailureToExplain } from '../channels/failure.ts';
import { shortLine } from '../text/cut.ts';
import { formatElapsed, formatTimeOfDay, type Language } from '../time/display.ts';

/** Of foreign text: the rest says no more to whoever reads a sentence. */
const LONGEST_NAME = 100;
const LONGEST_CAUSE = 300;

const MOST_LISTED = 3;

/** What an answer may take before anybody would call it a wait. */
export const AT_ONCE_MS = 50;

/** Of a BOT's running time: less is nothing to whoever pays for it. */
export const WORTH_TELLING_MS = 500;

export interface Sayings {
  readonly language: Language;
  /** Of today only the time; of another day also the date. */
  readonly time: (ms: number) => string;
  /** To a tenth of a second, or to a millisecond where it is short. */
  readonly duration: (ms: number) => string;
  /** The first of them, and how many more. */
  readonly list: (items: readonly string[]) => string;
  readonly name: (text: string) => string;
  /** As it is, on one line. */
  readonly quote: (text: string) => string;
  /** Without a full stop. */
  readonly cause: (failure: FailureToExplain) => string;
  readonly number: (count: number) => string;
}

interface SayingsContext {
  readonly language: Language;
  readonly timezone: string;
  readonly now: number;
}

export function sayingsOf({ language, timezone, now }: SayingsContext): Sayings {
  const numbers = new Intl.NumberFormat(language);
  const name = (text: string) => shortLine(text, LONGEST_NAME);
  const number = (count: number) => numbers.format(count);
  return {
    language,
    name,
    quote: (text) => shortLine(text, LONGEST_CAUSE),
    time: (ms) => formatTimeOfDay(ms, { timezone, now, language }),
    duration: (ms) => durationInWords(ms, language),
    list: (items) => listed(items, { name, number, language }),
    cause: (failure) => causeInWords(failure, language),
    number,
  };
}

function durationInWords(ms: number, language: Language): string {
  if (ms >= 59_950) return formatElapsed(ms / 1000, language);
  if (ms < 100) return `${Math.max(1, Math.round(ms))}${language === 'ja' ? 'ミリ秒' : ' ms'}`;
  const seconds = (ms / 1000).toFixed(1).replace('.0', '');
  return `${seconds}${language === 'ja' ? '秒' : ' s'}`;
}

function listed(
  items: readonly string[],
  { name, number, language }: Pick<Sayings, 'name' | 'number' | 'language'>,
): string {
  const shown = (items.length > MOST_LISTED + 1 ? items.slice(0, MOST_LISTED) : items).map(name);
  const more = items.length - shown.length;
  if (language === 'ja') return `${shown.join('、')}${more > 0 ? ` ほか${number(more)}件` : ''}`;
  const all = more > 0 ? [...shown, `${number(more)} more`] : shown;
  const last = all.at(-1) ?? '';
  return all.length <= 1 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}

function causeInWords(failure: FailureToExplain, language: Language): string {
  const words = shortLine(failureInWords(failure, language), LONGEST_CAUSE).replace(/[.。]$/, '');
  return words === '' ? failure.class : words;
}
