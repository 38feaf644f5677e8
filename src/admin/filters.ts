/** Reads query parameters strictly, such as the filters of lists and bulk actions, and reports every problem; writes them for links. */
import { ALL_STATUSES, type StatusCode, statusNameOf } from '../callback/callback.ts';
import { parseStartTime } from '../time/date-time.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import { HttpProblem } from '../http/problem.ts';
import type { RedeliveryFilter } from '../ledger/actions/actions.ts';
import type { CallbackFilter, PageRequest } from '../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES } from '../ledger/ledger.ts';
import { cleanText } from '../text/clean.ts';
import { DAY_MS, instantOn } from '../signal/calendar.ts';
import { parseDuration } from '../time/display.ts';

/** The error class and code of a dead letter that was never attempted. */
const NO_ERROR = 'none';

const STATUS_CODES = [0, 1, 2] as const satisfies readonly StatusCode[];
const LARGEST_PAGE = 500;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface FilterContext {
  /** For the beginning of days, and for times without an offset. */
  readonly timezone: string;
  /** Milliseconds since the epoch; `2d` counts back from here. */
  readonly now: number;
}

interface ParameterProblem {
  /** The parameter's name as given, cleaned. */
  readonly parameter: string;
  /** What is wrong, to be read after the parameter's name; does not contain its value. */
  readonly detail: string;
}

export interface Parameter<T> {
  /** @returns undefined if the text is invalid */
  readonly read: (text: string) => T | undefined;
  /** The valid values, to be read after the parameter's name. */
  readonly rule: string;
}

export type Known = Readonly<Record<string, Parameter<unknown>>>;

/** Undefined for parameters that are not given. */
export type Values<Names extends Known> = {
  readonly [Name in keyof Names]: ReturnType<Names[Name]['read']>;
};

/**
 * Refuses unknown and repeated parameters.
 * @param isForm ignore empty parameters, which forms send; otherwise they are refused, since a script's variable may be unset
 */
export function readParameters<Names extends Known>(query: URLSearchParams, known: Names, isForm = false) {
  const unknown = { read: () => undefined, rule: 'is no parameter of this' };
  const values: Record<string, unknown> = {};
  const problems: ParameterProblem[] = [];
  for (const name of new Set(query.keys())) {
    const [text, ...more] = query.getAll(name).filter((each) => each.trim() !== '');
    if (isForm && text === undefined) continue;
    const { read, rule } = (Object.hasOwn(known, name) ? known[name] : undefined) ?? unknown;
    const value = text === undefined || more.length > 0 ? undefined : read(text);
    if (value !== undefined) values[name] = value;
    else problems.push({ parameter: cleanText(name), detail: more.length > 0 ? 'is given twice' : rule });
  }
  return { values: values as Values<Names>, problems };
}

/** @throws {HttpProblem} 400 that names each invalid parameter and what is wrong with it */
export function refuseParameters(problems: readonly ParameterProblem[]): void {
  if (problems.length === 0) return;
  const sentences = problems.map(({ parameter, detail }) => `"${parameter}" ${detail}`);
  throw new HttpProblem({
    status: 400,
    detail: `The query cannot be meant: ${sentences.join('; ')}.`,
    members: { errors: problems },
    logged: 'a query that cannot be meant',
  });
}

function oneOf<Name extends string>(...names: readonly Name[]) {
  const read = (text: string) => names.find((name) => name === text);
  return { read, rule: `must be one of ${names.join(', ')}` };
}

const TEXT = { read: textIn, rule: 'must have characters that can be seen' };

function parametersOf(context: FilterContext) {
  const rule =
    'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)';
  return {
    bot_id: TEXT,
    job_id: TEXT,
    status: { ...oneOf(...ALL_STATUSES), read: statusIn },
    state: oneOf(...DELIVERY_STATES),
    result: oneOf(...CALLBACK_RESULTS),
    destination: {
      read: destinationIn,
      rule: 'must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
    },
    from: { read: (text: string) => beginIn(text.trim(), context), rule },
    to: { read: (text: string) => endIn(text.trim(), context), rule },
  };
}

/** The parameters of every paged list. */
export const PAGE = {
  before: { read: (text: string) => wholeNumberIn(text), rule: 'must be the "next" of another page' },
  limit: {
    read: (text: string) => wholeNumberIn(text, LARGEST_PAGE),
    rule: `must be a whole number from 1 to ${LARGEST_PAGE}`,
  },
};

/** Ignores empty parameters, which forms send. If there are problems, the filter lacks the invalid parameters: do not use it. */
export function readFilter(query: URLSearchParams, context: FilterContext) {
  const known = { search: TEXT, ...parametersOf(context), ...PAGE };
  const { values, problems } = readParameters(query, known, true);
  const { search, before, limit } = values;
  const filter: CallbackFilter = { search, ...filterIn(values) };
  return { filter, page: { before, limit } satisfies PageRequest, problems };
}

/**
 * Reads which deliveries to redeliver or dismiss. Requires at least one parameter and refuses empty ones, since a condition
 * that was lost on the way would select deliveries that it was meant to exclude.
 * @param besides further parameters that the query may have
 * @throws {HttpProblem} 400 that lists every invalid parameter
 */
export function readRedelivery<Besides extends Known>(
  query: URLSearchParams,
  context: FilterContext,
  besides: Besides,
): { readonly filter: RedeliveryFilter; readonly values: Values<Besides> } {
  const orNone = <T>({ read, rule }: Parameter<T>) => ({
    read: (text: string) => (text === NO_ERROR ? '' : read(text)),
    rule: `${rule}, or ${NO_ERROR}`,
  });
  const known = {
    ...besides,
    ...parametersOf(context),
    state: oneOf('dead', 'held'),
    error_class: orNone(oneOf(...FAILURE_CLASSES)),
    error_code: orNone(TEXT),
  };
  const { values, problems } = readParameters(query, known);
  if (problems.length === 0 && Object.keys(values).every((name) => Object.hasOwn(besides, name)))
    problems.push({ parameter: 'state', detail: 'must be dead or held where nothing else is given' });
  refuseParameters(problems);
  const { error_class: errorClass, error_code: errorCode } = values;
  return { filter: { ...filterIn(values), errorClass, errorCode }, values };
}

type FilterValues = Values<ReturnType<typeof parametersOf>>;

function filterIn({ bot_id: botId, job_id: jobId, ...values }: FilterValues) {
  const { status, state, result, destination, from, to } = values;
  return { botId, jobId, status, state, result, destination, from, to };
}

/** The query for links, which `readFilter` and `readRedelivery` read as the same filter at any time. */
export function filterQuery(filter: RedeliveryFilter): URLSearchParams {
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const parameters: Readonly<Record<string, string | undefined>> = {
    bot_id: filter.botId,
    job_id: filter.jobId,
    status: filter.status === undefined ? undefined : statusNameOf({ status: filter.status }),
    state: filter.state,
    result: filter.result,
    destination: filter.destination,
    from: iso(filter.from),
    to: iso(filter.to),
    error_class: filter.errorClass === '' ? NO_ERROR : filter.errorClass,
    error_code: filter.errorCode === '' ? NO_ERROR : filter.errorCode,
  };
  const given = Object.entries(parameters).map(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(given.flat());
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
  // URL decoding turns an offset's plus into a space unless it is written %2B.
  const time = DAY.test(text) ? `${text}T00:00` : text.replace(/ (?=\d\d:?\d\d$)/, '+');
  const instant = parseStartTime(time, timezone);
  return instant === undefined ? undefined : Math.max(0, instant);
}

/** @returns the instant of a time, or the last millisecond of a day */
function endIn(text: string, context: FilterContext): number | undefined {
  const begin = beginIn(text, context);
  if (begin === undefined || !DAY.test(text)) return begin;
  return instantOn(Date.parse(text) + DAY_MS, 0, context.timezone) - 1;
}
