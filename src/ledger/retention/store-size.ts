/** How large a store is, and how much larger a callback makes it. */

/** Bytes that a store takes. */
export interface StoreSize {
  readonly used: number;
  /** Written, and not yet in its place. */
  readonly log: number;
}

export type StoreEvent =
  /** Callbacks were forgotten before their time. */
  | { readonly what: 'forgotten_early'; readonly count: number }
  /** Nothing that is done is left to be forgotten. */
  | { readonly what: 'full' }
  | { readonly what: 'has_room' };

/** A log that grows beyond is kept by somebody who reads it: nothing that could be forgotten makes it smaller. */
const ORDINARY_LOG_BYTES = 16 * 1024 * 1024;

/** A callback's short columns, its rows in other tables and indexes. */
const BYTES_PER_CALLBACK = 2048;
const BYTES_PER_DELIVERY = 512;

/**
 * The most that a callback adds: to the log first, and then to the file.
 * @param textBytes of its body as it is stored, and of its long columns
 */
export function bytesAdded(textBytes: number, deliveries: number): number {
  return 2 * (textBytes + BYTES_PER_CALLBACK + deliveries * BYTES_PER_DELIVERY);
}

/** What forgetting can do something about. */
export function curableBytes({ used, log }: StoreSize): number {
  return used + Math.min(log, ORDINARY_LOG_BYTES);
}
