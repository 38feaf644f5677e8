/** What is shown of a card's outputs: cut, cleaned and counted, but without any markup. */
import { cleanText } from '../text/clean.ts';
import { cutMiddle } from '../text/cut.ts';
import { isJsonObject } from '../text/json-object.ts';
import { formatSize, type Language } from '../time/display.ts';
import type { Card, FileView, OutputView } from './card.ts';
import { leftOutMark, moreFieldsMark, moreMark } from './marks.ts';
import { BETWEEN_PAIRS, inlineText, itemText, likeObjects, memberText, nameText } from './value-text.ts';

/** How much a channel shows. */
export interface OutputLimits {
  readonly outputs: number;
  /** Of each: items of a list, rows of a table, files. */
  readonly items: number;
  /** Characters of all outputs, about. */
  readonly room: number;
}

/** The limits of one output. */
type Limits = Omit<OutputLimits, 'outputs'> & { readonly language: Language };

export interface ShownOutputs {
  readonly shown: readonly ShownOutput[];
  /** What is left out, in words; '' for nothing. */
  readonly more: string;
}

export interface ShownOutput {
  readonly name: string;
  /** How many items a list has; undefined for anything else. */
  readonly count: number | undefined;
  /** Of a scalar or of nested data; may have several lines. */
  readonly text: string;
  /** Whether `text` is JSON. */
  readonly isCode: boolean;
  readonly table: ShownTable | undefined;
  /** Of a list that is no table. */
  readonly lines: readonly string[];
  /** What is left out of table or lines; '' for nothing. */
  readonly more: string;
  readonly files: readonly ShownFile[];
  /** What is left out of the files; '' for nothing. */
  readonly moreFiles: string;
}

export interface ShownTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Each row as a line, where a table has no room. */
export function recordsOf({ names, rows }: ShownTable): readonly string[] {
  return rows.map((row) => row.map((cell, column) => `${names[column] ?? ''}: ${cell}`).join(BETWEEN_PAIRS));
}

export interface ShownFile {
  readonly name: string;
  /** `589.8 KB`; '' where it is unknown. */
  readonly size: string;
  readonly url: string;
}

/** Characters that each output gets, even where it is more than the room. */
const LEAST = 100;

export function showOutputs(
  { outputs, outputCount, language }: Pick<Card, 'outputs' | 'outputCount' | 'language'>,
  { outputs: most, items, room }: OutputLimits,
): ShownOutputs {
  const some = room < LEAST ? [] : outputs.slice(0, most);
  const rooms = fairShares(
    some.map((output) => needOf(output, items)),
    room,
  );
  const shown = some.map((output, index) =>
    showOutput(output, { items, language, room: Math.max(LEAST, rooms[index] ?? 0) }),
  );
  return { shown, more: moreMark(language, outputCount - shown.length) };
}

function showOutput(output: OutputView, limits: Limits): ShownOutput {
  const { kind, items, files } = output;
  const isList = kind === 'list' && items.length > 0;
  const half = { ...limits, room: files.length > 0 ? limits.room / 2 : limits.room };
  return {
    name: nameWithin(output.name),
    count: isList ? items.length : undefined,
    text: kind === 'scalar' || kind === 'other' ? textWithin(String(output.value), limits) : '',
    isCode: kind === 'other',
    ...(isList
      ? (showTable(items, half) ?? showLines(items, half))
      : { table: undefined, lines: [], more: '' }),
    ...showFiles(output, limits),
  };
}

const LONGEST_NAME = 80;

function nameWithin(name: string, most = LONGEST_NAME): string {
  return cutMiddle(nameText(name), most, () => '…');
}

/** Less has no room for the words that say how much was left out. */
const ROOM_FOR_WORDS = 300;

/** A text within the room: its beginning and its end, and between them how much was left out. */
export function textWithin(text: string, { room, language }: Pick<Limits, 'room' | 'language'>): string {
  const limit = Math.floor(room);
  const mark = limit < ROOM_FOR_WORDS ? () => ' … ' : leftOutMark(language);
  return cleanText(cutMiddle(text, limit, mark));
}

type ShownList = Pick<ShownOutput, 'table' | 'lines' | 'more'>;

/** A row is worth showing only from here on. */
const SHORTEST_ROW = 60;
const LONGEST_ROW = 300;

function showLines(items: readonly unknown[], { items: most, room, language }: Limits): ShownList {
  const shown = items.slice(0, most);
  const rowRoom = Math.min(LONGEST_ROW, Math.max(SHORTEST_ROW, Math.floor(room / shown.length)));
  const lines = withinRoom(
    shown.map((item) => short(isJsonObject(item) ? inlineText(item) : itemText(item, cleanText), rowRoom)),
    Math.max(room, rowRoom),
    (line) => line.length,
  );
  return { table: undefined, lines, more: moreMark(language, items.length - lines.length) };
}

const LONGEST_KEY = 40;
const LONGEST_CELL = 100;
/** What a cell takes beside its text. */
const CELL_OVERHEAD = 8;

/** Undefined where the items are not alike. */
function showTable(
  items: readonly unknown[],
  { items: most, room, language }: Limits,
): ShownList | undefined {
  const alike = likeObjects(items, most);
  if (alike === undefined) return undefined;
  const all = alike.columns.map((key) => ({
    name: nameWithin(key, LONGEST_KEY),
    cells: alike.rows.map((row) => short(memberText(row[key], cleanText), LONGEST_CELL)),
  }));
  const columns = withinRoom(all, Math.min(LONGEST_ROW, room), ({ name, cells }) =>
    cells.reduce((longest, { length }) => Math.max(longest, length), name.length + CELL_OVERHEAD),
  );
  const rows = withinRoom(
    alike.rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
    room,
    (row) => row.reduce((size, { length }) => size + length + CELL_OVERHEAD, 0),
  );
  const marks = [
    moreFieldsMark(language, all.length - columns.length),
    moreMark(language, items.length - rows.length),
  ];
  const names = columns.map(({ name }) => name);
  return { table: { names, rows }, lines: [], more: marks.filter((mark) => mark !== '').join(BETWEEN_PAIRS) };
}

function showFiles({ files, fileCount }: OutputView, { language, items: most, room }: Limits) {
  const shown = withinRoom(
    files.slice(0, most).map((file) => showFile(file, language)),
    room,
    ({ name, url }) => name.length + url.length,
  );
  return { files: shown, moreFiles: moreMark(language, fileCount - shown.length) };
}

function showFile({ name, size, url }: FileView, language: Language): ShownFile {
  return { name: nameWithin(name), size: size === '' ? '' : formatSize(size, language), url };
}

/** The first ones, as many as fit; one at the least. */
function withinRoom<Item>(
  items: readonly Item[],
  room: number,
  sizeOf: (item: Item) => number,
): readonly Item[] {
  let left = room;
  const end = items.findIndex((item, index) => {
    left -= sizeOf(item);
    return left < 0 && index > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

function short(text: string, room: number): string {
  return cutMiddle(text, Math.max(20, room), () => ' … ');
}

/** What an output takes beside its value. */
const FRAME = 60;
const FILE_SIZE = 100;

/** Of a list, what it takes at the most. */
function needOf({ kind, value, items, files }: OutputView, most: number): number {
  const ofValue = kind === 'list' ? Math.min(items.length, most) * LONGEST_ROW : String(value).length;
  return FRAME + files.length * FILE_SIZE + ofValue;
}

/** What each of `needs` gets of `room`, in the same order: the smallest are met first. */
function fairShares(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = [...needs.entries()].sort(([, one], [, other]) => one - other);
  let left = room;
  for (const [place, [index, need]] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
