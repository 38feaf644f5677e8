/** A notification as data: a template fills it with plain text, and each channel draws it in its own way. */
import type { SpeltNumber } from '../text/json.ts';
import type { Language } from '../time/display.ts';

export type Tone = 'succeeded' | 'error' | 'executing' | 'alert' | 'test';

export const SYMBOLS: Readonly<Record<Tone, string>> = {
  succeeded: '✅',
  error: '❌',
  executing: '▶️',
  alert: '⚠️',
  test: '🧪',
};

/** All texts are plain: neither escaped for a channel nor cut yet. Texts of one line and names are already cleaned. An absent text is ''. */
export interface Card {
  readonly tone: Tone;
  /** The template set's language, also used for cut marks and numbers. */
  readonly language: Language;
  /** One line: the name of the BOT, or the subject of an alert. */
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** Foreign text, such as a BOT's error message. */
  readonly message: string;
  /** Facts with an empty value are already removed. */
  readonly facts: readonly Fact[];
  readonly outputs: readonly OutputView[];
  /** The number of outputs in the callback; `outputs` may hold fewer. */
  readonly outputCount: number;
  /** The address at which all outputs can be read: the job's, else that of Botbell's page; '' if there is neither. */
  readonly restUrl: string;
  readonly link: CardLink | undefined;
  readonly footer: string;
  /** A file to attach, for channels that take files. */
  readonly attachment?: Attachment | undefined;
}

/** A text file. */
export interface Attachment {
  readonly name: string;
  readonly text: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Normalized http or https URL; '' if there is none. */
  readonly url: string;
}

export interface CardLink {
  readonly text: string;
  readonly url: string;
}

export interface OutputView {
  readonly name: string;
  readonly kind: 'scalar' | 'list' | 'files' | 'other';
  /** A scalar unchanged; any other value as text on one line, cut. */
  readonly value: string | number | boolean | SpeltNumber;
  readonly items: readonly unknown[];
  /** The first files only; `fileCount` counts all. */
  readonly files: readonly FileView[];
  readonly fileCount: number;
  readonly url?: string;
}

export interface FileView {
  readonly name: string;
  /** Bytes in practice; the interface names no unit. '' if there is none. */
  readonly size: number | '';
  /** Local time; '' if there is none. */
  readonly timestamp: string;
  readonly ref: string;
  /** Normalized http or https URL; '' if no link is configured. */
  readonly url: string;
}
