/** A callback as the callback interface describes it, and its identity. */
import { hash } from 'node:crypto';
import { isContainer, type JsonObject, keysOf, plainNumber, SpeltNumber } from '../text/json.ts';

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

/** The callback with what it is named by: the rest may take megabytes. */
export function namesOf({ code, job_id, bot_id, bot_name, status, start_time }: Callback): Callback {
  return { code, job_id, bot_id, bot_name, status, start_time };
}

export function statusNameOf(callback: Pick<Callback, 'status'>): StatusName {
  return ALL_STATUSES[callback.status];
}

/** Whether it is a JSON number without a fraction (`1.0` and `1e2` have none), whatever JavaScript would round. */
export function isInteger(value: unknown): boolean {
  if (!(value instanceof SpeltNumber)) return Number.isInteger(value);
  return /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/.test(value.spelling) && Number.isFinite(value.valueOf());
}

/** How many seconds the run took; undefined: not given, or no duration, as a negative number and `1e400` (infinite). */
export function elapsedSecondsOf({ elapsed_time }: Pick<Callback, 'elapsed_time'>): number | undefined {
  const seconds = plainNumber(elapsed_time);
  return typeof seconds === 'number' && seconds >= 0 && seconds < Infinity ? seconds : undefined;
}

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

/** The interface's fields, sorted, but `elapsed_time`, which grows while the service retries. */
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
