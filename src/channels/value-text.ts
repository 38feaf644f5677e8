/** Any value of a callback as text: as it is, as compact JSON, or summed up on one line; which lists are tables, and what is shown of one. */
import { moreFieldsMark, moreMark } from './marks.ts';
import { cleanLine } from '../text/clean.ts';
import { isJsonObject, type JsonObject, keysOf } from '../text/json-object.ts';
import { endsOf } from '../text/cut.ts';
import type { Language } from '../time/display.ts';

/** What is summed up on one line is cut further when it is printed. */
const MOST_CHARACTERS = 20_000;
const MOST_MEMBERS = 100;

/** Of a name: a key, or what a file is called. */
const LONGEST_NAME = 2000;

export const BETWEEN_PAIRS = ' · ';
const BETWEEN_ITEMS = ', ';

export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** What a template prints; nothing for an absent value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return isScalar(value) ? String(value) : compactJson(value);
}

/** Characters of JSON that take longer to write than to look up. */
const LONG = 10_000;

const longTexts = new WeakMap<object, string>();

/** Every message of a callback shows the same values. */
export function compactJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = longTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (text.length >= LONG) longTexts.set(value, text);
  return text;
}

/** One line: `商品名: チーズケーキ · 価格: 500 · 画像: 0001.jpg · タグ: ケーキ, チーズ`. What is nested deeper is compact JSON. */
export function inlineText(value: unknown): string {
  const names = fileNames(value);
  if (names !== undefined) return joinSome(names, String, BETWEEN_ITEMS);
  return isJsonObject(value) ? inlineObject(value) : inlineLeaf(value);
}

/** A list's items on one line, scalars as they are. */
export function inlineList(list: readonly unknown[]): string {
  return joinSome(list, inlineLeaf, BETWEEN_ITEMS);
}

function inlineObject(object: JsonObject): string {
  const textOfPair = (key: string) => `${nameText(key)}: ${memberText(object[key])}`;
  return joinSome(keysOf(object), textOfPair, BETWEEN_PAIRS);
}

function joinSome<Item>(items: readonly Item[], textOfItem: (item: Item) => string, between: string): string {
  let joined = '';
  for (const [index, item] of items.entries()) {
    if (index > 0) joined += between;
    if (index === MOST_MEMBERS) return `${joined}…`;
    joined += textOfItem(item);
  }
  return joined;
}

/**
 * What stands in an object, or in a list, on its own: a list's items one after the other, files by name.
 * @param clean what becomes of each text; by default it is brought onto one line
 */
export function memberText(value: unknown, clean: (text: string) => string = cleanLine): string {
  return Array.isArray(value)
    ? joinSome(value, (item) => leafText(item, clean), BETWEEN_ITEMS)
    : itemText(value, clean);
}

/** The same of what is a list's item itself, where a list within the list is compact JSON. */
export function itemText(value: unknown, clean: (text: string) => string = cleanLine): string {
  const names = fileNames(value);
  return names === undefined ? leafText(value, clean) : joinSome(names, String, BETWEEN_ITEMS);
}

function inlineLeaf(value: unknown): string {
  return leafText(value, cleanLine);
}

function leafText(value: unknown, clean: (text: string) => string): string {
  if (value === undefined) return '';
  return clean(endsOf(typeof value === 'string' ? value : compactJson(value), MOST_CHARACTERS));
}

/** A key or a file's name on one line; of a longer one its ends. */
export function nameText(name: string): string {
  return cleanLine(endsOf(name, LONGEST_NAME));
}

/** Callback interface, "File value": `{type: "files", files: […]}`; undefined for anything else. */
export function fileEntries(value: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(value) || value['type'] !== 'files') return undefined;
  return Array.isArray(value['files']) ? value['files'] : undefined;
}

/** What a file entry is called: its name, else the end of its reference. */
export function fileName(entry: unknown): string {
  const meta = isJsonObject(entry) && isJsonObject(entry['meta']) ? entry['meta'] : {};
  const name = typeof meta['name'] === 'string' ? nameText(meta['name']) : '';
  if (name !== '') return name;
  const ref = isJsonObject(entry) && typeof entry['ref'] === 'string' ? entry['ref'] : '';
  return nameText(ref.slice(ref.lastIndexOf('/') + 1)) || nameText(compactJson(entry)) || '–';
}

/** One more than is shown, so that the rest is not forgotten. */
function fileNames(value: unknown): readonly string[] | undefined {
  return fileEntries(value)
    ?.slice(0, MOST_MEMBERS + 1)
    .map(fileName);
}

export function firstKeys(object: JsonObject, most: number): readonly string[] {
  return keysOf(object).slice(0, most);
}

/** How many keys there are beside those; none where the item is shown as one text. */
export function keysPast(item: unknown, most: number): number {
  if (!isJsonObject(item) || fileEntries(item) !== undefined) return 0;
  return Math.max(0, keysOf(item).length - most);
}

/** What more columns than this make is no table that anybody reads; Slack takes no more either. */
const MOST_COLUMNS = 20;

export interface LikeObjects {
  /** Keys, in the order in which they first come. */
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/**
 * The first `most` items as rows, or undefined where they are not alike: fewer than two objects or two columns, an item
 * that is no object or a file, or an object that lacks half of the columns.
 */
export function likeObjects(items: readonly unknown[], most: number): LikeObjects | undefined {
  const rows: JsonObject[] = [];
  const columns = new Set<string>();
  for (const item of items.slice(0, most)) {
    if (!isJsonObject(item) || fileEntries(item) !== undefined) return undefined;
    rows.push(item);
    const keys = keysOf(item);
    if (keys.length > MOST_COLUMNS) return undefined;
    for (const key of keys) columns.add(key);
    if (columns.size > MOST_COLUMNS) return undefined;
  }
  if (items.length < 2 || columns.size < 2) return undefined;
  const isAlike = rows.every((row) => keysOf(row).length * 2 > columns.size);
  return isAlike ? { columns: [...columns], rows } : undefined;
}

/** What says how many fields and rows are left out; none where there are none. */
export function leftOutMarks(language: Language, fields: number, rows: number): readonly string[] {
  return [
    ...(fields === 0 ? [] : [moreFieldsMark(language, fields)]),
    ...(rows === 0 ? [] : [moreMark(language, rows)]),
  ];
}

/** What a row may take, and all of them together, in whatever unit `sizeOf` counts. */
export interface RowLimits<Field> {
  /** With what stands between it and the next. */
  readonly sizeOf: (field: Field) => number;
  /** What a row takes beside its fields: a bullet, a line end. */
  readonly rowSize: number;
  /** What saying that fields of a row were left out takes; kept free in such a row. */
  readonly markSize: number;
  /** One row with all that it takes; a row of which no field fits is shown as what was left out of it all the same. */
  readonly rowRoom: number;
  /** All rows together. */
  readonly room: number;
}

interface ShownRow<Field> {
  readonly fields: readonly Field[];
  readonly fieldsLeftOut: number;
}

/**
 * The first rows, as many as fit. Nothing is cut: of a row that is too long, the fields that fit are kept, and the others
 * counted.
 */
export function wholeRows<Field>(
  rows: readonly (readonly Field[])[],
  limits: RowLimits<Field>,
): readonly ShownRow<Field>[] {
  const shown: ShownRow<Field>[] = [];
  let left = limits.room;
  for (const fields of rows) {
    const { size, ...row } = wholeFields(fields, limits);
    left -= size;
    if (left < 0) break;
    shown.push(row);
  }
  return shown;
}

function wholeFields<Field>(
  fields: readonly Field[],
  { sizeOf, rowSize, markSize, rowRoom }: RowLimits<Field>,
): ShownRow<Field> & { readonly size: number } {
  const sizes = fields.map(sizeOf);
  const size = sizes.reduce((total, each) => total + each, rowSize);
  if (size <= rowRoom) return { fields, fieldsLeftOut: 0, size };
  let taken = rowSize + markSize;
  const kept = fields.filter((_, index) => {
    const within = taken + (sizes[index] ?? 0);
    if (within > rowRoom) return false;
    taken = within;
    return true;
  });
  return { fields: kept, fieldsLeftOut: fields.length - kept.length, size: taken };
}
