/** The filters that put a list on lines of its own: items as `lines`, files as `file_lines`. */
import { isJsonObject } from '../callback/json-object.ts';
import { moreMark } from '../channels/cut-marks.ts';
import type { Language } from '../channels/format.ts';
import { cutMiddle } from '../text/cut.ts';
import { Escaped } from '../text/escape.ts';
import { formatSize } from '../time/display.ts';
import { linkTo } from './link.ts';
import type { Printer, PrintLanding } from './print-value.ts';
import { cellsOf, type ListLimits, rowsOf } from './list-rows.ts';
import { tableText } from './table-filter.ts';
import { textOf } from './value-text.ts';

const DEFAULT_MOST = 10;
const DEFAULT_ROOM = 1000;

const LONGEST_FILE_NAME = 80;
const BULLET = '• ';

/** Where a list is printed, and how. */
export interface ListPrinting {
  readonly landing: PrintLanding;
  readonly language: Language;
  readonly printer: Printer;
}

/** `{{ output.items | lines: 10, 800 }}`: at most 10 lines, together about 800 characters, and how many more there are. */
export function linesOf(items: unknown, most: unknown, room: unknown, printing: ListPrinting): unknown {
  const { rows, more } = rowsOf(listOf(items), limitsOf(most, room, printing));
  const marks = more === undefined ? [] : [more];
  const { landing, printer } = printing;
  if (landing !== 'rich') return [...rows.map((row) => BULLET + row), ...marks].join('\n');
  return new Escaped(['', ...rows.map((row) => BULLET + printer.write(row)), ...marks].join('\n'));
}

/** `{{ output.items | table: 10, 800 }}`: as `lines`, but a list of like objects is a table where there are such. */
export function tableOf(items: unknown, most: unknown, room: unknown, printing: ListPrinting): unknown {
  const { landing, printer } = printing;
  const isHtml = landing === 'html';
  if (isHtml || landing === 'text')
    return new Escaped(tableText(listOf(items), limitsOf(most, room, printing), { ...printing, isHtml }));
  const table =
    landing === 'rich' && Array.isArray(items) ? cellsOf(items, limitsOf(most, room, printing)) : undefined;
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

function limitsOf(most: unknown, room: unknown, { landing, language }: ListPrinting): ListLimits {
  return {
    most: countOf(most, DEFAULT_MOST),
    room: countOf(room, DEFAULT_ROOM),
    language,
    isInline: landing !== 'rich',
  };
}

/** `{{ output.files | file_lines: 10, 800 }}`: name, linked where there is an address and room for it, and size. */
export function fileLinesOf(files: unknown, most: unknown, room: unknown, printing: ListPrinting): Escaped {
  const { landing, language, printer } = printing;
  const list = Array.isArray(files) ? files : [];
  let left = countOf(room, Infinity);
  const lines: string[] = [];
  for (const file of list.slice(0, countOf(most, DEFAULT_MOST))) {
    const hasRoom = (text: string) => printer.unit.sizeOf(text) <= left;
    const linked = fileLine(file, true, printing);
    const line = hasRoom(linked) ? linked : fileLine(file, false, printing);
    if (!hasRoom(line)) break;
    left -= printer.unit.sizeOf(line);
    lines.push(line);
  }
  return new Escaped(withMore(lines, list.length, language).join(landing === 'html' ? '<br>' : '\n'));
}

function fileLine(file: unknown, isLink: boolean, { landing, language, printer }: ListPrinting): string {
  const { name, size, url } = isJsonObject(file) ? file : {};
  const address = isLink ? url : '';
  const shown = cutMiddle(textOf(name), LONGEST_FILE_NAME, () => '…');
  const sizeText = typeof size === 'number' ? ` (${formatSize(size, language)})` : '';
  // Where the address is spelt out, it comes last.
  if (landing === 'text') return `📎 ${linkTo(shown + sizeText, address, landing, printer).text}`;
  return `📎 ${linkTo(shown, address, landing, printer).text}${sizeText}`;
}

function withMore(lines: readonly string[], total: number, language: Language): readonly string[] {
  return lines.length === total ? lines : [...lines, moreMark(language, total - lines.length)];
}

/** A parameter of a filter: a whole number from 1 on. */
export function countOf(value: unknown, otherwise: number): number {
  const count = Math.floor(Number(value));
  return value === undefined || !Number.isFinite(count) ? otherwise : Math.max(1, count);
}
