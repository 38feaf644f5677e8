/** Makes blocks of a rich text that a template writes in one piece: paragraphs, lists, quotes, fences and tables. */
import { type TemplateValue } from '../channel.ts';
import { moreMark } from '../marks.ts';
import type { Language } from '../../time/display.ts';
import {
  CONTAINER_COST,
  lengthOf,
  MAX_TABLE_ROWS,
  RichTextBudget,
  rowsAsList,
  Runs,
  tableOf,
} from './message.ts';
import { WordReader } from './rich-words.ts';
import type { SlackObject } from './message.ts';

/** Of one rich text: what identifies a run is another one, and always has room beside it. */
export const MAX_RICH_TEXT_LENGTH = 6500;

type LineKind = 'none' | 'section' | 'list' | 'quote' | 'table';

/** What stands, with a blank, at the beginning of a line that is no paragraph. */
const LINE_MARKS: ReadonlyMap<string, LineKind> = new Map([
  ['• ', 'list'],
  ['- ', 'list'],
  ['> ', 'quote'],
]);
const LINE_MARK_LENGTH = 2;

export interface RichText {
  readonly blocks: readonly SlackObject[];
  /** At least the characters in all strings of the blocks. */
  readonly length: number;
}

/**
 * @param source marked, as it was rendered
 * @param takeTable true where the message may have one more table; it is a list otherwise
 */
export function readRichText(source: string, language: Language, takeTable: () => boolean): RichText {
  return new RichTextReader(source.toWellFormed(), language, takeTable).read();
}

class RichTextReader {
  readonly #words: WordReader;
  readonly #language: Language;
  readonly #takeTable: () => boolean;
  readonly #budget: RichTextBudget;
  readonly #runs: Runs;
  readonly #blocks: SlackObject[] = [];
  /** Of the rich_text block that is being made. */
  #elements: SlackObject[] = [];
  #kind: LineKind = 'none';
  /** Lines without anything since the last one. */
  #blankLines = 0;
  #items: SlackObject[] = [];
  #rows: (readonly SlackObject[])[][] = [];

  constructor(source: string, language: Language, takeTable: () => boolean) {
    this.#words = new WordReader(source);
    this.#language = language;
    this.#takeTable = takeTable;
    this.#budget = new RichTextBudget(MAX_RICH_TEXT_LENGTH, language);
    this.#runs = new Runs(this.#budget);
  }

  read(): RichText {
    while (!this.#words.isAtEnd && !this.#budget.isSpent) this.#readLine();
    this.#close();
    const { missingMark } = this.#budget;
    if (missingMark !== '') this.#addWords(missingMark);
    this.#endBlock();
    const length = this.#budget.isSpent ? lengthOf(this.#blocks) : MAX_RICH_TEXT_LENGTH - this.#budget.left;
    return { blocks: this.#blocks, length };
  }

  #readLine(): void {
    const fence = this.#words.readFence();
    if (fence !== undefined) {
      this.#close();
      this.#addFence(fence);
    } else if (this.#words.source[this.#words.at] === '\n') {
      this.#words.at += 1;
      this.#blankLines += 1;
    } else this.#readContent();
  }

  #readContent(): void {
    const { source, at } = this.#words;
    const kind = kindOfLine(source, at);
    this.#begin(kind);
    if (kind === 'table') this.#readRow();
    else {
      if (kind !== 'section') this.#words.at += LINE_MARK_LENGTH;
      this.#words.read(this.#runs);
    }
    if (source[this.#words.at] === '\n') this.#words.at += 1;
  }

  #begin(kind: LineKind): void {
    if (kind !== this.#kind) {
      this.#close();
      this.#kind = kind;
    } else if (kind === 'list') this.#endItem();
    else if (kind !== 'table') this.#runs.addWords('\n'.repeat(this.#blankLines + 1), 0);
    this.#blankLines = 0;
  }

  #readRow(): void {
    const cells: (readonly SlackObject[])[] = [];
    const { source } = this.#words;
    while (source[this.#words.at] === '|') {
      this.#words.at += 1;
      this.#words.read(this.#runs, '|');
      const isAfterLast = source[this.#words.at] !== '|' && !this.#runs.isVisible;
      const cell = this.#runs.end();
      if (!isAfterLast) cells.push(cell);
      this.#budget.take(CONTAINER_COST);
    }
    this.#rows.push(cells);
  }

  #close(): void {
    if (this.#kind === 'table') this.#closeTable();
    else if (this.#kind === 'list') this.#closeList();
    else if (this.#runs.isVisible)
      this.#addContainer(this.#kind === 'quote' ? 'rich_text_quote' : 'rich_text_section', this.#runs.end());
    this.#runs.end();
    this.#kind = 'none';
    this.#blankLines = 0;
  }

  #endItem(): void {
    const isVisible = this.#runs.isVisible;
    const runs = this.#runs.end();
    this.#budget.take(CONTAINER_COST);
    if (this.#budget.isSpent && !isVisible) return;
    this.#items.push({ type: 'rich_text_section', elements: isVisible ? runs : [NOTHING] });
  }

  #closeList(): void {
    this.#endItem();
    this.#addList(this.#items);
    this.#items = [];
  }

  #addList(items: readonly SlackObject[]): void {
    if (items.length > 0) this.#addContainer('rich_text_list', items, { style: 'bullet' });
  }

  #closeTable(): void {
    const rows = this.#rows;
    this.#rows = [];
    if (!this.#takeTable()) return this.#addList(rowsAsList(rows));
    this.#endBlock();
    this.#blocks.push(tableOf(rows));
    if (rows.length > MAX_TABLE_ROWS) this.#addWords(moreMark(this.#language, rows.length - MAX_TABLE_ROWS));
  }

  #addFence(text: string): void {
    this.#runs.addValue(text, 0);
    const { isVisible } = this.#runs;
    const runs = this.#runs.end();
    if (isVisible) this.#addContainer('rich_text_preformatted', runs);
  }

  #addWords(words: string): void {
    this.#addContainer('rich_text_section', [{ type: 'text', text: words }]);
  }

  #addContainer(
    type: string,
    elements: readonly SlackObject[],
    more: Readonly<Record<string, TemplateValue>> = {},
  ): void {
    this.#budget.take(CONTAINER_COST);
    this.#elements.push({ type, ...more, elements });
  }

  #endBlock(): void {
    if (this.#elements.length > 0) this.#blocks.push({ type: 'rich_text', elements: this.#elements });
    this.#elements = [];
  }
}

function kindOfLine(source: string, at: number): LineKind {
  return source[at] === '|'
    ? 'table'
    : (LINE_MARKS.get(source.slice(at, at + LINE_MARK_LENGTH)) ?? 'section');
}

/** Stands in an item or a cell that shows nothing, which Slack would refuse. */
const NOTHING: SlackObject = { type: 'text', text: '–' };
