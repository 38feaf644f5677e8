/** The problems that answer callbacks, and the refused bodies that are kept for the operators. */
import { InvalidCallback, TooManyValues } from '../callback/callback.ts';
import { UndecodableBody } from '../callback/decode.ts';
import type { Verdict } from '../deliver/outcome.ts';
import { HttpProblem, tooLarge } from '../http/problem.ts';
import { OperationFailed, reasonOf, type StoreTrouble, troubleOf } from '../ledger/failures.ts';
import { LedgerUnavailable, type RefusedBody, type RefusedStatus } from '../ledger/ledger.ts';

/** The service retries no sooner (callback interface, "Limits"). */
const RETRY_AFTER = { 'Retry-After': '30' } as const;

/** @param members the JSON members that a 200 also has */
export function problemOf(verdict: Verdict, members: Readonly<Record<string, unknown>>): HttpProblem {
  const { status } = verdict;
  const what = status === 504 ? 'did not end in time' : 'failed';
  const detail = `Some deliveries ${what}. Post it again: only those are attempted.`;
  return new HttpProblem({ status, detail, members, headers: RETRY_AFTER });
}

/** @param cause is logged with it */
export function unavailable(detail: string, cause?: unknown): HttpProblem {
  const logged = cause === undefined ? detail : `${detail.replace(/\.$/, '')}: ${reasonOf(cause)}`;
  return new HttpProblem({ status: 503, detail, logged, headers: RETRY_AFTER }, { cause });
}

/** Answers an unforeseen error. The sender may try again, since Botbell may be mended by then. */
export class UnforeseenProblem extends HttpProblem {
  constructor(cause: unknown) {
    const detail = 'Something unforeseen went wrong; the log says what.';
    super({ status: 503, detail, headers: RETRY_AFTER }, { cause });
  }
}

/** For the sender, who is told nothing of where the store is. */
const STORE_SAYS: Readonly<Partial<Record<StoreTrouble, string>>> = {
  locked: 'The store is locked.',
  slow: 'The store did not answer in time.',
  'read-only': 'The store may only be read.',
  full: 'The store is full.',
  gone: 'The store cannot be reached.',
};

const NO_CALLBACK =
  'This is JSON, but not a callback. The playground of Botbell’s page shows what a callback leads to.';

/** The problem for an error in a body, in this process or in its store. What is logged does not quote the body. */
export function asProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof TooManyValues) return tooLarge(error.message);
  if (error instanceof UndecodableBody)
    return new HttpProblem({ status: 400, detail: error.message, logged: 'not JSON in UTF-8' });
  if (error instanceof InvalidCallback) {
    const [detail, logged] = [NO_CALLBACK, 'JSON, but not a callback'];
    return new HttpProblem({ status: 422, detail, logged, members: { errors: error.errors } });
  }
  if (error instanceof LedgerUnavailable && !(error instanceof OperationFailed))
    return unavailable(STORE_SAYS[troubleOf(error)] ?? 'The store cannot be used.', error);
  return new UnforeseenProblem(error);
}

export const REFUSED_BODY_BYTES = 64 * 1024;

/** A body that no retry can make acceptable, or (503) that Botbell itself could not handle. */
export interface Refusal extends Omit<RefusedBody, 'body'> {
  /** The first 64 KiB of the body; the last character may be cut in two. */
  readonly bytes: Uint8Array;
  /** By the monotonic clock. */
  readonly arrivedAt: number;
}

const REFUSED: ReadonlySet<number> = new Set<RefusedStatus>([400, 413, 415, 422]);

export function isRefusal(
  problem: HttpProblem,
): problem is HttpProblem & { readonly details: { readonly status: RefusedStatus } } {
  return problem instanceof UnforeseenProblem || REFUSED.has(problem.details.status);
}
