/** The filter `table` where lists are records: like objects as a table or field by field, anything else one item a line. */
import { isJsonObject } from '../../text/json-object.ts';
import type { Language } from '../../time/display.ts';
import type { TableMarkup } from '../../channels/markup.ts';
import { cleanLine } from '../../text/clean.ts';
import { cutMiddle, type Unit } from '../../text/cut.ts';
import {
  BETWEEN_PAIRS,
  fileEntries,
  firstKeys,
  inlineText,
  keysPast,
  leftOutMarks,
  likeObjects,
  type LikeObjects,
  memberText,
  wholeRows,
} from '../../channels/value-text.ts';
import { once } from '../view/lazy.ts';
import type { Printer } from './print-value.ts';

/** More do not stand side by side in the width of a mail. */
const MOST_COLUMNS = 8;
const LONGEST_COLUMN_NAME = 60;

/** Characters of one member of an object; what is longer is left out whole. */
const LONGEST_MEMBER = 1000;
/** Characters of an item that is no object: a text of its own, cut like any other where all share the room. */
const SHORTEST_ITEM = 60;
const LONGEST_ITEM = 1000;
/** Bytes of a character, more or less. */
const A_CHARACTER = 2;

/** Members of one object; only their number is told of the others. */
const MOST_MEMBERS = 100;
/** One more than is shown, so that the words about what is left out get their room. */
const MOST_LISTED = MOST_MEMBERS + 1;

/** Bytes of one row. */
const LONGEST_ROW = 4000;

/** "… 12 more fields", with what stands before it. */
const MARK_BYTES = 60;

const BULLET = '• ';
const LEFT_OUT = '…';

type Write = (text: string) => string;

const asItIs: Write = (text) => text;

export interface TableLimits {
  /** Rows. */
  readonly most: number;
  /** Bytes, all rows together. */
  readonly room: number;
}

/** How a list is printed. */
export interface ListPlace {
  readonly language: Language;
  readonly printer: Printer;
}

/** `{{ output.items | table: 50, 8000 }}`, escaped. Nothing is cut through a key or a member: what is left out is counted. */
export function tableText(items: readonly unknown[], limits: TableLimits, place: ListPlace): string {
  const { table } = place.printer.markup;
  const written = table && tableIn(items, limits, { ...place, table });
  return written ?? recordsText(items, limits, place);
}

/** Undefined where the items make none. */
function tableIn(
  items: readonly unknown[],
  { most, room }: TableLimits,
  { language, printer, table }: ListPlace & { readonly table: TableMarkup },
): string | undefined {
  const alike = likeObjects(items, most);
  if (alike === undefined || !hasColumnsForMail(alike)) return undefined;
  const { columns } = alike;
  const { write, markup } = printer;
  const { unit } = markup;
  const names = columns.map((key) => write(cleanLine(key)));
  const left = room - unit.sizeOf(table.write(names, []));
  const shown = wholeRows(cellsOf(alike, write), {
    sizeOf: ({ html }) => sizeIn(unit, html()),
    rowSize: table.rowSize + columns.length * table.cellSize,
    markSize: columns.length * unit.sizeOf(LEFT_OUT),
    rowRoom: Math.min(LONGEST_ROW, left),
    room: left,
  });
  if (shown.length === 0) return undefined;
  const rows = shown.map(({ fields }) =>
    columns.map((column) => fields.find((cell) => cell.column === column)?.html() ?? LEFT_OUT),
  );
  const fieldsLeftOut = shown.reduce((count, row) => count + row.fieldsLeftOut, 0);
  const marks = leftOutMarks(language, fieldsLeftOut, items.length - rows.length);
  return table.write(names, rows) + marks.join(BETWEEN_PAIRS);
}

function hasColumnsForMail({ columns }: LikeObjects): boolean {
  return columns.length <= MOST_COLUMNS && columns.every((key) => key.length <= LONGEST_COLUMN_NAME);
}

/** Undefined for what is too long; not written before it is asked for, since most rows may have no room. */
type Written = () => string | undefined;

interface Cell {
  readonly column: string;
  readonly html: Written;
}

function cellsOf({ columns, rows }: LikeObjects, write: Write): readonly (readonly Cell[])[] {
  return rows.map((row) =>
    columns.map((column) => ({ column, html: written(write, () => memberOf(row[column], asItIs)) })),
  );
}

function written(write: Write, textOf: Written): Written {
  return once(() => {
    const text = textOf();
    return text && write(text);
  });
}

function sizeIn(unit: Unit, text: string | undefined): number {
  return text === undefined ? Infinity : unit.sizeOf(text);
}

/** Each item with a bullet, an object's members on lines of their own. */
function recordsText(items: readonly unknown[], { most, room }: TableLimits, place: ListPlace): string {
  const { language, printer } = place;
  const { write, markup } = printer;
  const { unit, lineBreak: lineEnd } = markup;
  const indented = lineEnd + write('  ');
  const listed = items.slice(0, most);
  const share = Math.floor(room / A_CHARACTER / Math.max(1, listed.length));
  const itemLength = Math.min(LONGEST_ITEM, Math.max(SHORTEST_ITEM, share));
  const shown = wholeRows(
    listed.map((item) => fieldsOf(item, itemLength).map((textOf) => written(write, textOf))),
    {
      sizeOf: (field) => sizeIn(unit, field()) + unit.sizeOf(indented),
      rowSize: unit.sizeOf(BULLET) + unit.sizeOf(lineEnd),
      markSize: MARK_BYTES,
      rowRoom: Math.min(LONGEST_ROW, room),
      room,
    },
  );
  const rows = shown.map(({ fields, fieldsLeftOut }, index) => {
    const marks = leftOutMarks(language, fieldsLeftOut + keysPast(listed[index], MOST_LISTED), 0);
    return BULLET + [...fields.map((field) => field()), ...marks].join(indented);
  });
  return [...rows, ...leftOutMarks(language, 0, items.length - rows.length)].join(lineEnd);
}

/** A field that is too long, or one too many, has no text. */
function fieldsOf(item: unknown, itemLength: number): readonly Written[] {
  if (!isJsonObject(item) || fileEntries(item) !== undefined)
    return [() => cutMiddle(inlineText(item), itemLength, () => ' … ')];
  return firstKeys(item, MOST_LISTED).map((key, index) => () => {
    const text = index < MOST_MEMBERS ? memberOf(item[key], cleanLine) : undefined;
    return text === undefined || key.length > LONGEST_MEMBER ? undefined : `${cleanLine(key)}: ${text}`;
  });
}

function memberOf(value: unknown, clean: (text: string) => string): string | undefined {
  if (typeof value === 'string' && value.length > LONGEST_MEMBER) return undefined;
  const text = memberText(value, clean);
  return text.length > LONGEST_MEMBER ? undefined : text;
}
