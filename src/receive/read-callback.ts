/** Makes a callback of a body: here, or, where it is large, where nobody waits for that. */
import { type CheckedCallback, isLargeBody } from '../callback/callback.ts';
import { decodeBody } from '../callback/decode.ts';
import type { Incoming } from '../deliver/incoming.ts';
import type { Clock } from '../time/clock.ts';

export type ReadCallback = Pick<Incoming, 'callback' | 'startedAt' | 'body'>;

/**
 * @param deadline by the monotonic clock
 * @throws {UndecodableBody}
 * @throws {InvalidCallback}
 * @throws {UnreadCallback} there was no time for it
 */
export type CallbackReader = (bytes: Uint8Array, deadline: number) => ReadCallback | Promise<ReadCallback>;

export interface CallbackReaderParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** @throws {InvalidCallback} */
  readonly check: (value: unknown) => CheckedCallback;
  readonly readLarge: (bytes: Uint8Array, withinMs: number) => Promise<ReadCallback>;
}

export function createCallbackReader({ clock, check, readLarge }: CallbackReaderParts): CallbackReader {
  return (bytes, deadline) => {
    if (isLargeBody(bytes)) return readLarge(bytes, deadline - clock.monotonic());
    const { value, json } = decodeBody(bytes);
    return { ...check(value), body: json };
  };
}
