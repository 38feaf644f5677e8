/** What is shown of a card's outputs: cut, cleaned and counted, but without any markup. */
import { cleanText } from '../text/clean.ts';
import { cutMiddle } from '../text/cut.ts';
import { formatSize, type Language } from '../time/display.ts';
import type { Card, FileView, OutputView } from './card.ts';
import { leftOutMark, moreMark } from './marks.ts';
import { BETWEEN_PAIRS, inlineText, likeObjects, memberText, nameText } from './value-text.ts';

/** How much is shown of one output. */
interface Limits {
  /** Of a list, and of files. */
  readonly items: number;
  /** Characters, about. */
  readonly room: number;
  readonly language: Language;
}

export interface ShownOutput {
  readonly name: string;
  /** How many items a list has; undefined for anything else. */
  readonly count: number | undefined;
  /** Of a scalar or of nested data; may have several lines. */
  readonly text: string;
  /** Whether `text` is JSON. */
  readonly isCode: boolean;
  /** Of a list, an item each. */
  readonly lines: readonly string[];
  /** The same, where the items are objects that are alike. */
  readonly table: ShownTable | undefined;
  /** What is left out of the lines; '' for nothing. */
  readonly more: string;
  readonly files: readonly ShownFile[];
  /** What is left out of the files; '' for nothing. */
  readonly moreFiles: string;
}

export interface ShownTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface ShownFile {
  readonly name: string;
  /** `589.8 KB`; '' where it is unknown. */
  readonly size: string;
  readonly url: string;
}

/** Characters that each output gets, even where it is more than the room. */
const LEAST = 100;

/** What comes first takes of the room what it needs, but for the least of those that follow, which end with the room. @param most outputs */
export function showOutputs(
  { outputs, language }: Pick<Card, 'outputs' | 'language'>,
  most: number,
  { items, room }: Omit<Limits, 'language'>,
): readonly ShownOutput[] {
  const some = outputs.slice(0, most);
  const all: ShownOutput[] = [];
  let left = room;
  for (const output of some) {
    if (left < LEAST) break;
    const others = (some.length - all.length - 1) * LEAST;
    const shown = showOutput(output, { items, language, room: Math.max(LEAST, left - others) });
    left -= Math.max(LEAST, sizeOf(shown));
    all.push(shown);
  }
  return all;
}

function sizeOf({ name, text, lines, files }: ShownOutput): number {
  const parts = [name, text, ...lines, ...files.flatMap((file) => [file.name, file.url])];
  return parts.reduce((size, { length }) => size + length, 0);
}

function showOutput({ name, kind, value, items, files, fileCount }: OutputView, limits: Limits): ShownOutput {
  const { language, items: most } = limits;
  const isList = kind === 'list' && items.length > 0;
  const half = { ...limits, room: files.length > 0 ? limits.room / 2 : limits.room };
  const shownFiles = withinRoom(
    files.slice(0, most).map((file) => showFile(file, language)),
    half.room,
    (file) => file.name.length + file.url.length,
  );
  return {
    name: nameWithin(name),
    count: isList ? items.length : undefined,
    text: kind === 'scalar' || kind === 'other' ? textWithin(String(value), limits) : '',
    isCode: kind === 'other',
    ...showItems(isList ? items : [], half),
    files: shownFiles,
    moreFiles: moreMark(language, fileCount - shownFiles.length),
  };
}

function showFile({ name, size, url }: FileView, language: Language): ShownFile {
  return { name: nameWithin(name), size: size === '' ? '' : formatSize(size, language), url };
}

const LONGEST_LINE = 300;

function showItems(items: readonly unknown[], { items: most, room, language }: Limits) {
  const table = tableOf(items, most);
  const lines = withinRoom(
    table === undefined
      ? items.slice(0, most).map((item) => short(inlineText(item), LONGEST_LINE))
      : recordsOf(table),
    room,
    ({ length }) => length,
  );
  return {
    lines,
    table: table && { ...table, rows: table.rows.slice(0, lines.length) },
    more: moreMark(language, items.length - lines.length),
  };
}

/** Characters of a row, about, and of one of its cells. */
const LONGEST_ROW = 400;
const LONGEST_CELL = 100;
const SHORTEST_CELL = 20;
const LONGEST_KEY = 40;

/** Undefined where the items are not alike. */
function tableOf(items: readonly unknown[], most: number): ShownTable | undefined {
  const alike = likeObjects(items, most);
  if (alike === undefined) return undefined;
  const { columns, rows } = alike;
  const room = Math.max(SHORTEST_CELL, Math.min(LONGEST_CELL, Math.floor(LONGEST_ROW / columns.length)));
  return {
    names: columns.map((key) => nameWithin(key, LONGEST_KEY)),
    rows: rows.map((row) => columns.map((key) => short(memberText(row[key]), room))),
  };
}

function recordsOf({ names, rows }: ShownTable): readonly string[] {
  return rows.map((row) => row.map((cell, column) => `${names[column] ?? ''}: ${cell}`).join(BETWEEN_PAIRS));
}

/** The first ones, as many as fit; one at the least. */
function withinRoom<Item>(
  items: readonly Item[],
  room: number,
  sizeOfItem: (item: Item) => number,
): readonly Item[] {
  let left = room;
  const end = items.findIndex((item, index) => {
    left -= sizeOfItem(item);
    return left < 0 && index > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

const LONGEST_NAME = 80;

function nameWithin(name: string, most = LONGEST_NAME): string {
  return cutMiddle(nameText(name), most, () => '…');
}

function short(text: string, room: number): string {
  return cleanText(cutMiddle(text, room, () => ' … '));
}

/** Less has no room for the words that say how much was left out. */
const ROOM_FOR_WORDS = 300;

/** A text within the room: its beginning and its end, and between them how much was left out. */
export function textWithin(text: string, { room, language }: Pick<Limits, 'room' | 'language'>): string {
  const limit = Math.floor(room);
  const mark = limit < ROOM_FOR_WORDS ? () => ' … ' : leftOutMark(language);
  return cleanText(cutMiddle(text, limit, mark));
}
