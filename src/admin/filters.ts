/** What a list of callbacks is asked for by: read from a query, or all that is wrong with it, and written into one. */
import { ALL_STATUSES, type StatusCode, statusNameOf } from '../callback/callback.ts';
import { parseStartTime } from '../callback/check-callback.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import type { RedeliveryFilter } from '../ledger/actions/actions.ts';
import type { CallbackFilter, PageRequest } from '../ledger/archive/archive.ts';
import type { CallbackResult, DeliveryState } from '../ledger/ledger.ts';
import { cleanText } from '../text/clean.ts';
import { type Language, parseDuration } from '../time/display.ts';
import { givenParameters, type ParameterProblem } from './parameters.ts';
import { FILTER_WORDS, type FilterFault } from './filter-words.ts';

export const DELIVERY_STATES = [
  'pending',
  'delivered',
  'dead',
  'held',
] as const satisfies readonly DeliveryState[];

export const CALLBACK_RESULTS = [
  'delivered',
  'duplicate',
  'no_route',
  'superseded',
  'held',
  'accepted',
  'taken_over',
  'gave_up',
  'failed',
  'timed_out',
  'unavailable',
] as const satisfies readonly CallbackResult[];

/** Of a delivery that is dead without an attempt. */
const NO_ERROR = 'none';

const STATUS_CODES = [0, 1, 2] as const satisfies readonly StatusCode[];
const LARGEST_PAGE = 500;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

export interface FilterContext {
  /** In which a day begins, and in which a time without an offset is. */
  readonly timezone: string;
  /** Milliseconds since the epoch: what `2d` counts back from. */
  readonly now: number;
  /** Of the sentences that say what is wrong. */
  readonly language: Language;
  /** Parameters that are somebody else's to read. */
  readonly besides?: readonly string[];
}

export type Read<Found> =
  | ({ readonly isGood: true } & Found)
  | { readonly isGood: false; readonly problems: readonly ParameterProblem[] };

export type ReadFilter = Read<{ readonly filter: CallbackFilter; readonly page: PageRequest }>;

/** One parameter's value; undefined: it cannot be meant. */
type Reader<T> = (text: string, context: FilterContext) => T | undefined;

const READERS = {
  bot_id: textIn,
  job_id: textIn,
  status: statusIn,
  state: (text) => DELIVERY_STATES.find((name) => name === text),
  result: (text) => CALLBACK_RESULTS.find((name) => name === text),
  destination: destinationIn,
  from: beginIn,
  to: endIn,
  before: (text) => integerIn(text, Number.MAX_SAFE_INTEGER),
  limit: (text) => integerIn(text, LARGEST_PAGE),
  error_class: (text) =>
    noneOr(
      text,
      FAILURE_CLASSES.find((name) => name === text),
    ),
  error_code: (text) => noneOr(text, textIn(text)),
} as const satisfies Readonly<Record<string, Reader<unknown>>>;

export type FilterName = keyof typeof READERS;

const FILTER_NAMES = [
  'bot_id',
  'job_id',
  'status',
  'state',
  'result',
  'destination',
  'from',
  'to',
] as const satisfies readonly FilterName[];
const LIST_NAMES: readonly string[] = [...FILTER_NAMES, 'before', 'limit'];
const REDELIVERY_NAMES: readonly string[] = [...FILTER_NAMES, 'error_class', 'error_code'];

/** Empty parameters, as forms send them, are none. */
export function readFilter(query: URLSearchParams, context: FilterContext): ReadFilter {
  const { read, problems, report } = reading(query, context, LIST_NAMES);
  const filter = filterIn({ read, report });
  const page = { before: read('before'), limit: read('limit') };
  return problems.length > 0 ? { isGood: false, problems } : { isGood: true, filter, page };
}

/** What is to be given back to the worker, or dismissed: at least one parameter says it, since it may be much. */
export function readRedeliveryFilter(
  query: URLSearchParams,
  context: FilterContext,
): Read<{ readonly filter: RedeliveryFilter }> {
  const { read, problems, report, empty } = reading(query, context, REDELIVERY_NAMES);
  // What a filter that was lost would have kept out is given back as well.
  for (const name of empty) if (context.besides?.includes(name) !== true) report(name, 'empty');
  const filter = {
    ...filterIn({ read, report }),
    errorClass: read('error_class'),
    errorCode: read('error_code'),
  };
  if (filter.state === 'pending' || filter.state === 'delivered') report('state', 'undelivered');
  const isAll = Object.values(filter).every((value) => value === undefined);
  if (isAll && problems.length === 0) report('state', 'all');
  return problems.length > 0 ? { isGood: false, problems } : { isGood: true, filter };
}

type ReadParameter = <Name extends FilterName>(name: Name) => ReturnType<(typeof READERS)[Name]> | undefined;

function reading(query: URLSearchParams, context: FilterContext, names: readonly string[]) {
  const problems: ParameterProblem[] = [];
  const report = (parameter: string, fault: FilterFault) => {
    problems.push({ parameter, detail: FILTER_WORDS[context.language][fault] });
  };
  const known = new Set([...names, ...(context.besides ?? [])]);
  const { values, unknown, repeated, empty } = givenParameters(query, (name) => known.has(name));
  for (const name of unknown) report(name, 'unknown');
  for (const name of repeated) report(name, 'repeated');
  const read: ReadParameter = (name) => {
    const trimmed = values.get(name);
    if (trimmed === undefined) return undefined;
    // Of an id, the blanks around it may be part.
    const text = name === 'bot_id' || name === 'job_id' ? (query.get(name) ?? trimmed) : trimmed;
    const value = READERS[name](text, context) as ReturnType<(typeof READERS)[typeof name]>;
    if (value === undefined) report(name, name);
    return value;
  };
  return { read, problems, report, empty };
}

function filterIn({ read, report }: Pick<ReturnType<typeof reading>, 'read' | 'report'>) {
  const filter = {
    botId: read('bot_id'),
    jobId: read('job_id'),
    status: read('status'),
    state: read('state'),
    result: read('result'),
    destination: read('destination'),
    from: read('from'),
    to: read('to'),
  };
  if ((filter.from ?? 0) > (filter.to ?? Number.POSITIVE_INFINITY)) report('from', 'backwards');
  return filter;
}

/** For links: what `readFilter`, or `readRedeliveryFilter`, reads as the same, whenever it is read. */
export function filterQuery(filter: RedeliveryFilter, page: PageRequest = {}): URLSearchParams {
  const parameters: Readonly<Record<FilterName, string | number | undefined>> = {
    bot_id: filter.botId,
    job_id: filter.jobId,
    status: filter.status === undefined ? undefined : statusNameOf({ status: filter.status }),
    state: filter.state,
    result: filter.result,
    destination: filter.destination,
    from: isoIn(filter.from),
    to: isoIn(filter.to),
    before: page.before,
    limit: page.limit,
    error_class: filter.errorClass === '' ? NO_ERROR : filter.errorClass,
    error_code: filter.errorCode === '' ? NO_ERROR : filter.errorCode,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}

/** Ids and addresses stand in the ledger as cleaned text. */
function textIn(text: string): string | undefined {
  return cleanText(text) || undefined;
}

function noneOr(text: string, value: string | undefined): string | undefined {
  return text === NO_ERROR ? '' : value;
}

function statusIn(text: string): StatusCode | undefined {
  return STATUS_CODES.find((code) => text === String(code) || text === ALL_STATUSES[code]);
}

function destinationIn(text: string): string | undefined {
  return /^[^:]+:./s.test(text) ? textIn(text) : undefined;
}

function integerIn(text: string, largest: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= largest ? value : undefined;
}

/** The first instant of a day, or of a time. */
function beginIn(text: string, { timezone, now }: FilterContext): number | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return Math.max(0, now - ago);
  // A plus that a URL does not spell %2B is read as a space.
  const time = DAY.test(text) ? `${text}T00:00` : text.replace(/ (?=\d\d:?\d\d$)/, '+');
  const instant = parseStartTime(time, timezone);
  return instant === undefined ? undefined : Math.max(0, instant);
}

/** The last millisecond of a day, or a time. */
function endIn(text: string, context: FilterContext): number | undefined {
  const begin = beginIn(text, context);
  if (begin === undefined || !DAY.test(text)) return begin;
  const next = new Date(Date.parse(`${text}T00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  const end = beginIn(next, context);
  return end === undefined ? begin + DAY_MS - 1 : end - 1;
}

function isoIn(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
