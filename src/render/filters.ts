/** The Liquid filters that Botbell adds, replaces or removes. */
import type { Context, Liquid } from 'liquidjs';
import type { OutputView } from '../channels/card.ts';
import { separated } from '../channels/marks.ts';
import { inlineText, memberText, textOf } from '../channels/value-text.ts';
import type { DisplayConfig } from '../config/config.ts';
import { cleanLine } from '../text/clean.ts';
import { cleanMiddle } from '../text/cut.ts';
import { exactJson, isContainer, plainNumber } from '../text/json.ts';
import { formatElapsed, formatInstant, formatSize, parseStartTime } from '../time/display.ts';

/** From this limit (characters) on, blanks surround the ellipsis. */
const ROOM_FOR_BLANKS = 60;

/** These return the value unchanged: printing escapes it, and they would escape it twice. */
const ESCAPING = ['escape', 'escape_once', 'xml_escape'];

/** The filter that the compiler appends to each value in the place of an address. */
export const OWN_ADDRESS = 'own_address';

/** Replaced, since liquidjs' own would print `1.1` for `1.10`, and round an id of 64 bits. */
const OF_JSON = /^(?:json|jsonify|inspect)$/;

/** Filters of texts, for which liquidjs would turn objects into `[object Object]`. */
const OF_TEXTS =
  /^(?:[lr]?strip|strip_(?:html|newlines)|newline_to_br|squish|normalize_whitespace|append|prepend|upcase|downcase|capitalize|(?:remove|replace)(?:_first|_last)?|split|truncate(?:words)?|number_of_words|(?:url|base64)_(?:en|de)code|(?:cgi|uri)_escape|slugify|sha256|hmac_sha256)$/;

/** These join the items of a list. */
const JOINING = /^(?:join|array_to_sentence_string)$/;

/** Filters that order a list or judge each of its items, which can take long; liquidjs checks the time limit only between two outputs. */
const OF_LISTS =
  /^(?:sort|sort_natural|uniq|map|sample|(?:where|reject|group_by|find|find_index|has)(?:_exp)?)$/;

/** So many take about a hundred of the milliseconds that all strings of a template may take together. */
const MOST_ITEMS = 50_000;

export function registerFilters(liquid: Liquid, { language, timezone }: DisplayConfig): void {
  // `raw` would print a BOT's text unescaped, with its mentions, links and markup.
  liquid.unregisterFilter('raw');
  for (const name of ESCAPING) liquid.registerFilter(name, (value: unknown) => value);
  liquid.registerFilter(OWN_ADDRESS, function (this: { context: { environments: object } }, value: unknown) {
    return ownAddress(this.context.environments, value);
  });
  liquid.registerFilter('inline', inline);
  liquid.registerFilter('fit', fit);
  liquid.registerFilter('elapsed', (value: unknown) => withNumber(value, (n) => formatElapsed(n, language)));
  liquid.registerFilter('filesize', (value: unknown) => withNumber(value, formatSize));
  liquid.registerFilter('number', numberText);
  liquid.registerFilter('localtime', (value: unknown) => {
    const instant = instantOf(value, timezone);
    return instant === undefined ? textOf(value) : formatInstant(instant, timezone, language);
  });
  // Liquid's own filters would read a time without an offset in the time zone of the process.
  wrap(liquid, /^date/, (call, value, rest) => {
    const instant = instantOf(value, timezone);
    return call(instant === undefined ? plainNumber(value) : new Date(instant), ...rest);
  });
  wrap(liquid, OF_JSON, (call, value, [space]) => {
    // Called only for its limit: it counts what it prints, and throws if that is too much.
    call(value, space);
    return exactJson(value, ' '.repeat(Math.min(10, Math.max(0, Number(space ?? 0) || 0))));
  });
  wrap(liquid, OF_LISTS, (call, value, rest, { renderLimit }) => {
    if (Array.isArray(value) && value.length > MOST_ITEMS)
      throw new Error(`a filter takes a list of at most ${MOST_ITEMS} items`);
    renderLimit.check(performance.now());
    return call(value, ...rest);
  });
  wrap(liquid, OF_TEXTS, (call, value, rest) => call(asText(value), ...rest.map(asText)));
  wrap(liquid, JOINING, (call, value, rest) => call(asItems(value), ...rest.map(asText)));
}

type Filter = (value: unknown, ...rest: unknown[]) => unknown;

/** @param around replaces each filter with one of these names; gets the original and its arguments */
function wrap(
  liquid: Liquid,
  names: RegExp,
  around: (call: Filter, value: unknown, rest: readonly unknown[], context: Context) => unknown,
): void {
  for (const [name, original] of Object.entries(liquid.filters).filter(([each]) => names.test(each)))
    liquid.registerFilter(name, function wrapped(value: unknown, ...rest: unknown[]) {
      const call: Filter = (...given) => (original as Filter).apply(this, given);
      return around(call, value, rest, this.context);
    });
}

/** Objects and lists as the texts that printing gives; other values unchanged. */
function asText(value: unknown): unknown {
  return isContainer(value) ? textOf(value) : value;
}

function asItems(value: unknown): unknown {
  if (!Array.isArray(value)) return asText(value);
  return value.slice(0, MOST_ITEMS).map((item: unknown) => (isContainer(item) ? inline(item) : item));
}

/** The value on one line. */
export function inline(value: unknown): string {
  return cleanLine(Array.isArray(value) ? memberText(value) : inlineText(value));
}

/** Cuts the middle out of a text that is longer than `limit` characters. @throws {Error} `limit` is no number */
export function fit(value: unknown, limit: unknown): string {
  const count = Math.floor(Number(limit ?? Number.NaN));
  if (!Number.isFinite(count)) throw new Error('"fit" needs a number of characters, as in fit: 80');
  const most = Math.max(1, count);
  return cleanMiddle(textOf(value), most, () => (most < ROOM_FOR_BLANKS ? '…' : ' … '));
}

/** Formats a number that is not negative, also one in a string; returns any other value unchanged. */
function withNumber(value: unknown, format: (value: number) => string): unknown {
  const text = textOf(value).trim();
  const number = Number(text);
  return text === '' || !Number.isFinite(number) || number < 0 ? value : format(number) || value;
}

/** A number in a text keeps its digits, of which JavaScript's number would lose some; one that a template reckoned is rounded. */
function numberText(value: unknown): unknown {
  const text = typeof value === 'number' ? '' : textOf(value).trim();
  const [, whole, fraction = ''] = /^(\d{1,100})(\.\d+)?$/.exec(text) ?? [];
  return whole === undefined ? withNumber(value, separated) : separated(BigInt(whole)) + fraction;
}

function instantOf(value: unknown, timezone: string): number | undefined {
  return typeof value === 'string' ? parseStartTime(value, timezone) : undefined;
}

/** The value if it is an address that Botbell made: a job's, the page's or a file's; else ''. */
function ownAddress({ job_url, page_url, incident_url, outputs, bots }: LinkedView, value: unknown): unknown {
  const isOwn =
    job_url === value ||
    page_url === value ||
    incident_url === value ||
    bots?.some(({ url }) => url === value) === true ||
    outputs?.().some(({ files }) => files.some(({ url }) => url === value));
  return isOwn === true ? value : '';
}

/** The variables that have addresses. */
export interface LinkedView {
  readonly job_url?: string;
  readonly page_url?: string;
  readonly incident_url?: string;
  /** liquidjs calls it when a template asks for the outputs, which a condition seldom does. */
  readonly outputs?: () => readonly OutputView[];
  readonly bots?: readonly { readonly url: string }[];
}
