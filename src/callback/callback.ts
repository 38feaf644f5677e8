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

/** Bytes of JSON. Whatever their shape, fewer take some milliseconds, all stages together. */
const LARGE_BYTES = 32 * 1024;

export function isLargeBody({ byteLength }: Uint8Array): boolean {
  return byteLength >= LARGE_BYTES;
}

/** What stands behind the fields of a large callback: the process holds what it decides by, and the rest as JSON. */
interface Bulk {
  /** The whole callback as it came, in UTF-8. */
  readonly json: Uint8Array;
  /** Of the whole, as `identityOf` has it. */
  readonly identity: string;
}

const bulks = new WeakMap<Callback, Bulk>();

/** @param fields without what only messages show */
export function asLargeCallback(fields: Callback, bulk: Bulk): Callback {
  bulks.set(fields, bulk);
  return fields;
}

/** Undefined for a callback that is all there. */
export function bulkOf(callback: Callback): Bulk | undefined {
  return bulks.get(callback);
}

/** Nobody came to it, or whoever did failed: it may pass later. */
export class UnreadCallback extends Error {
  override readonly name = 'UnreadCallback';
}

/** RFC 8259, section 7, and surrogates, which JSON.stringify escapes where they are alone. */
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * SHA-256 of the callback's canonical JSON, 64 hexadecimal digits: keys in code unit order at every depth, a null field
 * like an absent one (an array's nulls count), without `elapsed_time`, which grows while the service retries.
 */
export function identityOf(callback: Callback): string {
  return bulkOf(callback)?.identity ?? hash('sha256', canonicalObject(callback, 'elapsed_time'), 'hex');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value as JsonObject);
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** Lone surrogates become escapes, so that texts which differ in them stay different as UTF-8. */
function quoted(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function canonicalObject(fields: JsonObject, omitted?: string): string {
  let members = '';
  for (const key of keysOf(fields).toSorted()) {
    const value = fields[key];
    if (value === null || value === undefined || key === omitted) continue;
    members += `${members === '' ? '' : ','}${quoted(key)}:${canonicalJson(value)}`;
  }
  return `{${members}}`;
}
