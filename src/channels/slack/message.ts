/** What a Slack message is made of, as chat.postMessage takes it: blocks, links, the runs of a rich text, tables. */
import { isBlank } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { type TemplateValue } from '../channel.ts';
import { cutMark } from '../marks.ts';
import type { Language } from '../../time/display.ts';

export type SlackObject = { readonly [key: string]: TemplateValue };

/** `blocks` is left out rather than empty: Slack refuses an empty list. */
export interface SlackMessage {
  /** mrkdwn; what notifications show, and the whole message where there are no blocks. */
  readonly text: string;
  readonly blocks?: readonly SlackObject[];
}

export function isObject(value: TemplateValue | undefined): value is SlackObject {
  return isJsonObject(value);
}

export function isList(value: TemplateValue | undefined): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

export function typeOf(object: SlackObject): string {
  return typeof object['type'] === 'string' ? object['type'] : '';
}

/** The string at `key`, or '' where there is none. */
export function stringAt(object: SlackObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function objectsAt(object: SlackObject, key: string): readonly SlackObject[] {
  const value = object[key];
  return isList(value) ? value.filter(isObject) : [];
}

/** Characters in all strings of a value; Slack counts the escaped text. */
export function lengthOf(value: TemplateValue | undefined): number {
  if (typeof value === 'string') return value.length;
  let sum = 0;
  if (isList(value)) for (const item of value) sum += lengthOf(item);
  else if (isObject(value)) for (const key of Object.keys(value)) sum += lengthOf(value[key]);
  return sum;
}

/** Slack: Block Kit reference, button and image. */
const MAX_URL_LENGTH = 3000;

/** True for an http or https address that Slack takes as it is: it refuses blanks and lets `|`, `<` and `>` end a link. */
export function isUsableUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^\s<>|]+$/iu.test(text)) return false;
  return text.isWellFormed() && URL.canParse(text);
}

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

/** The runs of one rich_text section, list item, quote or table cell, made of a template's words and of values. */
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

/** Slack: table block. */
export const MAX_TABLE_ROWS = 100;
const MAX_TABLE_COLUMNS = 20;

/** Stands in an empty table cell, which must not shift its neighbours. */
export const EMPTY_CELL: SlackObject = { type: 'raw_text', text: '–' };

/** What a cell holds. */
type Cell = readonly SlackObject[];

/** @param rows the first one names the columns */
export function tableOf(rows: readonly (readonly Cell[])[]): SlackObject {
  const shown = rows.slice(0, MAX_TABLE_ROWS);
  const widest = shown.reduce((most, row) => Math.max(most, row.length), 1);
  const columns = Math.min(MAX_TABLE_COLUMNS, widest);
  return { type: 'table', rows: shown.map((row) => cellsOf(row, columns)) };
}

function cellsOf(row: readonly Cell[], columns: number): readonly SlackObject[] {
  const cells: SlackObject[] = [];
  for (const runs of row) if (cells.length < columns) cells.push(cellOf(runs));
  while (cells.length < columns) cells.push(EMPTY_CELL);
  return cells;
}

/** The simplest cell that holds what is in it. */
function cellOf(runs: Cell): SlackObject {
  const first = runs[0];
  if (first === undefined) return EMPTY_CELL;
  if (runs.length > 1 || typeOf(first) !== 'text' || 'style' in first)
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: runs }] };
  const text = stringAt(first, 'text');
  return isBlank(text) ? EMPTY_CELL : { type: 'raw_text', text };
}

/** `name: value · name: value` of each row but the first, as items of a rich_text_list. */
export function rowsAsList([names = [], ...rows]: readonly (readonly Cell[])[]): readonly SlackObject[] {
  return rows.map((row) => ({
    type: 'rich_text_section',
    elements: row.flatMap((cell, index) => [
      ...(index > 0 ? [textRun(' · ')] : []),
      ...(names[index] ?? []),
      textRun(': '),
      ...(cell.length === 0 ? [textRun('–')] : cell),
    ]),
  }));
}

/** A template's own table block as such a list. */
export function tableAsList(table: SlackObject): SlackObject {
  const cells = rowsOfTable(table).map((row) => row.map(runsOf));
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_list', style: 'bullet', elements: rowsAsList(cells) }],
  };
}

/** The cells of a table block, row by row. */
export function rowsOfTable(table: SlackObject): readonly (readonly SlackObject[])[] {
  const rows = table['rows'];
  return isList(rows) ? rows.map((row) => (isList(row) ? row.filter(isObject) : [])) : [];
}

function runsOf(cell: SlackObject): Cell {
  const text = stringAt(cell, 'text');
  if (typeOf(cell) !== 'rich_text') return isBlank(text) ? [] : [textRun(text)];
  return objectsAt(cell, 'elements').flatMap((element) => objectsAt(element, 'elements'));
}

function textRun(text: string): SlackObject {
  return { type: 'text', text };
}
