/** The execution result a job service POSTs, as its callback interface describes it; what makes two of them the same. */
import { hash } from 'node:crypto';
import { type JsonObject, keysOf } from '../text/json-object.ts';

/** 0 = succeeded, 1 = error, 2 = executing (callback interface, "States and transitions"). */
export type StatusCode = 0 | 1 | 2;

export type StatusName = 'succeeded' | 'error' | 'executing';

const STATUS_NAMES = ['succeeded', 'error', 'executing'] as const satisfies readonly StatusName[];

export const ALL_STATUSES: readonly StatusName[] = STATUS_NAMES;

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
  return STATUS_NAMES[callback.status];
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

/** RFC 8259, section 7, and surrogates, which JSON.stringify escapes where they are alone. */
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

/** More values than `receiver.max_nodes` lets in. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/** Arrays and objects stand more than `MAX_DEPTH` levels deep in one another. */
export class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep';
}

/**
 * SHA-256 of the callback's canonical JSON, 64 hexadecimal digits: keys in code unit order at every depth, a null field
 * like an absent one (an array's nulls count), without `elapsed_time`, which grows while the service retries. The one walk
 * over all of a callback, so it counts and measures, too.
 * @param mostValues objects, lists, texts, numbers and the rest, the callback itself included; keys are none
 * @throws {TooManyValues}
 * @throws {NestedTooDeep}
 */
export function identityOf(callback: JsonObject, mostValues = Number.POSITIVE_INFINITY): string {
  return hash('sha256', new CanonicalJson(mostValues).ofCallback(callback), 'hex');
}

class CanonicalJson {
  readonly #mostValues: number;
  #values = 1;

  constructor(mostValues: number) {
    this.#mostValues = mostValues;
  }

  ofCallback(callback: JsonObject): string {
    return this.#object(callback, 1, 'elapsed_time');
  }

  #value(value: unknown, depth: number): string {
    this.#values += 1;
    if (this.#values > this.#mostValues) throw new TooManyValues();
    if (typeof value === 'string') return quoted(value);
    if (typeof value !== 'object' || value === null) return String(value);
    if (depth > MAX_DEPTH) throw new NestedTooDeep();
    if (!Array.isArray(value)) return this.#object(value as JsonObject, depth);
    return `[${value.map((item) => this.#value(item, depth + 1)).join()}]`;
  }

  #object(fields: JsonObject, depth: number, omitted?: string): string {
    let members = '';
    for (const key of keysOf(fields).toSorted()) {
      const value = fields[key];
      const written = value === undefined ? '' : this.#value(value, depth + 1);
      if (value === null || value === undefined || key === omitted) continue;
      members += `${members === '' ? '' : ','}${quoted(key)}:${written}`;
    }
    return `{${members}}`;
  }
}

/** Lone surrogates become escapes, so that texts which differ in them stay different as UTF-8. */
function quoted(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}
