/** What the service reads back: problems for whatever it should post again. */
import type { Verdict } from '../deliver/verdict.ts';
import { HttpProblem } from '../http/problem.ts';

/** The service retries no sooner (callback interface, "Limits"), and no later: a remote's pause is Botbell's to wait out. */
const RETRY_AFTER = { 'Retry-After': '30' } as const;

const DETAILS = {
  502: 'Some deliveries failed. Post it again: only those are attempted.',
  504: 'Some deliveries did not end in time. Post it again: only those are attempted.',
} as const;

/** @param members those that a 200 has as well */
export function problemOf(verdict: Verdict, members: Readonly<Record<string, unknown>>): HttpProblem {
  const status = verdict.status === 504 ? 504 : 502;
  return new HttpProblem({
    status,
    detail: DETAILS[status],
    members,
    headers: RETRY_AFTER,
  });
}

export function unavailable(detail: string, cause?: unknown): HttpProblem {
  const headers = { ...RETRY_AFTER, Connection: 'close' };
  return new HttpProblem({ status: 503, detail, headers }, { cause });
}
