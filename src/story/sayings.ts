/** Fills in sentences in one language, with times, durations, names, lists and causes. */
import { failureInWords, type FailureToExplain } from '../channels/failure.ts';
import type { Occasion } from '../signal/rules.ts';
import { filled } from '../text/say.ts';
import { shortLine } from '../text/cut.ts';
import { formatElapsed, formatTimeOfDay, type Language } from '../time/display.ts';
import { type Sentence, SENTENCES } from './sentences.ts';

/** Characters of foreign text in a sentence. */
const LONGEST_NAME = 100;
const LONGEST_CAUSE = 300;

const MOST_LISTED = 3;

/** British English, for no comma before "and". */
const ENGLISH_LISTS = new Intl.ListFormat('en-GB');

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_ENDINGS = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' };

export interface StoryEvent {
  readonly at: number;
  readonly what: StoryEventName;
  /** One sentence or two, in the language asked for, on one line. */
  readonly text: string;
  /** Technical details, shown small beside the text. */
  readonly small?: string | undefined;
  /** `<channel>:<address>`, if the event is about one destination. */
  readonly destination?: string | undefined;
}

export type StoryEventName =
  | 'received'
  | 'route matched'
  | 'route did not match'
  | 'superseded'
  | 'held'
  | 'attempt'
  | 'delivered'
  | 'dead'
  | 'taken over'
  | 'answered'
  | 'escalated'
  | 'alerted'
  | 'redelivered'
  | 'dismissed'
  | 'routed anew'
  | 'left out';

export interface StoryContext {
  readonly language: Language;
  readonly timezone: string;
  /** Milliseconds since 1970: the time as of which the story is told. */
  readonly now: number;
  /** Removes secrets from a text; default: the text is not changed. */
  readonly redact?: (text: string) => string;
}

export class Sayings {
  readonly #context: StoryContext;

  constructor(context: StoryContext) {
    this.#context = context;
  }

  say(sentence: Sentence, values: Readonly<Record<string, string>> = {}): string {
    return filled(SENTENCES[sentence], values, this.#context.language);
  }

  has(sentence: string): sentence is Sentence {
    return sentence in SENTENCES;
  }

  /** The time of day; with the date unless it is today. */
  time(ms: number): string {
    return formatTimeOfDay(ms, this.#context);
  }

  name(text: string): string {
    return this.#short(text, LONGEST_NAME);
  }

  /** A secret is hidden before the text is cut, or a part of it would stay. */
  #short(text: string, most: number): string {
    const { redact = (each: string) => each } = this.#context;
    return shortLine(redact(text), most);
  }

  rule(name: string): string {
    const sentence = `rule ${name}`;
    return this.has(sentence) ? this.say(sentence) : this.name(name);
  }

  number(count: number): string {
    return count.toLocaleString(this.#context.language);
  }

  ordinal(number: number): string {
    if (this.#context.language === 'ja') return String(number);
    return `${number}${ORDINAL_ENDINGS[ORDINALS.select(number)]}`;
  }

  /** Precise to a tenth of a second; below 100 ms, to a millisecond. */
  duration(ms: number): string {
    const { language } = this.#context;
    if (ms >= 59_950) return formatElapsed(ms / 1000, language);
    if (ms < 100) return `${Math.max(1, Math.round(ms))}${language === 'ja' ? 'ミリ秒' : ' ms'}`;
    const seconds = (ms / 1000).toFixed(1).replace('.0', '');
    return `${seconds}${language === 'ja' ? '秒' : ' s'}`;
  }

  list(items: readonly string[]): string {
    const shown = items.slice(0, items.length > MOST_LISTED + 1 ? MOST_LISTED : items.length);
    const names = shown.map((item) => this.name(item));
    const more = this.number(items.length - shown.length);
    const hasMore = shown.length < items.length;
    if (this.#context.language === 'ja') return `${names.join('、')}${hasMore ? ` ほか${more}件` : ''}`;
    return ENGLISH_LISTS.format(hasMore ? [...names, `${more} more`] : names);
  }

  statuses(names: readonly Occasion[]): string {
    if (names.length === 0) return this.say('no status');
    return names.map((name) => this.say(`${name}, many`)).join(this.say('and'));
  }

  /** Without a full stop. */
  cause(failure: FailureToExplain): string {
    const words = this.#short(failureInWords(failure, this.#context.language), LONGEST_CAUSE);
    return words.replace(/[.。]$/, '') || failure.class;
  }

  /** The cause in parentheses; '' without a failure. */
  because(failure: FailureToExplain | undefined): string {
    return failure === undefined ? '' : this.say('because', { cause: this.cause(failure) });
  }

  /** Class and code. */
  technical({ class: failure, code }: FailureToExplain): string {
    return [failure, this.name(code)].filter((part) => part !== '').join(', ');
  }
}
