/** What is refused by a request's head alone, on whatever path. */
import type { IncomingMessage } from 'node:http';
import type { ProblemDetails } from './problem.ts';

/** Node's own limit is on all of them together (16 KiB); an ordinary request has ten. */
export const MOST_HEADERS = 200;

const CODINGS: ReadonlySet<string | undefined> = new Set([undefined, 'chunked']);

/** What is wrong with a request's head; undefined: nothing. */
export function problemOfHead({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): ProblemDetails | undefined {
  // Names and values by turns.
  if (rawHeaders.length > 2 * MOST_HEADERS) return TOO_MANY;
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER) return TOO_LONG;
  // Node unpacks nothing but chunks, and takes what another coding has made of it for the body.
  if (!CODINGS.has(headers['transfer-encoding']?.trim().toLowerCase())) return UNKNOWN_CODING;
  if (headers.host === undefined && httpVersion === '1.1') return NO_HOST;
  // Node keeps the first one, a proxy perhaps the last: who is meant must not depend on who reads it (RFC 9112, 3.2).
  return hasSecondHost(rawHeaders) ? TWO_HOSTS : undefined;
}

function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

const TOO_MANY: ProblemDetails = {
  status: 431,
  detail: `The request has more than ${MOST_HEADERS} headers.`,
};
const TOO_LONG: ProblemDetails = { status: 400, detail: 'The Content-Length is beyond 2^53.' };
const UNKNOWN_CODING: ProblemDetails = { status: 400, detail: 'The only Transfer-Encoding is chunked.' };
const NO_HOST: ProblemDetails = { status: 400, detail: 'The request has no Host header.' };
const TWO_HOSTS: ProblemDetails = { status: 400, detail: 'The request has more than one Host header.' };
