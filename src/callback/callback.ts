/** The execution result a job service POSTs, as its callback interface describes it; what makes two of them the same. */
import { hash } from 'node:crypto';
import { isContainer, type JsonObject, keysOf } from '../text/json-object.ts';

/** 0 = succeeded, 1 = error, 2 = executing (callback interface, "States and transitions"). */
export type StatusCode = 0 | 1 | 2;

/** By their codes. */
export const ALL_STATUSES = ['succeeded', 'error', 'executing'] as const;

export type StatusName = (typeof ALL_STATUSES)[number];

/** One checked callback: exactly what arrived, unknown fields included. `null` stands for absent in optional fields. */
export interface Callback {
  readonly code: number;
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly status: StatusCode;
  /** ISO 8601 calendar date-time; without an offset it is read in the display's timezone. */
  readonly start_time: string;
  /** Seconds. */
  readonly elapsed_time?: number | null;
  readonly output?: Readonly<Record<string, unknown>> | null;
  readonly message?: string | null;
  readonly [unknownField: string]: unknown;
}

/** What passed the check, and what it found on the way. */
export interface CheckedCallback {
  readonly callback: Callback;
  /** What `start_time` says, in milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface IdentifiedCallback extends CheckedCallback {
  /** As `identityOf` has it: retries of one callback have the same. */
  readonly identity: string;
}

export function statusNameOf(callback: Pick<Callback, 'status'>): StatusName {
  return ALL_STATUSES[callback.status];
}

/** Levels of arrays and objects in one another, the callback itself being the first. */
export const MAX_DEPTH = 64;

/** One thing wrong, at a JSON pointer (RFC 6901); a missing field by the pointer it would have. */
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

/** More values than `receiver.max_nodes` lets in. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/** SHA-256 of what tells the callback from others, 64 hexadecimal digits: retries of one callback have the same. */
export function identityOf(callback: JsonObject): string {
  return walk(callback).identity;
}

/**
 * The one walk over all of a callback. Its identity is made of everything but `elapsed_time`, which grows while the service
 * retries, whatever the order of an object's keys; a null field counts like an absent one, a null in a list does not.
 * @param mostValues objects, lists, texts, numbers and the rest, the callback itself included; keys are none
 * @returns also the names of the fields in which arrays and objects stand more than `MAX_DEPTH` levels deep in one another
 * @throws {TooManyValues}
 */
export function walk(callback: JsonObject, mostValues = Infinity) {
  // A flat list, which V8 writes as JSON many times faster than anybody could write the callback with sorted keys. Null
  // stands before null, before a list's length, before -1 where an object begins, and where its members end.
  const flat: unknown[] = [];
  // One is the callback itself.
  let room = mostValues - 1;

  const count = (): void => {
    room -= 1;
    if (room < 0) throw new TooManyValues();
  };

  /** @returns whether it nests no deeper than it may */
  const add = (value: unknown, depth: number): boolean => {
    count();
    if (!isContainer(value)) {
      if (value === null) flat.push(null);
      flat.push(value);
      return true;
    }
    if (depth > MAX_DEPTH) return false;
    let isWithin = true;
    if (Array.isArray(value)) {
      flat.push(null, value.length);
      for (const each of value) isWithin = add(each, depth + 1) && isWithin;
    } else {
      flat.push(null, -1);
      for (const key of keysOf(value).toSorted())
        isWithin = addMember(key, value[key], depth + 1) && isWithin;
      flat.push(null);
    }
    return isWithin;
  };

  const addMember = (key: string, value: unknown, depth: number): boolean => {
    if (value !== null && value !== undefined) {
      flat.push(key);
      return add(value, depth);
    }
    count();
    return true;
  };

  const tooDeep = keysOf(callback)
    .toSorted()
    .filter((key) => key !== 'elapsed_time' && !addMember(key, callback[key], 2));
  return { identity: hash('sha256', JSON.stringify(flat), 'hex'), tooDeep };
}
