/** The filters that put a list on lines of its own, `lines`, `table` and `file_lines`, and the one that makes a link. */
import { cleanLine, Escaped, wholeUrl } from '../../text/clean.ts';
import { cutMiddle } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { formatSize, type Language } from '../../time/display.ts';
import type { Printer } from './print-value.ts';
import { type ListPlace, tableText } from './table-filter.ts';
import {
  BETWEEN_PAIRS,
  fileEntries,
  firstKeys,
  inlineText,
  itemText,
  keysPast,
  leftOutMarks,
  likeObjects,
  type LikeObjects,
  memberText,
  nameText,
  textOf,
  wholeRows,
} from '../../channels/value-text.ts';

const DEFAULT_MOST = 10;
const DEFAULT_ROOM = 1000;

const LONGEST_FILE_NAME = 80;
const BULLET = '• ';

/** `{{ output.items | lines: 10, 800 }}`: at most 10 lines, together about 800 characters, and how many more there are. */
export function linesOf(items: unknown, most: unknown, room: unknown, printing: ListPlace): unknown {
  const { rows, marks } = rowsOf(listOf(items), limitsOf(most, room, printing));
  const { printer } = printing;
  if (printer.markup.lists !== 'rows') return [...rows.map((row) => BULLET + row), ...marks].join('\n');
  return new Escaped(['', ...rows.map((row) => BULLET + printer.write(row)), ...marks].join('\n'));
}

/** `{{ output.items | table: 10, 800 }}`: as `lines`, but a list of like objects is a table where there are such. */
export function tableOf(items: unknown, most: unknown, room: unknown, printing: ListPlace): unknown {
  const { printer } = printing;
  const { lists } = printer.markup;
  const limits = limitsOf(most, room, printing);
  if (lists === 'records') return new Escaped(tableText(listOf(items), limits, printing));
  const table = lists === 'rows' && Array.isArray(items) ? cellsOf(items, limits) : undefined;
  if (table === undefined) return linesOf(items, most, room, printing);
  const row = (cells: readonly string[]) => `| ${cells.map(printer.write).join(' | ')} |`;
  const { names, rows, more } = table;
  return new Escaped(['', row(names), ...rows.map(row), more].join('\n'));
}

/** What is no list is one of a single item; nothing is none. */
function listOf(items: unknown): readonly unknown[] {
  if (Array.isArray(items)) return items;
  return items === undefined || items === null ? [] : [items];
}

function limitsOf(most: unknown, room: unknown, { language, printer }: ListPlace): ListLimits {
  return {
    most: countOf(most, DEFAULT_MOST),
    room: countOf(room, DEFAULT_ROOM),
    language,
    clean: printer.markup.lists === 'rows' ? asItIs : cleanLine,
  };
}

/** `{{ output.files | file_lines: 10, 800 }}`: name, linked where there is an address and room for it, and size. */
export function fileLinesOf(files: unknown, most: unknown, room: unknown, printing: ListPlace): Escaped {
  const { language, printer } = printing;
  const { unit, lineBreak } = printer.markup;
  const list = Array.isArray(files) ? files : [];
  let left = countOf(room, Infinity);
  const lines: string[] = [];
  for (const file of list.slice(0, countOf(most, DEFAULT_MOST))) {
    const hasRoom = (text: string) => unit.sizeOf(text) <= left;
    const linked = fileLine(file, true, printing);
    const line = hasRoom(linked) ? linked : fileLine(file, false, printing);
    if (!hasRoom(line)) break;
    left -= unit.sizeOf(line);
    lines.push(line);
  }
  const marks = leftOutMarks(language, 0, list.length - lines.length);
  return new Escaped([...lines, ...marks].join(lineBreak));
}

function fileLine(file: unknown, isLink: boolean, { language, printer }: ListPlace): string {
  const { name, size, url } = isJsonObject(file) ? file : {};
  const address = isLink ? url : '';
  const shown = cutMiddle(textOf(name), LONGEST_FILE_NAME, () => '…');
  const sizeText = typeof size === 'number' ? ` (${formatSize(size, language)})` : '';
  if (printer.markup.spellsOutAddresses === true)
    return `📎 ${linkTo(shown + sizeText, address, printer).text}`;
  return `📎 ${linkTo(shown, address, printer).text}${sizeText}`;
}

/** A parameter of a filter: a whole number from 1 on. */
export function countOf(value: unknown, otherwise: number): number {
  const count = Math.floor(Number(value));
  return value === undefined || !Number.isFinite(count) ? otherwise : Math.max(1, count);
}

/** However many share the room, a row is worth showing only from here on. */
const SHORTEST_ROW = 60;
const LONGEST_ROW = 300;
const LONGEST_KEY = 40;
/** Fields of one object that are looked at; far fewer have room in the longest row. */
const MOST_FIELDS = 200;
/** One value of an object; the rest of the row is for the others. */
const LONGEST_MEMBER = 200;
const SHORTEST_MEMBER = 20;
/** A longer one would leave its table few rows. */
const LONGEST_CELL = 100;
/** What a row takes beside what it shows. */
const ROW_OVERHEAD = 4;
/** What a cell takes beside it; in Slack its type. */
const CELL_OVERHEAD = 8;

const CUT = (): string => ' … ';

export interface ListLimits {
  /** Rows. */
  readonly most: number;
  /** Characters, all rows together. */
  readonly room: number;
  readonly language: Language;
  /** What becomes of each text: it is brought onto one line, or stays as it is. */
  readonly clean: (text: string) => string;
}

/** `marks` say how many rows are left out. */
export function rowsOf(
  items: readonly unknown[],
  limits: ListLimits,
): { readonly rows: readonly string[]; readonly marks: readonly string[] } {
  const { most, room, language } = limits;
  const shown = items.slice(0, most);
  const share = Math.floor(room / Math.max(1, shown.length));
  const rowRoom = Math.min(LONGEST_ROW, Math.max(SHORTEST_ROW, share));
  const shownRows = wholeRows(
    shown.map((item) => fieldsOf(item, rowRoom, limits)),
    {
      sizeOf: (field) => field.length + BETWEEN_PAIRS.length,
      rowSize: ROW_OVERHEAD,
      // The words that count what is left out come on top.
      markSize: 0,
      rowRoom: rowRoom + ROW_OVERHEAD + BETWEEN_PAIRS.length,
      // The first row is shown, however little room there is.
      room: Math.max(room, rowRoom + ROW_OVERHEAD + BETWEEN_PAIRS.length),
    },
  );
  const rows = shownRows.map(({ fields, fieldsLeftOut }, index) => {
    const marks = leftOutMarks(language, fieldsLeftOut + keysPast(shown[index], MOST_FIELDS), 0);
    return [...fields, ...marks].join(BETWEEN_PAIRS);
  });
  return { rows, marks: leftOutMarks(language, 0, items.length - rows.length) };
}

/** An object's fields; anything else is one, cut where it is longer than a row. */
function fieldsOf(item: unknown, rowRoom: number, { clean }: ListLimits): readonly string[] {
  if (!isJsonObject(item) || fileEntries(item) !== undefined)
    return [cutMiddle(itemText(item, clean), rowRoom, CUT)];
  return firstKeys(item, MOST_FIELDS).map((key) => {
    const name = `${keyText(key)}: `;
    // A field that is alone in its row has room there.
    const longest = Math.max(SHORTEST_MEMBER, Math.min(LONGEST_MEMBER, rowRoom - name.length));
    return name + cutMiddle(memberText(item[key], clean), longest, CUT);
  });
}

function keyText(key: string): string {
  return cutMiddle(nameText(key), LONGEST_KEY, () => '…');
}

const asItIs = (text: string): string => text;

interface TableCells {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What says how many columns and rows are left out; '' where none are. */
  readonly more: string;
}

/** Undefined where the items are no table. */
export function cellsOf(items: readonly unknown[], limits: ListLimits): TableCells | undefined {
  const alike = likeObjects(items, limits.most);
  if (alike === undefined) return undefined;
  const columns = fittingColumns(columnsOf(alike, limits.clean), limits.room);
  const rows = rowsWithin(
    alike.rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
    limits.room,
  );
  const fieldsLeftOut = alike.columns.length - columns.length;
  const marks = leftOutMarks(limits.language, fieldsLeftOut, items.length - rows.length);
  return { names: columns.map(({ name }) => name), rows, more: marks.join(BETWEEN_PAIRS) };
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

function columnsOf({ columns, rows }: LikeObjects, clean: ListLimits['clean']): readonly Column[] {
  return columns.map((key) => ({
    name: keyText(key),
    cells: rows.map((row) => cutMiddle(memberText(row[key], clean), LONGEST_CELL, CUT)),
  }));
}

/** The first columns, as many as leave room for a row of their longest cells; one at the least. */
function fittingColumns(columns: readonly Column[], room: number): readonly Column[] {
  let left = Math.min(LONGEST_ROW, room);
  return columns.filter(({ name, cells }, index) => {
    const width =
      cells.reduce((longest, cell) => Math.max(longest, cell.length), name.length) + CELL_OVERHEAD;
    if (index > 0 && width > left) return false;
    left -= width;
    return true;
  });
}

/** The first rows, as many as fit; one at the least. */
function rowsWithin(rows: readonly (readonly string[])[], room: number): readonly (readonly string[])[] {
  let left = room;
  const count = rows.findIndex((row) => {
    left -= row.reduce((size, cell) => size + cell.length + CELL_OVERHEAD, 0);
    return left < 0;
  });
  return count === -1 ? rows : rows.slice(0, Math.max(1, count));
}

/** `{{ file.name | link: file.url }}`; without a usable address only the words are left. */
export function linkTo(label: unknown, url: unknown, printer: Printer): Escaped {
  const { linkTo: write, lists } = printer.markup;
  const wordsOf = lists === 'rows' ? textOf : inlineText;
  const words = printer.print(label instanceof Escaped ? label : wordsOf(label));
  const address = wholeUrl(textOf(url));
  return new Escaped(address === undefined || write === undefined ? words : write(words, address));
}
