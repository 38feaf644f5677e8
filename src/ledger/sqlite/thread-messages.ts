/** What a process and its SQLite thread say to each other. */
import type { SentError } from '../failures.ts';
import type { StoreEvent } from './space.ts';

/** The thread's `workerData`. */
export interface ThreadSettings {
  readonly path: string;
  readonly owner: string;
  readonly isReader: boolean;
  readonly maxBytes: number | undefined;
  readonly timezone?: string | undefined;
}

export type ToThread = ThreadCall | 'close';

export interface ThreadCall {
  readonly id: number;
  /** Of an operation in the registry. */
  readonly name: string;
  readonly args: readonly unknown[];
  readonly isDurable: boolean;
  /** By `sharedClockMs`: past it, it is not begun. */
  readonly until: number;
}

export type FromThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly event: StoreEvent };

/** A clock that is the same in every thread of the process, and that nobody sets. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
