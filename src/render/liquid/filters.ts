/** The filters that templates have beside Liquid's own. */
import type { Liquid } from 'liquidjs';
import { parseStartTime } from '../../callback/check-callback.ts';
import type { OutputFrame } from '../../channels/markup.ts';
import type { DisplayConfig } from '../../config/config.ts';
import { Escaped, isBlank } from '../../text/clean.ts';
import { headlineOf } from '../../text/headline.ts';
import { isJsonObject, type JsonObject, keysOf } from '../../text/json-object.ts';
import { formatElapsed, formatInstant, formatSize } from '../../time/display.ts';
import { cutterOf } from '../../text/cut.ts';
import { countOf, fileLinesOf, linesOf, linkTo, tableOf } from './list-filters.ts';
import type { Printer } from './print-value.ts';
import type { ListPlace } from './table-filter.ts';
import { inlineText, textOf } from '../../channels/value-text.ts';

/** A mark that names a number takes this much of a text; shorter ones get a bare ellipsis. */
const ROOM_FOR_NUMBER = 60;

const SEPARATED = { en: new Intl.NumberFormat('en'), ja: new Intl.NumberFormat('ja') } as const;

const DEFAULT_SHARED = 10_000;

/** Values are escaped where they are printed, so Liquid's own escaping would do it twice. */
const ESCAPING_FILTERS = ['escape', 'escape_once', 'xml_escape'];

export function registerFilters(liquid: Liquid, printer: Printer, display: DisplayConfig): void {
  // `raw` would let a BOT's text mention, link and inject.
  liquid.unregisterFilter('raw');
  for (const name of ESCAPING_FILTERS) liquid.registerFilter(name, (value: unknown) => value);
  registerMarkup(liquid, printer);
  registerLists(liquid, { language: display.language, printer });
  registerFormats(liquid, display);
  registerDefault(liquid);
  registerDate(liquid, display.timezone);
}

function registerMarkup(liquid: Liquid, printer: Printer): void {
  liquid.registerFilter('code', (value: unknown) => new Escaped(printer.printCode(value)));
  liquid.registerFilter('newline_to_br', (value: unknown) => new Escaped(printer.printLines(value)));
  liquid.registerFilter(
    'multiline',
    (value: unknown, room: unknown) => new Escaped(printer.printText(value, countOf(room, Infinity))),
  );
  liquid.registerFilter('link', (label: unknown, url: unknown) => linkTo(label, url, printer));
}

function registerLists(liquid: Liquid, printing: ListPlace): void {
  for (const [name, filter] of Object.entries({ lines: linesOf, table: tableOf, file_lines: fileLinesOf }))
    liquid.registerFilter(name, (value: unknown, most: unknown, room: unknown) =>
      filter(value, most, room, printing),
    );
  liquid.registerFilter('shares', (outputs: unknown, room: unknown, most: unknown) =>
    sharesOf(
      outputs,
      countOf(room, DEFAULT_SHARED),
      countOf(most, Infinity),
      printing.printer.markup.outputFrame,
    ),
  );
}

function registerFormats(liquid: Liquid, { language, timezone }: DisplayConfig): void {
  liquid.registerFilter('inline', inlineFilter);
  liquid.registerFilter('headline', headlineFilter);
  liquid.registerFilter('fit', fitFilter);
  liquid.registerFilter('elapsed', (value: unknown) => withNumber(value, (n) => formatElapsed(n, language)));
  liquid.registerFilter('filesize', (value: unknown) => withNumber(value, (n) => formatSize(n, language)));
  liquid.registerFilter('number', (value: unknown) =>
    withNumber(value, (n) => (isShort(n) ? String(n) : SEPARATED[language].format(n))),
  );
  liquid.registerFilter('localtime', (value: unknown) => {
    const instant = instantOf(value, timezone);
    return instant === undefined ? textOf(value) : formatInstant(instant, timezone, language);
  });
}

function inlineFilter(value: unknown): unknown {
  return value instanceof Escaped ? value : inlineText(value);
}

function headlineFilter(value: unknown): unknown {
  return value instanceof Escaped ? value : headlineOf(textOf(value));
}

/** Cut in the middle; what is already escaped cannot be cut safely and stays as it is. */
function fitFilter(value: unknown, limit: unknown): unknown {
  if (value instanceof Escaped) return value;
  const text = textOf(value);
  const count = Math.floor(Number(limit ?? Number.NaN));
  if (!Number.isFinite(count)) throw new Error('"fit" needs a number of characters, as in fit: 80');
  const most = Math.max(1, count);
  return cutterOf(text, most, () => (most < ROOM_FOR_NUMBER ? '…' : ' … '))(most);
}

/** Nothing to separate or to round, and so nothing for Intl, which takes its time. */
function isShort(number: number): boolean {
  return number < 1000 && Number.isInteger(number);
}

/** Formats a number, also one carried as a string; leaves anything else as it came. */
function withNumber(value: unknown, format: (value: number) => string): unknown {
  const text = textOf(value).trim();
  const number = Number(text);
  return text === '' || !Number.isFinite(number) || number < 0 ? value : format(number) || value;
}

function instantOf(value: unknown, timezone: string): number | undefined {
  return typeof value === 'string' ? parseStartTime(value, timezone) : undefined;
}

/** Liquid's own `default`, to which a text that shows nothing is as good as none. */
function registerDefault(liquid: Liquid): void {
  const original = liquid.filters['default'];
  if (typeof original !== 'function') return;
  liquid.registerFilter('default', function byDefault(value: unknown, ...rest: unknown[]) {
    const shown = typeof value === 'string' && isBlank(value) ? '' : value;
    return original.call(this, shown, ...rest) as unknown;
  });
}

/** Liquid's own `date`, which would read a time without an offset in the process' zone. */
function registerDate(liquid: Liquid, timezone: string): void {
  const original = liquid.filters['date'];
  if (typeof original !== 'function') return;
  liquid.registerFilter('date', function date(value: unknown, ...rest: unknown[]) {
    const instant = instantOf(value, timezone);
    return original.call(this, instant === undefined ? value : new Date(instant), ...rest) as unknown;
  });
}

const LONGEST_NAME = 80;

/** Less is not worth showing. */
const LEAST = 300;

/** Markup, separators and the like around each value, in bytes. */
const AROUND = 60;
/** Letters of most scripts take three. */
const BYTES_A_CHARACTER = 3;
/** A file's line, with its address. */
const BYTES_A_FILE = 300;

/**
 * `{{ outputs | shares: 32000, 40 }}`: the rooms of the first 40 outputs, with what stands around them together about 32,000
 * bytes; each about what its output needs, or 300 at the least.
 */
function sharesOf(outputs: unknown, room: number, most: number, frame: OutputFrame): readonly number[] {
  const list = Array.isArray(outputs) ? outputs.slice(0, most).filter(isJsonObject) : [];
  const around = list.reduce((size, { name }) => size + frameSize(name, frame), 0);
  const shares = fairShares(
    list.map((output) => valueNeed(output, room)),
    Math.max(0, room - around),
  );
  return shares.map((share) => Math.max(LEAST, share));
}

function frameSize(name: unknown, { around, aCharacter }: OutputFrame): number {
  return around + (typeof name === 'string' ? Math.min(LONGEST_NAME, name.length) * aCharacter : 0);
}

/** What is not asked for here may have to be worked out first. */
function valueNeed(output: JsonObject, room: number): number {
  if (output['kind'] === 'list') return needOf(output['items'], room);
  if (output['kind'] !== 'files') return needOf(output['value'], room);
  const files = output['files'];
  return Array.isArray(files) ? files.length * BYTES_A_FILE : 0;
}

/** Roughly; no more of a value is looked at than has room. */
function needOf(value: unknown, room: number): number {
  if (typeof value === 'string') return AROUND + value.length * BYTES_A_CHARACTER;
  if (Array.isArray(value)) return needOfAll(value, room);
  return isJsonObject(value) ? needOfAll(keysOf(value), room, value) : AROUND;
}

/** @param holder of what these are the keys of */
function needOfAll(members: readonly unknown[], room: number, holder?: JsonObject): number {
  let need = AROUND;
  for (const member of members) {
    if (need > room) break;
    need += needOf(member, room);
    if (holder !== undefined) need += needOf(holder[String(member)], room - need);
  }
  return need;
}

/**
 * @param needs of each, in any unit
 * @returns what each gets of `room`, in the same order; together no more than `room`
 */
export function fairShares(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = needs
    .map((need, index) => ({ need, index }))
    .sort((one, other) => one.need - other.need);
  let left = room;
  for (const [place, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
