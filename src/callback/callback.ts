/** A callback as the callback interface describes it: its check, which reports all faults at once, and its identity. */
import { hash } from 'node:crypto';
import {
  isContainer,
  type JsonObject,
  keysOf,
  plainNumber,
  SpeltNumber,
  isJsonObject,
} from '../text/json.ts';
import { shortLine } from '../text/cut.ts';
import { parseStartTime } from '../time/display.ts';

/** 0 = succeeded, 1 = error, 2 = executing (callback interface, "States and transitions"). */
export type StatusCode = 0 | 1 | 2;

/** The status names, indexed by status code. */
export const ALL_STATUSES = ['succeeded', 'error', 'executing'] as const;

export type StatusName = (typeof ALL_STATUSES)[number];

/**
 * A checked callback, exactly as it arrived, unknown fields included; any of its numbers but `status` may be a `SpeltNumber`. In
 * optional fields, `null` means absent.
 */
export interface Callback {
  readonly code: number | SpeltNumber;
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly status: StatusCode;
  /** ISO 8601 calendar date-time; without an offset it is read in the display's timezone. */
  readonly start_time: string;
  /** Seconds. */
  readonly elapsed_time?: number | SpeltNumber | null;
  readonly output?: Readonly<Record<string, unknown>> | null;
  readonly message?: string | null;
  readonly [unknownField: string]: unknown;
}

/** A callback that passed the check, and the parsed `start_time`. */
export interface CheckedCallback {
  readonly callback: Callback;
  /** `start_time` in milliseconds since 1970. */
  readonly startedAt: number;
}

/** The callback with only the fields that name it, since the others may take megabytes. */
export function namesOf({ code, job_id, bot_id, bot_name, status, start_time }: Callback): Callback {
  return { code, job_id, bot_id, bot_name, status, start_time };
}

export function statusNameOf(callback: Pick<Callback, 'status'>): StatusName {
  return ALL_STATUSES[callback.status];
}

/** Whether it is a JSON number without a fraction (`1.0` and `1e2` have none), even one that JavaScript would round. */
export function isInteger(value: unknown): boolean {
  if (!(value instanceof SpeltNumber)) return Number.isInteger(value);
  if (/^-?\d+(?:\.0+)?$/.test(value.spelling)) return true;
  return /^-?\d+(?:\.0+)?[eE]\+?\d+$/.test(value.spelling) && Number.isFinite(value.valueOf());
}

/** How many seconds the run took; undefined: not given, or no duration, as a negative number and `1e400` (infinite). */
export function elapsedSecondsOf({ elapsed_time }: Pick<Callback, 'elapsed_time'>): number | undefined {
  const seconds = plainNumber(elapsed_time);
  return typeof seconds === 'number' && seconds >= 0 && seconds < Infinity ? seconds : undefined;
}

/** Up to this size, the heap has room for as many callbacks as may be in flight: a byte of dense JSON takes twenty bytes there. */
export const LARGE_BYTES = 24 * 1024;

/** Levels of nested arrays and objects; the callback itself is the first. */
export const MAX_DEPTH = 64;

/** One fault, at a JSON pointer (RFC 6901). A missing field has the pointer that it would have if present. */
export interface CallbackError {
  readonly pointer: string;
  readonly detail: string;
}

export class InvalidCallback extends Error {
  override readonly name = 'InvalidCallback';
  readonly errors: readonly CallbackError[];

  constructor(errors: readonly CallbackError[]) {
    super(`Not a callback: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join('; ')}`);
    this.errors = errors;
  }
}

/** The callback has more values than `receiver.max_nodes` allows, as its message says. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/** The interface's fields, sorted, except `elapsed_time`, which grows while the service retries. */
const IDENTIFYING = 'bot_id bot_name code job_id message output start_time status'.split(' ');

/**
 * The callback's identity: a SHA-256 of 64 hexadecimal digits, the same for all retries of one callback. Unknown fields do not
 * matter (some count the retries), nor does the order of an object's keys. A null field counts as absent, a null in a list
 * does not.
 */
export function identityOf(callback: JsonObject): string {
  // V8 writes a flat list as JSON many times faster than the callback with sorted keys could be written.
  const flat: unknown[] = [];
  flattenMembers(callback, IDENTIFYING, flat);
  return hash('sha256', JSON.stringify(flat), 'hex');
}

/** A null becomes `null, null`, a `SpeltNumber` `null, text`, an array begins with `null, length`, an object with `null, -1`, and an object ends with `null`. */
function flatten(value: unknown, flat: unknown[]): void {
  if (!isContainer(value)) {
    const isSpelt = value instanceof SpeltNumber;
    if (value === null || isSpelt) flat.push(null);
    flat.push(isSpelt ? value.spelling : value);
  } else if (Array.isArray(value)) {
    flat.push(null, value.length);
    for (const each of value) flatten(each, flat);
  } else {
    flat.push(null, -1);
    flattenMembers(value, keysOf(value).toSorted(), flat);
    flat.push(null);
  }
}

function flattenMembers(object: JsonObject, keys: readonly string[], flat: unknown[]): void {
  for (const key of keys) {
    const value = object[key];
    if (value === null || value === undefined) continue;
    flat.push(key);
    flatten(value, flat);
  }
}

const MAX_ECHO_LENGTH = 40;

/** Fields reported as nested too deep: a body can have any number of them. */
const MAX_DEEP_FIELDS = 50;

/**
 * The check of the callback interface: strict in types, unknown fields kept. It returns the given value itself, not a copy.
 * @param timezone for a `start_time` without an offset @param isDeep it nests deeper than `MAX_DEPTH`
 * @throws {InvalidCallback} with all errors
 */
export function checkCallback(value: unknown, timezone: string, isDeep = false): CheckedCallback {
  if (!isJsonObject(value))
    throw new InvalidCallback([{ pointer: '', detail: expected('a JSON object', value) }]);
  const { start_time: startTime } = value;
  const startedAt = typeof startTime === 'string' ? parseStartTime(startTime, timezone) : undefined;
  // A key that stands twice may have nested too deep in the value that does not count.
  const deep = isDeep ? deepFields(value) : [];
  if (
    deep.length === 0 &&
    startedAt !== undefined &&
    FIELDS.every((field) => isMet(field, value[field.name]))
  )
    return { callback: value as unknown as Callback, startedAt };
  const isWrong = (field: Field) =>
    !isMet(field, value[field.name]) || (field.name === 'start_time' && startedAt === undefined);
  throw new InvalidCallback([
    ...deep.map(tooDeepAt),
    ...FIELDS.filter(isWrong).map((field) => errorAt(field, value[field.name])),
  ]);
}

/** All fields with rules have names that need no escaping in a pointer. */
function errorAt({ name, what: [what] }: Field, value: unknown): CallbackError {
  const detail = value === undefined ? `is missing: it must be ${what}` : expected(what, value);
  return { pointer: `/${name}`, detail };
}

/** The first fields that nest too deep, by name. */
function deepFields(callback: JsonObject): readonly string[] {
  const deep = keysOf(callback).filter((key) => isDeeper(callback[key], MAX_DEPTH - 1));
  return deep.toSorted().slice(0, MAX_DEEP_FIELDS);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return false;
  return levels === 0 || keysOf(value).some((key) => isDeeper(value[key], levels - 1));
}

/** The pointer: RFC 6901, section 3. An unknown field's name is foreign text, so it is cleaned and cut. */
function tooDeepAt(key: string): CallbackError {
  const pointer = `/${excerpt(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, detail: `is nested deeper than ${MAX_DEPTH} levels` };
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly what: readonly [en: string, ja: string];
  readonly isRight: (value: unknown) => boolean;
}

function isMet({ isRequired, isRight }: Field, value: unknown): boolean {
  return value === undefined || value === null ? !isRequired : isRight(value);
}

const isString = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number' || value instanceof SpeltNumber;
const isStatus = (value: unknown) => value === 0 || value === 1 || value === 2;

function expected(what: string, value: unknown): string {
  return `must be ${what}, found ${describe(value)}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value instanceof SpeltNumber) return `the number ${excerpt(value.spelling)}`;
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  if (typeof value === 'string') return `the string "${excerpt(unseenShown(value))}"`;
  return typeof value === 'number' ? `the number ${value}` : JSON.stringify(value);
}

/** What nobody sees may be all that is wrong: a blank at an end, a no-break space. */
function unseenShown(text: string): string {
  const escaped = (sign: string) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`;
  return text.slice(0, 4 * MAX_ECHO_LENGTH).replaceAll(/[^\S ]|\p{C}|^ | $| (?= )/gu, escaped);
}

function excerpt(text: string): string {
  return shortLine(text, MAX_ECHO_LENGTH);
}

const STRING = ['a string', '文字列'] as const;
const STATUS = [
  'the integer 0 (succeeded), 1 (error) or 2 (executing)',
  '整数0（成功）、1（エラー）、2（実行中）のいずれか',
] as const;
const DATE_TIME = [
  'an ISO 8601 date-time that exists, such as 2026-11-20T09:00:00+09:00',
  '実在するISO 8601の日時（例：2026-11-20T09:00:00+09:00）',
] as const;

/** The interface's fields. */
export const FIELDS: readonly Field[] = [
  { name: 'code', isRequired: true, what: ['an integer', '整数'], isRight: isInteger },
  { name: 'job_id', isRequired: true, what: STRING, isRight: isString },
  { name: 'bot_id', isRequired: true, what: STRING, isRight: isString },
  { name: 'bot_name', isRequired: true, what: STRING, isRight: isString },
  { name: 'status', isRequired: true, what: STATUS, isRight: isStatus },
  { name: 'start_time', isRequired: true, what: DATE_TIME, isRight: isString },
  { name: 'elapsed_time', isRequired: false, what: ['a number', '数値'], isRight: isNumber },
  { name: 'output', isRequired: false, what: ['an object', 'オブジェクト'], isRight: isJsonObject },
  { name: 'message', isRequired: false, what: STRING, isRight: isString },
];
