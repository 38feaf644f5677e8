/** Decides whether a JSON value is a callback, and says everything that is wrong with it at once. */
import { number, object, string, ValidationError } from 'yup';
import type { TestContext } from 'yup';
import { shortLine } from '../text/short-line.ts';
import type { Callback, CheckedCallback } from './callback.ts';
import { type CallbackError, InvalidCallback } from './invalid-callback.ts';
import { isJsonObject, type JsonObject, keysOf } from '../text/json-object.ts';
import { MAX_DEPTH, nestsDeeperThan } from './nesting.ts';
import { parseStartTime } from './start-time.ts';

const MAX_ECHO_LENGTH = 40;

/** A body can name any number of fields; its sender needs no more than these to see what is wrong. */
const MAX_DEEP_FIELDS = 50;

/**
 * The check of the callback interface: strict in types, unknown fields kept. The callback is the very value it was given.
 * @param timezone in which a `start_time` without an offset is read
 * @throws {InvalidCallback} from the check, with all errors
 */
export function createCallbackCheck(timezone: string): (value: unknown) => CheckedCallback {
  return (value) => {
    if (!isJsonObject(value))
      throw new InvalidCallback([{ pointer: '', detail: expected('a JSON object', value) }]);
    const tooDeep = nestsDeeperThan(value, MAX_DEPTH) ? tooDeepFields(value) : [];
    const startedAt = instantOf(value['start_time'], timezone);
    const errors = [...tooDeep, ...errorsIn(value, startedAt)];
    if (startedAt === undefined || errors.length > 0) throw new InvalidCallback(errors);
    return { callback: value as unknown as Callback, startedAt };
  };
}

function instantOf(startTime: unknown, timezone: string): number | undefined {
  return typeof startTime === 'string' ? parseStartTime(startTime, timezone) : undefined;
}

/**
 * Every rule is about a top-level field, so that how deep it nests does not matter.
 * @param startedAt undefined: its `start_time` names no instant
 */
function errorsIn(value: JsonObject, startedAt: number | undefined): CallbackError[] {
  try {
    // Strict, or yup would cast "1" to 1 and stumble over unknown keys such as `constructor`.
    SCHEMA.validateSync(knownFieldsOf(value), {
      strict: true,
      abortEarly: false,
      disableStackTrace: true,
      context: { startedAt },
    });
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return errorsOf(error);
    throw error;
  }
}

/** A body may have any number of others, at each of which yup would look. */
function knownFieldsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    FIELDS.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]),
  );
}

function requiredString() {
  return string().typeError(found('a string')).defined(missing('a string')).nonNullable(found('a string'));
}

function requiredInteger() {
  return integer().defined(missing('an integer')).nonNullable(found('an integer'));
}

function integer() {
  return number().typeError(found('an integer')).integer(found('an integer'));
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

/** The names of the fields that rules are about need no escaping in a pointer. */
function errorsOf(error: ValidationError): CallbackError[] {
  return error.inner.map(({ path = '', message }) => ({ pointer: `/${path}`, detail: message }));
}

function tooDeepFields(value: JsonObject): CallbackError[] {
  const errors: CallbackError[] = [];
  for (const key of keysOf(value)) {
    if (errors.length >= MAX_DEEP_FIELDS) break;
    if (!nestsDeeperThan(value[key], MAX_DEPTH - 1)) continue;
    errors.push({ pointer: pointerTo(key), detail: `is nested deeper than ${MAX_DEPTH} levels` });
  }
  return errors;
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
  elapsed_time: integer().nullable(),
  output: object().typeError(found('an object')).default(undefined).nullable(),
  message: string().typeError(found('a string')).nullable(),
});

const FIELDS = Object.keys(SCHEMA.fields);
