/** Decides whether a JSON value is a callback, and says everything that is wrong with it at once. */
import { number, object, string, ValidationError, type TestContext } from 'yup';
import { shortLine } from '../text/cut.ts';
import {
  type Callback,
  type CallbackError,
  type IdentifiedCallback,
  InvalidCallback,
  MAX_DEPTH,
  walk,
} from './callback.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { zonedToInstant } from '../time/display.ts';

const MAX_ECHO_LENGTH = 40;

/** A body can name any number of fields; its sender needs no more than these to see what is wrong. */
const MAX_DEEP_FIELDS = 50;

/**
 * The check of the callback interface: strict in types, unknown fields kept. The callback is the very value it was given.
 * @param timezone in which a `start_time` without an offset is read
 * @param mostValues that are taken
 * @throws {InvalidCallback} from the check, with all errors
 * @throws {TooManyValues} from the check
 */
export function createCallbackCheck(
  timezone: string,
  mostValues?: number,
): (value: unknown) => IdentifiedCallback {
  return (value) => {
    if (!isJsonObject(value))
      throw new InvalidCallback([{ pointer: '', detail: expected('a JSON object', value) }]);
    const { identity, tooDeep } = walk(value, mostValues);
    const { start_time: startTime } = value;
    const startedAt = typeof startTime === 'string' ? parseStartTime(startTime, timezone) : undefined;
    const errors = [...tooDeep.slice(0, MAX_DEEP_FIELDS).map(tooDeepAt), ...errorsIn(value, startedAt)];
    if (startedAt === undefined || errors.length > 0) throw new InvalidCallback(errors);
    return { callback: value as unknown as Callback, identity, startedAt };
  };
}

/**
 * Every rule is about a top-level field, so that how deep it nests does not matter.
 * @param startedAt undefined: its `start_time` names no instant
 */
function errorsIn(value: JsonObject, startedAt: number | undefined): CallbackError[] {
  try {
    // Strict, or yup would cast "1" to 1 and stumble over unknown keys such as `constructor`.
    SCHEMA.validateSync(value, {
      strict: true,
      abortEarly: false,
      disableStackTrace: true,
      context: { startedAt },
    });
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    // The names of the fields that rules are about need no escaping in a pointer.
    return error.inner.map(({ path = '', message }) => ({ pointer: `/${path}`, detail: message }));
  }
}

function requiredString() {
  return string().typeError(found('a string')).defined(missing('a string')).nonNullable(found('a string'));
}

function requiredInteger() {
  const wrong = found('an integer');
  return number().typeError(wrong).integer(wrong).defined(missing('an integer')).nonNullable(wrong);
}

/** What is no integer has been told so by the test before. */
function isStatusOrNoInteger(value: number): boolean {
  return value === 0 || value === 1 || value === 2 || !Number.isInteger(value);
}

function missing(what: string): string {
  return `is missing: it must be ${what}`;
}

/** A yup message that never embeds more than the beginning of the value. */
function found(what: string): (params: { value: unknown }) => string {
  return ({ value }) => expected(what, value);
}

function expected(what: string, value: unknown): string {
  return `must be ${what}, found ${describe(value)}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  if (typeof value === 'string') return `the string "${excerpt(value)}"`;
  return typeof value === 'number' ? `the number ${value}` : JSON.stringify(value);
}

function tooDeepAt(key: string): CallbackError {
  return { pointer: pointerTo(key), detail: `is nested deeper than ${MAX_DEPTH} levels` };
}

/** RFC 6901, section 3; an unknown field's name is foreign text, so it is shown clean and short. */
function pointerTo(key: string): string {
  return `/${excerpt(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function excerpt(text: string): string {
  return shortLine(text, MAX_ECHO_LENGTH);
}

const DATE_TIME = 'an ISO 8601 date-time that exists, such as 2026-11-20T09:00:00+09:00';

function namesAnInstant(_: string, { options }: TestContext<{ startedAt?: number }>): boolean {
  return options.context?.startedAt !== undefined;
}

/** To be validated strictly, with the instant that `start_time` names as its context. */
const SCHEMA = object({
  code: requiredInteger(),
  job_id: requiredString(),
  bot_id: requiredString(),
  bot_name: requiredString(),
  status: requiredInteger().test('status', found('0, 1 or 2'), isStatusOrNoInteger),
  start_time: requiredString().test('date-time', found(DATE_TIME), namesAnInstant),
  elapsed_time: number().typeError(found('a number')).nullable(),
  output: object().typeError(found('an object')).default(undefined).nullable(),
  message: string().typeError(found('a string')).nullable(),
});

/** No real date-time has more digits. */
const FRACTION = '(?:[.,](?<fraction>\\d{1,1000}))?';
const ZONE =
  '(?:(?<utc>[Zz])|(?<sign>[-+\\u2212])(?<zoneHour>[01]\\d|2[0-3])(?::?(?<zoneMinute>[0-5]\\d))?)?';
const EXTENDED = isoPattern('-', ':');
const BASIC = isoPattern('', '');

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The instant (ms; finer digits are dropped) that an ISO 8601 calendar date-time names. Minutes and seconds may be left
 * out, a fraction belongs to the last one given; without an offset it is local to `timezone`, where a time that the clocks
 * skip is read as that much later: the zone is only our guess. Undefined for any other text, and for a day or time that
 * no calendar has; a leap second, which nobody can foresee, is the second after it.
 */
export function parseStartTime(text: string, timezone: string): number | undefined {
  const groups: Groups | undefined = (EXTENDED.exec(text) ?? BASIC.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const { year, month, day, hour, minute = '00', second = '00' } = groups;
  const date = `${year}-${month}-${day}`;
  const leapMs = second === '60' ? 1000 : 0;
  const asIfUtc = Date.parse(`${date}T${hour}:${minute}:${leapMs === 0 ? second : '59'}Z`);
  // A day that its month does not have is another month's, and hour 24 is of the next day.
  if (Number.isNaN(asIfUtc) || !new Date(asIfUtc).toISOString().startsWith(date)) return undefined;
  return instantOf(asIfUtc, groups, timezone) + leapMs + fractionMs(groups);
}

function isoPattern(dash: string, colon: string): RegExp {
  const date = `(?<year>\\d{4})${dash}(?<month>\\d{2})${dash}(?<day>\\d{2})`;
  const time = `(?<hour>\\d{2})(?:${colon}(?<minute>\\d{2})(?:${colon}(?<second>\\d{2}))?)?`;
  return new RegExp(`^${date}[Tt]${time}${FRACTION}${ZONE}$`);
}

function instantOf(asIfUtc: number, { utc, sign, zoneHour, zoneMinute }: Groups, timezone: string): number {
  if (utc === undefined && sign === undefined) return zonedToInstant(asIfUtc, timezone);
  const offset = Number(zoneHour ?? 0) * HOUR_MS + Number(zoneMinute ?? 0) * MINUTE_MS;
  return asIfUtc - (sign === '+' ? offset : -offset);
}

function fractionMs({ fraction = '0', minute, second }: Groups): number {
  const unit = second !== undefined ? 1000 : minute !== undefined ? MINUTE_MS : HOUR_MS;
  // Nine digits keep the product an exact integer and name less than a millisecond of an hour.
  return Math.floor((Number(fraction.slice(0, 9).padEnd(9, '0')) * unit) / 1e9);
}
