/** The filters that put a list on lines of its own: items as `lines`, files as `file_lines`. */
import { isJsonObject } from '../callback/json-object.ts';
import { moreMark } from '../channels/cut-marks.ts';
import type { Language } from '../channels/format.ts';
import { cutMiddle } from '../text/cut.ts';
import { Escaped } from '../text/escape.ts';
import { formatSize } from '../time/display.ts';
import { linkTo } from './link.ts';
import type { Printer, PrintLanding } from './print-value.ts';
import { inlineText, textOf } from './value-text.ts';

const DEFAULT_MOST = 10;
const DEFAULT_ROOM = 1000;

/** However many share the room, a line is worth showing only from here on. */
const SHORTEST_LINE = 60;
const LONGEST_LINE = 300;
const LONGEST_FILE_NAME = 80;

/** `{{ output.items | lines: 10, 800 }}`: at most 10 lines, together about 800 characters, and how many more there are. */
export function linesOf(items: unknown, most: unknown, room: unknown, language: Language): string {
  const list = Array.isArray(items) ? items : [items];
  const shown = list.slice(0, countOf(most, DEFAULT_MOST));
  const share = Math.floor(countOf(room, DEFAULT_ROOM) / Math.max(1, shown.length));
  const length = Math.min(LONGEST_LINE, Math.max(SHORTEST_LINE, share));
  const lines = shown.map((item) => `• ${cutMiddle(inlineText(item), length, () => ' … ')}`);
  return withMore(lines, list.length, language).join('\n');
}

/** `{{ output.files | file_lines: 10 }}`: name, linked where there is an address, and size. */
export function fileLinesOf(
  files: unknown,
  most: unknown,
  landing: PrintLanding,
  language: Language,
  printer: Printer,
): Escaped {
  const list = Array.isArray(files) ? files : [];
  const lines = list.slice(0, countOf(most, DEFAULT_MOST)).map((file) => {
    const { name, size, url } = isJsonObject(file) ? file : {};
    const shown = cutMiddle(textOf(name), LONGEST_FILE_NAME, () => '…');
    const sizeText = typeof size === 'number' ? ` (${formatSize(size, language)})` : '';
    // Where the address is spelt out, it comes last.
    if (landing === 'text') return `📎 ${linkTo(shown + sizeText, url, landing, printer).text}`;
    return `📎 ${linkTo(shown, url, landing, printer).text}${sizeText}`;
  });
  return new Escaped(withMore(lines, list.length, language).join(landing === 'html' ? '<br>' : '\n'));
}

function withMore(lines: readonly string[], total: number, language: Language): readonly string[] {
  return lines.length === total ? lines : [...lines, moreMark(language, total - lines.length)];
}

/** A parameter of a filter: a whole number from 1 on. */
export function countOf(value: unknown, otherwise: number): number {
  const count = Math.floor(Number(value));
  return value === undefined || !Number.isFinite(count) ? otherwise : Math.max(1, count);
}
