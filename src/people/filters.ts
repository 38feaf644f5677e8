/** Reads the filters of lists and of actions in bulk, and other query parameters, and reports every problem; writes them for links. */
import { ALL_STATUSES, type StatusCode, statusNameOf } from '../callback/callback.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import type { RedeliveryFilter } from '../ledger/deliveries/by-hand.ts';
import type { CallbackFilter } from '../ledger/archive/archive.ts';
import { LARGEST_PAGE } from '../ledger/archive/stories.ts';
import { CALLBACK_KINDS, CALLBACK_RESULTS, DELIVERY_STATES } from '../ledger/ledger.ts';
import { cleanText } from '../text/clean.ts';
import { snakeCase } from '../text/json.ts';
import { DAY_MS, instantOn } from '../signal/calendar.ts';
import { parseDuration, parseStartTime } from '../time/display.ts';
import { type Fault, faultSaid } from '../text/fault.ts';
import { Refused } from './outcomes.ts';

/** The error class and code of a dead letter that was never attempted. */
const NO_ERROR = 'none';

const STATUS_CODES = [0, 1, 2] as const satisfies readonly StatusCode[];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface FilterContext {
  /** For the beginning of days, and for times without an offset. */
  readonly timezone: string;
  /** Milliseconds since the epoch; `2d` counts back from here. */
  readonly now: number;
}

export interface Parameter<T> {
  /** @returns undefined if the text is invalid */
  readonly read: (text: string) => T | undefined;
  /** The valid values, to be read after the parameter's name. */
  readonly rule: Fault;
  /** A blank text is a value, too, as the id of a BOT may be. */
  readonly mayBeBlank?: boolean;
}

export type KnownParameters = Readonly<Record<string, Parameter<unknown>>>;

/** Undefined for parameters that are not given. */
export type Values<Names extends KnownParameters> = {
  readonly [Name in keyof Names]: ReturnType<Names[Name]['read']>;
};

type Problem = readonly [parameter: string, rule: Fault];

const UNKNOWN: Parameter<undefined> = {
  read: () => undefined,
  rule: faultSaid('is no parameter of this', 'というパラメーターはありません'),
};
const TWICE = faultSaid('is given twice', 'は1つだけ指定してください');

/**
 * Refuses unknown and repeated parameters.
 * @param isForm ignore empty parameters, which forms send; otherwise they are refused, since a script's variable may be unset
 * @throws {Refused} with every problem, also in its `json.errors`
 */
export function readParameters<Names extends KnownParameters>(
  query: URLSearchParams,
  known: Names,
  isForm = false,
): Values<Names> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const name of new Set(query.keys())) {
    const { read, rule, mayBeBlank } = (Object.hasOwn(known, name) ? known[name] : undefined) ?? UNKNOWN;
    const given = query.getAll(name).filter((each) => mayBeBlank === true || each.trim() !== '');
    if (isForm && given.length === 0) continue;
    const value = given.length === 1 ? read(given[0] ?? '') : undefined;
    if (value !== undefined) values[name] = value;
    else problems.push([cleanText(name), given.length > 1 ? TWICE : rule]);
  }
  if (problems.length > 0) throw refusalOf(problems);
  return values as Values<Names>;
}

/** The refusal of these parameters. */
export function refusalOf(problems: readonly Problem[]): Refused {
  const listed = faultSaid(
    problems.map(([name, rule]) => `"${name}" ${rule.in('en')}`).join('; '),
    problems.map(([name, rule]) => `「${name}」${rule.in('ja')}`).join('、'),
  );
  const errors = problems.map(([parameter, rule]) => ({ parameter, detail: rule.in('en') }));
  return new Refused({ name: 'query wrong', values: { problems: listed }, json: { errors } });
}

/** A parameter that must be one of these words. */
export function oneOf<Name extends string>(...names: readonly Name[]) {
  const listed = names.join(', ');
  const rule = faultSaid(`must be one of ${listed}`, `は ${listed} のいずれかです`);
  return { read: (text: string) => names.find((name) => name === text), rule };
}

/** A parameter that may be any text with visible characters. */
export const TEXT = {
  read: textIn,
  rule: faultSaid('must have characters that can be seen', 'には見える文字が必要です'),
} as const;

function orNone<T>({ read, rule }: Parameter<T>) {
  const both = faultSaid(`${rule.in('en')}, or ${NO_ERROR}`, `${rule.in('ja')}（または ${NO_ERROR}）`);
  return { read: (text: string) => (text === NO_ERROR ? '' : read(text)), rule: both };
}

export const DESTINATION = {
  read: destinationIn,
  rule: faultSaid(
    'must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
    'は slack:#ops のように、チャンネルと宛先を指定してください',
  ),
} as const;

function parametersOf(context: FilterContext) {
  const rule = faultSaid(
    'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
    'は日（2026-01-31）、日時（2026-01-31T09:00）、または期間（2d、12h）です',
  );
  return {
    kind: oneOf(...CALLBACK_KINDS),
    bot_id: TEXT,
    job_id: TEXT,
    status: { ...oneOf(...ALL_STATUSES), read: statusIn },
    state: oneOf(...DELIVERY_STATES),
    result: oneOf(...CALLBACK_RESULTS),
    destination: DESTINATION,
    from: { read: (text: string) => beginIn(text.trim(), context), rule },
    to: { read: (text: string) => endIn(text.trim(), context), rule },
    error_class: orNone(oneOf(...FAILURE_CLASSES)),
    error_code: orNone(TEXT),
  };
}

/** The parameters of every paged list. */
export const PAGE = {
  before: {
    read: (text: string) => wholeNumberIn(text),
    rule: faultSaid('must be the "next" of another page', 'はほかのページの next です'),
  },
  limit: {
    read: (text: string) => wholeNumberIn(text, LARGEST_PAGE),
    rule: faultSaid(
      `must be a whole number from 1 to ${LARGEST_PAGE}`,
      `は1から${LARGEST_PAGE}までの整数です`,
    ),
  },
} as const;

export const FLAG: Parameter<boolean> = {
  read: (text) => ({ true: true, false: false })[text],
  rule: faultSaid('must be true or false', 'は true か false です'),
};

/**
 * A page of rows that have names. `next`: the next page's `after`.
 * @param after the last name of the page before; if no row has it, the page begins with the first row
 */
export function pageAfter<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
) {
  const start = rows.findIndex((row) => nameOf(row) === after) + 1;
  const items = rows.slice(start, start + limit);
  return { items, next: rows.length > start + limit ? items.map(nameOf).at(-1) : undefined };
}

/** Ignores empty parameters, which forms send. @throws {Refused} */
export function readFilter(query: URLSearchParams, context: FilterContext) {
  const known = { search: TEXT, ...parametersOf(context), ...PAGE };
  const { before, limit, ...values } = readParameters(query, known, true);
  return { filter: filterIn(values) as CallbackFilter, page: { before, limit } };
}

/**
 * Reads which deliveries to redeliver or dismiss. Requires at least one parameter and refuses empty ones, since a condition
 * that was lost on the way would select deliveries that it was meant to exclude.
 * @throws {Refused}
 */
export function readRedelivery(query: URLSearchParams, context: FilterContext) {
  const known = { ...parametersOf(context), state: oneOf('dead', 'held'), dry_run: FLAG };
  const { dry_run: isDryRun = false, ...values } = readParameters(query, known);
  if (Object.keys(values).length === 0) {
    const en = 'must be dead or held where nothing else is given';
    throw refusalOf([['state', faultSaid(en, 'は、ほかに条件がなければ dead か held です')]]);
  }
  return { filter: filterIn(values) as RedeliveryFilter, isDryRun };
}

/** Renames parameters: `bot_id` becomes `botId`. */
function filterIn(values: object): object {
  const toCamel = (name: string) => name.replaceAll(/_./g, (found) => found.charAt(1).toUpperCase());
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [toCamel(name), value as unknown]));
}

/** The query for links, which `readFilter` and `readRedelivery` read as the same filter at any time. */
export function filterQuery(filter: RedeliveryFilter): URLSearchParams {
  const { status, from, to, asOf: _, ...texts } = filter;
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const written = {
    ...texts,
    status: status === undefined ? undefined : statusNameOf({ status }),
    from: iso(from),
    to: iso(to),
  };
  const given = Object.entries(written).filter(([, text]) => text !== undefined);
  return new URLSearchParams(given.map(([field, text]) => [snakeCase(field), text || NO_ERROR]));
}

/** @returns a whole number from 1 to `largest`; undefined for any other text */
export function wholeNumberIn(
  text: string | null | undefined,
  largest = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = /^\d{1,16}$/.test(text ?? '') ? Number(text) : 0;
  return value >= 1 && value <= largest ? value : undefined;
}

/** Cleans the text as the ledger does with ids and addresses; blanks around an id are part of it. */
function textIn(text: string): string | undefined {
  return cleanText(text) || undefined;
}

function statusIn(text: string): StatusCode | undefined {
  return STATUS_CODES.find((code) => text === String(code) || text === ALL_STATUSES[code]);
}

function destinationIn(text: string): string | undefined {
  return /^[^:]+:./s.test(text) ? textIn(text.trim()) : undefined;
}

/** @returns the instant of a time, or the first of a day, in milliseconds since the epoch */
function beginIn(text: string, { timezone, now }: FilterContext): number | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return Math.max(0, now - ago);
  // URL decoding turns an offset's plus into a space unless it is written %2B; the first one stands for the T.
  const time = DAY.test(text) ? `${text}T00:00` : text.replace(/(?<=[Tt ].*) (?=\d\d:?\d\d$)/, '+');
  const instant = parseStartTime(time, timezone);
  return instant === undefined ? undefined : Math.max(0, instant);
}

/** @returns the instant of a time, or the last millisecond of a day */
function endIn(text: string, context: FilterContext): number | undefined {
  const begin = beginIn(text, context);
  if (begin === undefined || !DAY.test(text)) return begin;
  return instantOn(Date.parse(text) + DAY_MS, 0, context.timezone) - 1;
}
