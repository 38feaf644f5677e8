/** The outputs of a card as lines: cut, cleaned and counted, without markup. */
import { isJsonObject, type JsonObject, keysOf } from '../text/json.ts';
import { isBlank } from '../text/clean.ts';
import { piecesOf } from '../text/addresses.ts';
import { isAligned } from '../text/aligned.ts';
import { cleanMiddle, cutMiddle, graphemeCut } from '../text/cut.ts';
import { formatSize, type Language } from '../time/display.ts';
import type { Card, FileView, OutputView } from './card.ts';
import { type CardLine, lengthOf, type Runs, runsOfValue } from './lines.ts';
import { sizeOf, sizeOfRow, words } from './lines.ts';
import { countMark, emptyMark, leftOutMark, moreMark } from './marks.ts';
import { fileEntries, inlineText, keyText, memberText } from './value-text.ts';

export interface MostOfOutputs {
  readonly outputs: number;
  /** The most items of a list, and the most files. */
  readonly items: number;
  /** The most tables; further lists of objects are drawn as plain lists. */
  readonly tables: number;
}

interface Limits extends Omit<MostOfOutputs, 'outputs'>, Pick<Card, 'language' | 'restUrl'> {}

const LONGEST_NAME = 80;

/** The least room for each output, in characters; an output that cannot have it is only counted. */
const LEAST = 100;

/** Each output takes the room that it needs, except for `LEAST` per later output. */
export function linesOfOutputs(card: Card, most: MostOfOutputs, within: number): readonly CardLine[] {
  const { language, restUrl, outputCount } = card;
  const some = card.outputs.slice(0, most.outputs);
  const all: CardLine[] = [];
  let shown = 0;
  const { items } = most;
  let { tables } = most;
  let free = within;
  for (const output of some) {
    if (free < LEAST) break;
    const others = (some.length - shown - 1) * LEAST;
    const room = Math.max(LEAST, free - others);
    const lines = linesOfOutput(output, room, { language, restUrl, items, tables });
    const length = lines.reduce((sum, line) => sum + lengthOf(line), 0);
    if (length > free) break;
    free -= Math.max(LEAST, length);
    if (lines.some((line) => 'items' in line && line.table !== undefined)) tables -= 1;
    all.push(...lines);
    shown += 1;
  }
  all.push(...notShown(outputCount - shown, { language, restUrl: urlWithin(within, restUrl) }));
  return all;
}

/** @param room in characters, approximately */
function linesOfOutput(output: OutputView, room: number, limits: Limits): readonly CardLine[] {
  const { name, kind, items, files, fileCount } = output;
  const { language } = limits;
  const isList = kind === 'list' && items.length > 0;
  const label = `${cutMiddle(name, LONGEST_NAME) || '–'}${isList ? countMark(language, items.length) : ''}`;
  const left = room - label.length;
  if (!isList && files.length === 0) return linesOfScalar(label, output, left, language);
  // Items that are files are listed as files alone.
  const others = files.length === 0 ? items : items.filter((item) => fileEntries(item) === undefined);
  const each = others.length > 0 && files.length > 0 ? left / 2 : left;
  return [
    { label, runs: [] },
    ...(others.length > 0 ? linesOfList(others, each, limits) : []),
    ...linesOfFiles(files, fileCount, each, limits),
  ];
}

function linesOfScalar(
  label: string,
  { kind, value, url = '' }: OutputView,
  room: number,
  language: Language,
): readonly CardLine[] {
  const text = kind === 'scalar' || kind === 'other' ? textWithin(String(value), room, language) : '';
  if (isBlank(text)) return [{ label, runs: emptyRuns(language) }];
  if (url !== '') return [{ label, runs: [{ text, url }] }];
  if (kind === 'other') return [{ label, runs: [{ text, style: 'code' }] }];
  return isAligned(text) ? [{ label, runs: [] }, { code: text }] : [{ label, runs: runsOfValue(text) }];
}

function emptyRuns(language: Language): Runs {
  return [{ text: emptyMark(language), style: 'italic' }];
}

function linesOfFiles(
  files: readonly FileView[],
  count: number,
  room: number,
  limits: Limits,
): readonly CardLine[] {
  const { items: most } = limits;
  const runsOf = ({ name, size, url }: FileView) => {
    const file = { text: cutMiddle(name, LONGEST_NAME) + (size === '' ? '' : ` (${formatSize(size)})`), url };
    const shown = [{ text: '📎 ' }, file];
    // A file whose address does not fit is shown by its name alone.
    return sizeOf(shown) > room ? [...shown.slice(0, 1), { text: file.text }] : shown;
  };
  const [shown, more] = withinRoom(drawn(files.slice(0, most), runsOf), count, sizeOf, room, limits);
  return [...shown.map((runs) => ({ runs })), ...more];
}

const LONGEST_LINE = 300;

function linesOfList(list: readonly unknown[], room: number, limits: Limits): readonly CardLine[] {
  const { items: most, tables, language } = limits;
  const some = list.slice(0, most);
  // An address that is cut opens nothing, so an item is as long as it needs to be where that leaves room for all.
  const longest = Math.max(LONGEST_LINE, Math.floor(room / list.length));
  const itemOf = (item: unknown) => {
    const runs = runsOfItem(item, longest, language);
    return sizeOf(runs) > longest ? runsOfItem(item, LONGEST_LINE, language) : runs;
  };
  const table = tables > 0 ? tableOf(list, most) : undefined;
  if (table === undefined) {
    const [items, more] = withinRoom(drawn(some, itemOf), list.length, sizeOf, room, limits);
    return [...(items.length === 0 ? [] : [{ items }]), ...more];
  }
  const { names, rowOf } = table;
  const [rows, more] = withinRoom(drawn(some, rowOf), list.length, sizeOfRow, room, limits);
  const items = some.slice(0, rows.length).map(itemOf);
  return [...(rows.length === 0 ? [] : [{ items, table: { names, rows } }]), ...more];
}

function runsOfItem(item: unknown, longest: number, language: Language): Runs {
  const text = cleanMiddle(inlineText(item), longest);
  return isBlank(text) ? emptyRuns(language) : runsOfValue(text);
}

function notShown(count: number, { language, restUrl }: Pick<Card, 'language' | 'restUrl'>) {
  return words(moreMark(language, count), 'italic', restUrl);
}

/** In characters; the length of a row is approximate. */
const LONGEST_ROW = 400;
const LONGEST_CELL = 100;
/** A UUID fits. */
const SHORTEST_CELL = 40;
const LONGEST_KEY = 40;

/** A wider table is hard to read, and Slack takes no more columns. */
const MOST_COLUMNS = 20;

/**
 * How to draw the first `most` items as rows; undefined if they make no table: fewer than two items or columns, too many columns, an
 * item that is a file or no object, or an object that lacks half of the columns.
 */
export function tableOf(items: readonly unknown[], most: number) {
  const rows = items.slice(0, most).filter(isRow);
  if (items.length < 2 || rows.length < Math.min(most, items.length)) return undefined;
  const columns = [...new Set(rows.flatMap((row) => keysOf(row)))];
  const isAlike = rows.every((row) => keysOf(row).length * 2 > columns.length);
  if (columns.length < 2 || columns.length > MOST_COLUMNS || !isAlike) return undefined;
  const room = Math.max(SHORTEST_CELL, Math.min(LONGEST_CELL, Math.floor(LONGEST_ROW / columns.length)));
  return {
    names: columns.map((key) => cutMiddle(keyText(key), LONGEST_KEY)),
    rowOf: (row: unknown) => columns.map((key) => runsOfCell(memberText((row as JsonObject)[key]), room)),
  };
}

/** An address that is too long for its cell is shown up to there, with its whole host, and opens. */
function runsOfCell(text: string, room: number): Runs {
  const [address, ...others] = text.length > room ? piecesOf(text) : [];
  const host = /^https?:\/\/[^/?#]+[/?#]/i.exec(text)?.[0] ?? text;
  if (!address?.url || others.length > 0 || host.length >= room) return runsOfValue(cleanMiddle(text, room));
  return [{ text: `${graphemeCut(text, room - 1)}…`, url: address.url }];
}

function isRow(item: unknown): item is JsonObject {
  return isJsonObject(item) && fileEntries(item) === undefined && keysOf(item).length <= MOST_COLUMNS;
}

/** The first items that fit the room, and a line that says how many of `count` are left out, with a link if that fits, too. */
function withinRoom<Item>(
  items: Iterable<Item>,
  count: number,
  sizeOfItem: (item: Item) => number,
  room: number,
  limits: Limits,
): readonly [shown: readonly Item[], more: readonly CardLine[]] {
  const some = firstWithin(items, room, sizeOfItem);
  if (some.length === count) return [some, []];
  const restUrl = urlWithin(room, limits.restUrl);
  const mark = moreMark(limits.language, count).length + restUrl.length;
  const shown = firstWithin(some, room - mark, sizeOfItem);
  return [shown, notShown(count - shown.length, { ...limits, restUrl })];
}

/** A link that needs over half the room is dropped. */
function urlWithin(room: number, url: string): string {
  return url.length * 2 > room ? '' : url;
}

/** Draws lazily, so that no item is drawn for which there is no room. */
function* drawn<Item, Drawn>(items: readonly Item[], draw: (item: Item) => Drawn): Iterable<Drawn> {
  for (const item of items) yield draw(item);
}

export function firstWithin<Item>(
  items: Iterable<Item>,
  room: number,
  sizeOfItem: (item: Item) => number,
): readonly Item[] {
  const shown: Item[] = [];
  let left = room;
  for (const item of items) {
    left -= sizeOfItem(item);
    if (left < 0) break;
    shown.push(item);
  }
  return shown;
}

/** In characters; in less room, the mark that says how much was left out would be too long. */
const ROOM_FOR_WORDS = 300;

/** The text cut to the room: its beginning and its end, and between them a mark of how much was left out. */
export function textWithin(text: string, room: number, language: Language): string {
  const limit = Math.floor(room);
  const mark = limit < ROOM_FOR_WORDS ? undefined : leftOutMark(language);
  const shown = withoutOuterLines(cleanMiddle(text, limit, mark));
  if (text.length <= limit) return shown;
  // If the text was one long address, only the mark is left; it then needs no line breaks around it.
  return shown.slice(shown.startsWith('\n…') ? 1 : 0, shown.endsWith('…\n') ? -1 : undefined);
}

/** The text without the blank lines that programs print before and after it. */
function withoutOuterLines(text: string): string {
  const end = text.indexOf('\n', text.trimEnd().length);
  return text.slice(0, end === -1 ? undefined : end).replace(/^(?:[^\S\n]*\n)+/u, '');
}
