/** The rows of a list as texts: each item one, an object's fields whole, and what is left out counted. */
import { isJsonObject } from '../../text/json-object.ts';
import { type Language, moreFieldsMark, moreMark } from '../../channels/format.ts';
import { cleanLine } from '../../text/clean.ts';
import { cutMiddle } from '../../text/cut.ts';
import { wholeRows } from '../../text/whole-rows.ts';
import { firstKeys, keysPast } from './first-keys.ts';
import { likeObjects, type LikeObjects } from './like-objects.ts';
import { BETWEEN_PAIRS, fileEntries, itemText, memberText, nameText } from './value-text.ts';

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
  /** Whether texts are brought onto one line each. */
  readonly isInline: boolean;
}

export interface ListRows {
  readonly rows: readonly string[];
  /** What says how many rows are left out; undefined where none are. */
  readonly more: string | undefined;
}

export function rowsOf(items: readonly unknown[], limits: ListLimits): ListRows {
  const { most, room, language } = limits;
  const shown = items.slice(0, most);
  const share = Math.floor(room / Math.max(1, shown.length));
  const rowRoom = Math.min(LONGEST_ROW, Math.max(SHORTEST_ROW, share));
  const { rows } = wholeRows(
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
  const texts = rows.map(({ fields, fieldsLeftOut }, index) => {
    const more = fieldsLeftOut + keysPast(shown[index], MOST_FIELDS);
    return (more === 0 ? fields : [...fields, moreFieldsMark(language, more)]).join(BETWEEN_PAIRS);
  });
  return { rows: texts, more: moreOf(items.length - texts.length, language) };
}

function moreOf(count: number, language: Language): string | undefined {
  return count === 0 ? undefined : moreMark(language, count);
}

/** An object's fields; anything else is one, cut where it is longer than a row. */
function fieldsOf(item: unknown, rowRoom: number, { isInline }: ListLimits): readonly string[] {
  if (!isJsonObject(item) || fileEntries(item) !== undefined)
    return [cutMiddle(itemText(item, cleanerOf(isInline)), rowRoom, CUT)];
  return firstKeys(item, MOST_FIELDS).map((key) => {
    const name = `${keyText(key)}: `;
    // A field that is alone in its row has room there.
    const longest = Math.max(SHORTEST_MEMBER, Math.min(LONGEST_MEMBER, rowRoom - name.length));
    return name + cutMiddle(memberText(item[key], cleanerOf(isInline)), longest, CUT);
  });
}

function cleanerOf(isInline: boolean): (text: string) => string {
  return isInline ? cleanLine : asItIs;
}

function keyText(key: string): string {
  return cutMiddle(nameText(key), LONGEST_KEY, () => '…');
}

const asItIs = (text: string): string => text;

export interface TableCells {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What says how many columns and rows are left out; undefined where none are. */
  readonly more: string | undefined;
}

/** Undefined where the items are no table. */
export function cellsOf(items: readonly unknown[], limits: ListLimits): TableCells | undefined {
  const alike = likeObjects(items, limits.most);
  if (alike === undefined) return undefined;
  const columns = fittingColumns(columnsOf(alike, limits.isInline), limits.room);
  const rows = rowsWithin(
    alike.rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
    limits.room,
  );
  const { language } = limits;
  const fieldsLeftOut = alike.columns.length - columns.length;
  const marks = [
    fieldsLeftOut === 0 ? undefined : moreFieldsMark(language, fieldsLeftOut),
    moreOf(items.length - rows.length, language),
  ].filter((mark) => mark !== undefined);
  const more = marks.length === 0 ? undefined : marks.join(BETWEEN_PAIRS);
  return { names: columns.map(({ name }) => name), rows, more };
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

function columnsOf({ columns, rows }: LikeObjects, isInline: boolean): readonly Column[] {
  return columns.map((key) => ({
    name: keyText(key),
    cells: rows.map((row) => cutMiddle(memberText(row[key], cleanerOf(isInline)), LONGEST_CELL, CUT)),
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
