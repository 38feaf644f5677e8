/**
 * The shape of one kind of message: which parts a template file gives, how each is made safe, how they become a message; and
 * the words that say, in the reader's language, what was left out.
 */
import type { Language } from '../time/display.ts';
import type { Markup } from './markup.ts';

/** A value of a parsed or rendered template: YAML's data, nothing else. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** The top-level values of a rendered template file by key, every string leaf rendered and escaped in its markup. */
export type RenderedParts = Readonly<Record<string, TemplateValue>>;

export interface ComposeContext {
  readonly language: Language;
  /** Destination options that the channel's own schema has checked, e.g. `mention_on_error`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface MessagePart {
  readonly required: boolean;
  /** Of a list or an object, every string is rendered in the markup of where it stands. */
  readonly kind: 'string' | 'list' | 'object';
  /** `compose` does without it; otherwise a part that is neither required nor there is the built-in template's. */
  readonly mayBeLeftOut?: boolean;
}

export interface MessageTheme {
  readonly name: 'light' | 'dark';
  /** CSS for the document that the message is shown in. */
  readonly style: string;
}

/**
 * One kind of message. Channel types name the format that they send; template folders are named after it.
 * All functions are pure. Whatever the foreign text, `compose` yields a well-formed message within the remote's limits.
 */
export interface MessageFormat<Message = unknown> {
  /** Also the template folder: `templates/<set>/<name>/<status>.yaml`. */
  readonly name: string;
  /** Top-level keys of a template file. */
  readonly parts: Readonly<Record<string, MessagePart>>;
  /** What kind of text the string at `path` is; `parent` is the object or list that holds it, before rendering. */
  markupOf(path: readonly (string | number)[], parent: TemplateValue): Markup;
  /** Puts the parts together: cuts what is too long so that it shows, drops what is empty, adds mentions. */
  compose(parts: RenderedParts, context: ComposeContext): Message;
  /** What is wrong with a template's message before anyone sends it, each with the path of the value at fault. */
  inspect(message: Message): { readonly path: readonly (string | number)[]; readonly message: string }[];
  /** The message as a person would read it on a terminal: several lines, no colours. */
  asText(message: Message): string;
  /**
   * The message as its reader would see it, to be shown in a frame of its own: an HTML document, or a fragment that
   * carries its own inline styles.
   */
  asHtml(message: Message): string;
  /** What its reader sees above it, such as a mail's subject. */
  titleOf?(message: Message): string;
  /** Themes that its readers may have chosen; left out where the message brings its own. */
  readonly themes?: readonly MessageTheme[];
}

const NUMBER_FORMATS: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat('en'),
  ja: new Intl.NumberFormat('ja'),
};

/** Stands at the end of a text that was cut there. */
export function cutMark(language: Language): string {
  return language === 'ja' ? '…（以下省略）' : ' … (cut short)';
}

/** Stands where the middle of a text was, on a line of its own. */
export function leftOutMark(language: Language): (leftOut: number) => string {
  return (leftOut) => {
    const count = NUMBER_FORMATS[language].format(leftOut);
    return language === 'ja' ? `\n……（${count}文字省略）……\n` : `\n… ${count} characters left out …\n`;
  };
}

/** Stands for what a list no longer holds. */
export function moreMark(language: Language, count: number): string {
  const number = NUMBER_FORMATS[language].format(count);
  return language === 'ja' ? `…ほか${number}件` : `… ${number} more`;
}

/** Stands for the fields that a row of a list no longer holds. */
export function moreFieldsMark(language: Language, count: number): string {
  const number = NUMBER_FORMATS[language].format(count);
  if (language === 'ja') return `…ほか${number}項目`;
  return `… ${number} more ${count === 1 ? 'field' : 'fields'}`;
}
