/** The runs of one rich_text section, list item, quote or table cell, put together from a template's words and values. */
import { isBlank } from '../../text/blank.ts';
import { cutEnd } from '../../text/cut.ts';
import { cutMark } from '../cut-marks.ts';
import type { Language, TemplateValue } from '../format.ts';
import type { SlackObject } from './message.ts';

/** Bits of a run's style. */
export const BOLD = 1;
export const ITALIC = 2;
export const STRIKE = 4;
export const CODE = 8;

/** By the bits; shared by all runs. */
const STYLES: readonly SlackObject[] = Array.from({ length: 16 }, (_, bits) => ({
  ...((bits & BOLD) > 0 && { bold: true }),
  ...((bits & ITALIC) > 0 && { italic: true }),
  ...((bits & STRIKE) > 0 && { strike: true }),
  ...((bits & CODE) > 0 && { code: true }),
}));

/** Of a run or a container beside what it shows: at least as much as its type. */
const RUN_COST = 5;
export const CONTAINER_COST = 22;

/** How many characters a text may still take; what exceeds them is cut so that it shows. */
export class RichTextBudget {
  readonly #mark: string;
  #left: number;
  #isSpent = false;
  #isMarked = false;

  constructor(characters: number, language: Language) {
    this.#left = characters;
    this.#mark = cutMark(language);
  }

  get left(): number {
    return this.#left;
  }

  /** Nothing more will be taken. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** The words that say so, where no text was cut that says it already. */
  get missingMark(): string {
    return this.#isSpent && !this.#isMarked ? this.#mark.trim() : '';
  }

  /** For what cannot be cut: false where it does not fit. */
  take(cost: number): boolean {
    if (this.#isSpent) return false;
    this.#left -= cost;
    this.#isSpent = this.#left < 0;
    return !this.#isSpent;
  }

  /** The text, or its beginning with the mark; empty where nothing more is taken. */
  takeText(text: string): string {
    if (this.#isSpent) return '';
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    this.#isSpent = true;
    this.#isMarked = true;
    return cutEnd(text, Math.max(this.#left + text.length, this.#mark.length + 1), this.#mark);
  }
}

export class Runs {
  readonly #budget: RichTextBudget;
  #list: SlackObject[] = [];
  #text = '';
  /** How much of the text does not end in white space of the template's own. */
  #solid = 0;
  #style = 0;
  #isVisible = false;

  constructor(budget: RichTextBudget) {
    this.#budget = budget;
  }

  /** False as long as a reader would see nothing. */
  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** The template's own words; white space at either end goes. */
  addWords(words: string, style: number): void {
    const begun = this.#text === '' && this.#list.length === 0 ? words.trimStart() : words;
    if (begun === '') return;
    const taken = this.#append(begun, style);
    const end = taken.trimEnd().length;
    if (end === 0) return;
    this.#solid = this.#text.length - taken.length + end;
    this.#isVisible = true;
  }

  /** A value, as it is. */
  addValue(value: string, style: number): void {
    if (value === '') return;
    if (this.#append(value, style) === '') return;
    this.#solid = this.#text.length;
    this.#isVisible ||= !isBlank(value);
  }

  /** A link, an emoji or a mention. */
  addElement(element: SlackObject, style: number): void {
    if (!this.#budget.take(RUN_COST + shownLength(element))) return;
    this.#flush();
    this.#list.push(style === 0 ? element : { ...element, style: STYLES[style] ?? {} });
    this.#isVisible = true;
  }

  /** What was put together; the next begins anew. */
  end(): readonly SlackObject[] {
    this.#text = this.#text.slice(0, this.#solid);
    this.#flush();
    const list = this.#list;
    this.#list = [];
    this.#isVisible = false;
    return list;
  }

  /** What was taken of the text. */
  #append(text: string, style: number): string {
    if (style !== this.#style) {
      this.#flush();
      this.#style = style;
    }
    if (this.#text === '' && !this.#budget.take(RUN_COST)) return '';
    const taken = this.#budget.takeText(text);
    this.#text += taken;
    return taken;
  }

  #flush(): void {
    if (this.#text === '') return;
    const style = STYLES[this.#style] ?? {};
    this.#list.push(
      this.#style === 0 ? { type: 'text', text: this.#text } : { type: 'text', text: this.#text, style },
    );
    this.#text = '';
    this.#solid = 0;
  }
}

function shownLength(element: SlackObject): number {
  let length = 0;
  for (const value of Object.values<TemplateValue>(element))
    if (typeof value === 'string') length += value.length;
  return length;
}
