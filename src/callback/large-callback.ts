/** Callbacks too large to be read where everybody else waits: the process holds what it decides by, and the rest as JSON. */
import type { Callback } from './callback.ts';

/** Bytes of JSON. Whatever their shape, fewer take some milliseconds, all stages together. */
const LARGE_BYTES = 32 * 1024;

export function isLargeBody({ byteLength }: Uint8Array): boolean {
  return byteLength >= LARGE_BYTES;
}

/** What stands behind the fields of a large callback. */
export interface Bulk {
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
