/** Decides whether a JSON value is a callback, and reports all its faults at once. */
import { mixed, object, ValidationError, type TestContext } from 'yup';
import { shortLine } from '../text/cut.ts';
import {
  type Callback,
  type CallbackError,
  type CheckedCallback,
  InvalidCallback,
  isInteger,
  MAX_DEPTH,
} from './callback.ts';
import { decodeBody } from './decode.ts';
import { isJsonObject, type JsonObject, SpeltNumber } from '../text/json.ts';
import { parseStartTime } from '../time/display.ts';

const MAX_ECHO_LENGTH = 40;

/** Fields reported as nested too deep: a body can have any number of them. */
const MAX_DEEP_FIELDS = 50;

/**
 * Reads a request's body, of at most `maxNodes` values. @returns also its JSON, without a byte order mark
 * @throws {UndecodableBody} @throws {TooManyValues} @throws {InvalidCallback} with all errors
 */
export function readCallback(bytes: Uint8Array, timezone: string, maxNodes?: number) {
  const { value, json, tooDeep } = decodeBody(bytes, maxNodes);
  return { json, ...checkCallback(value, timezone, tooDeep) };
}

/**
 * The check of the callback interface: strict in types, unknown fields kept. It returns the given value itself, not a copy.
 * @param timezone for a `start_time` without an offset @param tooDeep fields that nest too deep (`Decoded`)
 * @throws {InvalidCallback} with all errors
 */
export function checkCallback(
  value: unknown,
  timezone: string,
  tooDeep: readonly string[] = [],
): CheckedCallback {
  if (!isJsonObject(value))
    throw new InvalidCallback([{ pointer: '', detail: expected('a JSON object', value) }]);
  const { start_time: startTime } = value;
  const startedAt = typeof startTime === 'string' ? parseStartTime(startTime, timezone) : undefined;
  if (tooDeep.length === 0 && startedAt !== undefined && areRight(value))
    return { callback: value as unknown as Callback, startedAt };
  throw new InvalidCallback([
    ...tooDeep.toSorted().slice(0, MAX_DEEP_FIELDS).map(tooDeepAt),
    ...errorsIn(value, startedAt),
  ]);
}

/**
 * What is wrong with the fields, in words; none if they are right. Every rule is about a top-level field, so a value may nest to any
 * depth here.
 * @param startedAt undefined: `start_time` names no instant
 */
export function errorsIn(value: JsonObject, startedAt: number | undefined): CallbackError[] {
  try {
    // Without `strict`, yup would cast "1" to 1 and fail at unknown keys such as `constructor`.
    SCHEMA.validateSync(value, {
      strict: true,
      abortEarly: false,
      disableStackTrace: true,
      context: { startedAt },
    });
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    // All fields with rules have names that need no escaping in a pointer.
    return error.inner.map(({ path = '', message }) => ({ pointer: `/${path}`, detail: message }));
  }
}

type Rule = (value: unknown) => boolean;
type Guard = (value: unknown) => value is string | number | object;

/** The check of the type is the whole rule, since each further test of yup's costs as much as a field. */
function required(what: string, isRight: Rule) {
  const wrong = found(what);
  return mixed(isRight as Guard)
    .typeError(wrong)
    .defined(`is missing: it must be ${what}`)
    .nonNullable(wrong);
}

function optional(what: string, isRight: Rule) {
  return mixed(isRight as Guard)
    .typeError(found(what))
    .nullable();
}

const isString: Rule = (value) => typeof value === 'string';
const isNumber: Rule = (value) => typeof value === 'number' || value instanceof SpeltNumber;
const isStatus: Rule = (value) => value === 0 || value === 1 || value === 2;

type Message = (params: { value: unknown }) => string;

/** A yup message, which quotes only the beginning of the value. */
function found(what: string): Message {
  return ({ value }) => expected(what, value);
}

function expected(what: string, value: unknown): string {
  return `must be ${what}, found ${describe(value)}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value instanceof SpeltNumber) return `the number ${excerpt(value.spelling)}`;
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  if (typeof value === 'string') return `the string "${excerpt(value)}"`;
  return typeof value === 'number' ? `the number ${value}` : JSON.stringify(value);
}

/** The pointer: RFC 6901, section 3. An unknown field's name is foreign text, so it is cleaned and cut. */
function tooDeepAt(key: string): CallbackError {
  const pointer = `/${excerpt(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, detail: `is nested deeper than ${MAX_DEPTH} levels` };
}

function excerpt(text: string): string {
  return shortLine(text, MAX_ECHO_LENGTH);
}

const DATE_TIME = 'an ISO 8601 date-time that exists, such as 2026-11-20T09:00:00+09:00';

function namesAnInstant(_: unknown, { options }: TestContext<{ startedAt?: number }>): boolean {
  return options.context?.startedAt !== undefined;
}

/** The interface's fields: whether a callback must have them, what they are, in words, and the rule. */
const FIELDS: readonly (readonly [name: string, isRequired: boolean, what: string, isRight: Rule])[] = [
  ['code', true, 'an integer', isInteger],
  ['job_id', true, 'a string', isString],
  ['bot_id', true, 'a string', isString],
  ['bot_name', true, 'a string', isString],
  ['status', true, 'the integer 0 (succeeded), 1 (error) or 2 (executing)', isStatus],
  ['start_time', true, 'a string', isString],
  ['elapsed_time', false, 'a number', isNumber],
  ['output', false, 'an object', isJsonObject],
  ['message', false, 'a string', isString],
];

/** Whether yup would find all fields right, apart from the instant; yup, which is much slower, is left to say what is wrong. */
function areRight(value: JsonObject): boolean {
  return FIELDS.every(([name, isRequired, , isRight]) => {
    const field = value[name];
    return field === undefined || field === null ? !isRequired : isRight(field);
  });
}

const RULES = FIELDS.map(
  ([name, isRequired, what, isRight]) => [name, (isRequired ? required : optional)(what, isRight)] as const,
);

/** Validate it with `strict`, and with the instant of `start_time` as context. */
const SCHEMA = object(Object.fromEntries(RULES)).shape({
  start_time: required('a string', isString).test('date-time', found(DATE_TIME), namesAnInstant),
});
