/** Bodies that no retry can make acceptable: why, and what is kept of them. */
import { UndecodableBody } from '../callback/decode.ts';
import { InvalidCallback } from '../callback/callback.ts';
import { HttpProblem } from '../http/problem.ts';
import { REFUSED_BODY_BYTES, type RefusedStatus } from '../ledger/ledger.ts';

/** A body that no retry can make acceptable. */
export interface Refusal {
  readonly status: RefusedStatus;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly from: string;
  /** What is kept of it: the first 64 KiB, the last character perhaps cut in two. */
  readonly bytes: Uint8Array;
  readonly receivedAt: number;
  /** The same moment by the monotonic clock. */
  readonly arrivedAt: number;
}

/** What the log says of a refused body: nothing of what stands in it. */
const REFUSED = { 400: 'not JSON in UTF-8', 422: 'JSON, but not a callback' } as const;

type Reason = Pick<Refusal, 'status' | 'detail' | 'errors'> & { readonly logged: string };

/** @throws whatever is not a problem of the body */
export function refusalOf(error: unknown): Reason {
  if (error instanceof UndecodableBody)
    return { status: 400, detail: error.message, errors: [], logged: REFUSED[400] };
  if (error instanceof InvalidCallback) {
    const detail = 'This is JSON, but not a callback.';
    return { status: 422, detail, errors: error.errors, logged: REFUSED[422] };
  }
  if (error instanceof HttpProblem && error.details.status === 413) {
    const { detail } = error.details;
    return { status: 413, detail, errors: [], logged: detail };
  }
  throw error;
}

export function beginning(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, REFUSED_BODY_BYTES);
}
