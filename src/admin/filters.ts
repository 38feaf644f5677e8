/** What a list of callbacks is asked for by: read from a query, or all that is wrong with it, and written into one. */
import { ALL_STATUSES, type StatusCode, statusNameOf } from '../callback/callback.ts';
import { parseStartTime } from '../callback/check-callback.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import type { RedeliveryFilter } from '../ledger/actions/actions.ts';
import type { CallbackFilter, PageRequest } from '../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES } from '../ledger/ledger.ts';
import { cleanText } from '../text/clean.ts';
import { type Language, parseDuration } from '../time/display.ts';
import { PARAMETER_WORDS } from './parameter-words.ts';
import { type Parameter, type ParameterProblem, readParameters, wholeNumberIn } from './parameters.ts';

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

function parametersOf(context: FilterContext) {
  const words = PARAMETER_WORDS[context.language];
  const oneOf = <Name extends string>(names: readonly Name[]) => ({
    read: (text: string) => names.find((name) => name === text),
    rule: words.oneOf(names.join(', ')),
  });
  const id = { read: textIn, rule: words.text, isAsWritten: true };
  return {
    bot_id: id,
    job_id: id,
    status: { ...oneOf(ALL_STATUSES), read: statusIn },
    state: oneOf(DELIVERY_STATES),
    result: oneOf(CALLBACK_RESULTS),
    destination: { read: destinationIn, rule: words.destination },
    from: { read: (text: string) => beginIn(text, context), rule: words.time },
    to: { read: (text: string) => endIn(text, context), rule: words.time },
  };
}

/** Of any list. */
export function pageParameters(language: Language) {
  const words = PARAMETER_WORDS[language];
  return {
    before: { read: (text: string) => wholeNumberIn(text), rule: words.next },
    limit: { read: (text: string) => wholeNumberIn(text, LARGEST_PAGE), rule: words.upTo(LARGEST_PAGE) },
  } satisfies Readonly<Record<keyof PageRequest, Parameter<number>>>;
}

function causeParameters(language: Language) {
  const words = PARAMETER_WORDS[language];
  const orNone = (text: string, value: string | undefined) => (text === NO_ERROR ? '' : value);
  return {
    error_class: {
      read: (text: string) =>
        orNone(
          text,
          FAILURE_CLASSES.find((name) => name === text),
        ),
      rule: words.oneOf([...FAILURE_CLASSES, NO_ERROR].join(', ')),
    },
    error_code: { read: (text: string) => orNone(text, textIn(text)), rule: words.code },
  };
}

export type FilterName = keyof ReturnType<typeof parametersOf> | 'search';

/** Empty parameters, as forms send them, are none. */
export function readFilter(query: URLSearchParams, context: FilterContext): ReadFilter {
  const { language } = context;
  const search = { read: textIn, rule: PARAMETER_WORDS[language].text };
  const known = { search, ...parametersOf(context), ...pageParameters(language) };
  const { values, problems } = readParameters(query, known, { ...context, isForm: true });
  const all = [...problems, ...backwardsIn(values, language)];
  if (all.length > 0) return { isGood: false, problems: all };
  const { before, limit } = values;
  return { isGood: true, filter: { search: values.search, ...filterIn(values) }, page: { before, limit } };
}

/**
 * What is to be given back to the worker, or dismissed: at least one parameter says it, and none is empty, since what a
 * filter that was lost would have kept out is given back as well.
 */
export function readRedeliveryFilter(
  query: URLSearchParams,
  context: FilterContext,
): Read<{ readonly filter: RedeliveryFilter }> {
  const { language } = context;
  const words = PARAMETER_WORDS[language];
  const known = { ...parametersOf(context), ...causeParameters(language) };
  const { values, problems } = readParameters(query, known, context);
  const all = [...problems, ...backwardsIn(values, language)];
  if (values.state === 'pending' || values.state === 'delivered')
    all.push({ parameter: 'state', detail: words.undelivered });
  if (all.length === 0 && Object.keys(values).length === 0)
    all.push({ parameter: 'state', detail: words.all });
  if (all.length > 0) return { isGood: false, problems: all };
  const { error_class: errorClass, error_code: errorCode } = values;
  return { isGood: true, filter: { ...filterIn(values), errorClass, errorCode } };
}

type FilterValues = ReturnType<typeof readParameters<ReturnType<typeof parametersOf>>>['values'];

function filterIn({
  bot_id: botId,
  job_id: jobId,
  status,
  state,
  result,
  destination,
  from,
  to,
}: FilterValues) {
  return { botId, jobId, status, state, result, destination, from, to };
}

function backwardsIn(
  { from = 0, to = Infinity }: FilterValues,
  language: Language,
): readonly ParameterProblem[] {
  return from > to ? [{ parameter: 'from', detail: PARAMETER_WORDS[language].backwards }] : [];
}

/** For links: what `readFilter`, or `readRedeliveryFilter`, reads as the same, whenever it is read. */
export function filterQuery(
  filter: CallbackFilter & RedeliveryFilter,
  page: PageRequest = {},
): URLSearchParams {
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const parameters: Readonly<Record<string, string | number | undefined>> = {
    search: filter.search,
    bot_id: filter.botId,
    job_id: filter.jobId,
    status: filter.status === undefined ? undefined : statusNameOf({ status: filter.status }),
    state: filter.state,
    result: filter.result,
    destination: filter.destination,
    from: iso(filter.from),
    to: iso(filter.to),
    before: page.before,
    limit: page.limit,
    error_class: filter.errorClass === '' ? NO_ERROR : filter.errorClass,
    error_code: filter.errorCode === '' ? NO_ERROR : filter.errorCode,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** Ids and addresses stand in the ledger as cleaned text. */
function textIn(text: string): string | undefined {
  return cleanText(text) || undefined;
}

function statusIn(text: string): StatusCode | undefined {
  return STATUS_CODES.find((code) => text === String(code) || text === ALL_STATUSES[code]);
}

function destinationIn(text: string): string | undefined {
  return /^[^:]+:./s.test(text) ? textIn(text) : undefined;
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
