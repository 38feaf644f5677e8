/** A notification as data: a template fills it with plain text, and each channel draws it in its own way. */
import type { Language } from '../time/display.ts';

/** Decides colour and symbol. */
export type Tone = 'succeeded' | 'error' | 'executing' | 'alert' | 'test';

export const SYMBOLS: Readonly<Record<Tone, string>> = {
  succeeded: '✅',
  error: '❌',
  executing: '▶️',
  alert: '⚠️',
  test: '🧪',
};

/** All texts are plain: neither escaped, cleaned nor cut. '' where there is none. */
export interface Card {
  readonly tone: Tone;
  /** Of the template set: cut marks and numbers follow it. */
  readonly language: Language;
  /** One line: whom it is about. */
  readonly title: string;
  /** One line: a push notification, a mail's subject. */
  readonly summary: string;
  /** The template's own words, in several lines. */
  readonly text: string;
  /** Foreign text, shown as it is. */
  readonly message: string;
  /** None without a value. */
  readonly facts: readonly Fact[];
  readonly outputs: readonly OutputView[];
  /** How many outputs there are in all. */
  readonly outputCount: number;
  readonly link: CardLink | undefined;
  readonly footer: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** http or https, in its normal form; '' where there is none. */
  readonly url: string;
}

export interface CardLink {
  readonly text: string;
  readonly url: string;
}

export interface OutputView {
  readonly name: string;
  readonly kind: 'scalar' | 'list' | 'files' | 'other';
  /** A scalar as it came; anything else on one line, cut. */
  readonly value: string | number | boolean;
  /** A list's elements as they came. */
  readonly items: readonly unknown[];
  /** The first ones. */
  readonly files: readonly FileView[];
  /** How many files there are in all. */
  readonly fileCount: number;
}

export interface FileView {
  readonly name: string;
  /** Unit unknown to the interface, bytes in practice; '' where there is none. */
  readonly size: number | '';
  /** Local time; '' where there is none. */
  readonly timestamp: string;
  readonly ref: string;
  /** http or https, in its normal form; '' where no link is configured. */
  readonly url: string;
}
