/** The `fetch` that @slack/web-api is given: undici's Pool.request, a third of the CPU of the platform's fetch. */
import type { FetchFunction } from '@slack/web-api';
import type { Pool } from 'undici';

type FetchRequestInit = NonNullable<Parameters<FetchFunction>[1]>;
type FetchResponse = Awaited<ReturnType<FetchFunction>>;

/** Slack: rate limits: "wait 30 seconds" is what it advises where a 429 says nothing. */
export const DEFAULT_RETRY_AFTER_SECONDS = 30;

/**
 * The client hands nothing of a single call to `fetch` but its URL, so the deadline of the call travels as the URL's
 * fragment, which by definition never leaves the process (RFC 3986, 3.5).
 * @param deadline on the scale of `performance.now()`
 */
export function markDeadline(method: string, deadline: number): string {
  return `${method}#${deadline}`;
}

/**
 * A `fetch` over one pool that reads each answer to its end: what breaks off or stalls in the body fails the call just
 * as what breaks off before it. Every URL must bear a deadline, since the pool itself has no time limit.
 */
export function undiciFetch(pool: Pool): FetchFunction {
  return (input, init = {}) => {
    const url = new URL(input);
    return beforeDeadline(Number(url.hash.slice(1)), (signal) => request(pool, url, init, signal));
  };
}

async function request(
  pool: Pool,
  url: URL,
  init: FetchRequestInit,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const answer = await pool.request({
    method: 'POST',
    path: url.pathname + url.search,
    headers: init.headers ?? {},
    body: typeof init.body === 'string' ? init.body : '',
    signal,
  });
  const body = await answer.body.text();
  return responseOf(url, answer.statusCode, headersOf(answer.headers, answer.statusCode), body);
}

/** Only what the client reads. */
function responseOf(url: URL, status: number, headers: Map<string, string>, body: string): FetchResponse {
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: url.href,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null, entries: () => headers.entries() },
    text: () => Promise.resolve(body),
    json: () => Promise.resolve(JSON.parse(body) as unknown),
    arrayBuffer: () => Promise.reject(new TypeError('binary answers are not supported')),
  };
}

function headersOf(raw: Record<string, string | string[] | undefined>, status: number): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  // The client throws a plain error, its only one, at a 429 whose Retry-After is not a whole number.
  if (status === 429)
    headers.set('retry-after', String(retryAfterSeconds(headers.get('retry-after'), Date.now())));
  return headers;
}

/** Whole seconds, at least 1, of a Retry-After header in either of its forms (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.max(1, Math.ceil(Number(text)));
  const dateMs = Date.parse(text);
  if (Number.isNaN(dateMs)) return DEFAULT_RETRY_AFTER_SECONDS;
  return Math.max(1, Math.ceil((dateMs - nowMs) / 1000));
}

/** Aborts `work` at the deadline and does not wait for it to notice: a request may be stuck before it has a socket. */
async function beforeDeadline<T>(deadline: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = new DOMException('The call was not answered before its deadline', 'TimeoutError');
  const remainingMs = deadline - performance.now();
  if (!(remainingMs > 0)) throw late;
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late);
      controller.abort(late);
    }, remainingMs);
  });
  try {
    return await Promise.race([work(controller.signal), expiry]);
  } finally {
    clearTimeout(timer);
  }
}
