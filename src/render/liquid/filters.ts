/** The filters that templates have beside Liquid's own. */
import type { Liquid } from 'liquidjs';
import type { DisplayConfig } from '../../config/config.ts';
import { isBlank } from '../../text/blank.ts';
import { Escaped } from '../../text/escape.ts';
import { headlineOf } from '../../text/headline.ts';
import { parseStartTime } from '../../callback/check-callback.ts';
import { formatElapsed, formatInstant, formatSize } from '../../time/display.ts';
import { cutValue } from './cut-value.ts';
import { linkTo } from './link.ts';
import { countOf, fileLinesOf, type ListPrinting, linesOf, tableOf } from './list-filters.ts';
import { sharesOf } from './output-shares.ts';
import type { Printer } from './print-value.ts';
import { inlineText, textOf } from './value-text.ts';

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

function registerLists(liquid: Liquid, printing: ListPrinting): void {
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
  const most = Math.floor(Number(limit ?? Number.NaN));
  if (!Number.isFinite(most)) throw new Error('"fit" needs a number of characters, as in fit: 80');
  return cutValue(text, Math.max(1, most), () => (most < ROOM_FOR_NUMBER ? '…' : ' … '));
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
