/** What the receiver hands on. */
import type { CheckedCallback } from '../callback/callback.ts';

/** One POST, from the moment its body was there: how slowly the sender sends is not the answer's time. */
export interface Incoming extends CheckedCallback {
  /** The JSON that it was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly receivedAt: number;
  /** The same moment by the monotonic clock. */
  readonly arrivedAt: number;
  /** What the callback takes of memory is in use until this has settled, even if its answer is out before. */
  readonly keepUntil: (late: Promise<unknown>) => void;
}
