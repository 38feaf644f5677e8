/** The filters that put a list on lines of its own: items as `lines`, files as `file_lines`. */
import { isJsonObject } from '../../text/json-object.ts';
import { type Language, moreMark } from '../../channels/format.ts';
import { cutMiddle } from '../../text/cut.ts';
import { Escaped } from '../../text/escape.ts';
import { formatSize } from '../../time/display.ts';
import { linkTo } from './link.ts';
import type { Printer } from './print-value.ts';
import { cellsOf, type ListLimits, rowsOf } from './list-rows.ts';
import { tableText } from './table-filter.ts';
import { textOf } from './value-text.ts';

const DEFAULT_MOST = 10;
const DEFAULT_ROOM = 1000;

const LONGEST_FILE_NAME = 80;
const BULLET = '• ';

/** How a list is printed. */
export interface ListPrinting {
  readonly language: Language;
  readonly printer: Printer;
}

/** `{{ output.items | lines: 10, 800 }}`: at most 10 lines, together about 800 characters, and how many more there are. */
export function linesOf(items: unknown, most: unknown, room: unknown, printing: ListPrinting): unknown {
  const { rows, more } = rowsOf(listOf(items), limitsOf(most, room, printing));
  const marks = more === undefined ? [] : [more];
  const { printer } = printing;
  if (printer.markup.lists !== 'rows') return [...rows.map((row) => BULLET + row), ...marks].join('\n');
  return new Escaped(['', ...rows.map((row) => BULLET + printer.write(row)), ...marks].join('\n'));
}

/** `{{ output.items | table: 10, 800 }}`: as `lines`, but a list of like objects is a table where there are such. */
export function tableOf(items: unknown, most: unknown, room: unknown, printing: ListPrinting): unknown {
  const { printer } = printing;
  const { lists } = printer.markup;
  const limits = limitsOf(most, room, printing);
  if (lists === 'records') return new Escaped(tableText(listOf(items), limits, printing));
  const table = lists === 'rows' && Array.isArray(items) ? cellsOf(items, limits) : undefined;
  if (table === undefined) return linesOf(items, most, room, printing);
  const row = (cells: readonly string[]) => `| ${cells.map(printer.write).join(' | ')} |`;
  const { names, rows, more } = table;
  return new Escaped(['', row(names), ...rows.map(row), more ?? ''].join('\n'));
}

/** What is no list is one of a single item; nothing is none. */
function listOf(items: unknown): readonly unknown[] {
  if (Array.isArray(items)) return items;
  return items === undefined || items === null ? [] : [items];
}

function limitsOf(most: unknown, room: unknown, { language, printer }: ListPrinting): ListLimits {
  return {
    most: countOf(most, DEFAULT_MOST),
    room: countOf(room, DEFAULT_ROOM),
    language,
    isInline: printer.markup.lists !== 'rows',
  };
}

/** `{{ output.files | file_lines: 10, 800 }}`: name, linked where there is an address and room for it, and size. */
export function fileLinesOf(files: unknown, most: unknown, room: unknown, printing: ListPrinting): Escaped {
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
  return new Escaped(withMore(lines, list.length, language).join(lineBreak));
}

function fileLine(file: unknown, isLink: boolean, { language, printer }: ListPrinting): string {
  const { name, size, url } = isJsonObject(file) ? file : {};
  const address = isLink ? url : '';
  const shown = cutMiddle(textOf(name), LONGEST_FILE_NAME, () => '…');
  const sizeText = typeof size === 'number' ? ` (${formatSize(size, language)})` : '';
  if (printer.markup.spellsOutAddresses === true)
    return `📎 ${linkTo(shown + sizeText, address, printer).text}`;
  return `📎 ${linkTo(shown, address, printer).text}${sizeText}`;
}

function withMore(lines: readonly string[], total: number, language: Language): readonly string[] {
  return lines.length === total ? lines : [...lines, moreMark(language, total - lines.length)];
}

/** A parameter of a filter: a whole number from 1 on. */
export function countOf(value: unknown, otherwise: number): number {
  const count = Math.floor(Number(value));
  return value === undefined || !Number.isFinite(count) ? otherwise : Math.max(1, count);
}
