/** The `fetch` that @slack/web-api is given: undici's Pool.request, a third of the CPU of the platform's fetch. */
import { EventEmitter } from 'node:events';
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
 * @param origin of the pool, with which every URL begins
 */
export function undiciFetch(pool: Pool, origin: string): FetchFunction {
  return (input, init = {}) => {
    const url = String(input);
    const [path = '', deadline] = url.slice(origin.length).split('#');
    return beforeDeadline(Number(deadline), (signal) => request(pool, { url, path }, init, signal));
  };
}

interface Target {
  readonly url: string;
  /** With the query. */
  readonly path: string;
}

async function request(
  pool: Pool,
  { url, path }: Target,
  init: FetchRequestInit,
  signal: CallSignal,
): Promise<FetchResponse> {
  const answer = await pool.request({
    method: 'POST',
    path,
    headers: init.headers ?? {},
    body: typeof init.body === 'string' ? init.body : '',
    signal,
  });
  const body = await answer.body.text();
  return responseOf(url, answer.statusCode, answer.headers, body);
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Only what the client reads. */
function responseOf(url: string, status: number, headers: Headers, body: string): FetchResponse {
  const get = (name: string) => headerOf(headers, name.toLowerCase(), status);
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url,
    headers: { get, entries: () => Object.keys(headers).map((name) => [name, get(name) ?? '']) },
    text: () => Promise.resolve(body),
    json: () => Promise.resolve(JSON.parse(body) as unknown),
    arrayBuffer: () => Promise.reject(new TypeError('binary answers are not supported')),
  };
}

function headerOf(headers: Headers, name: string, status: number): string | null {
  const value = headers[name]?.toString();
  // The client throws a plain error, its only one, at a 429 whose Retry-After is not a whole number.
  if (status === 429 && name === 'retry-after') return String(retryAfterSeconds(value, Date.now()));
  return value ?? null;
}

/** Whole seconds, at least 1, of a Retry-After header in either of its forms (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.max(1, Math.ceil(Number(text)));
  const dateMs = Date.parse(text);
  if (Number.isNaN(dateMs)) return DEFAULT_RETRY_AFTER_SECONDS;
  return Math.max(1, Math.ceil((dateMs - nowMs) / 1000));
}

/** What undici needs of an AbortSignal; a real one for each call costs more than the rest of `fetch`. */
class CallSignal extends EventEmitter {
  reason: Error | undefined;

  abort(reason: Error): void {
    this.reason = reason;
    this.emit('abort');
  }
}

/** Aborts `work` at the deadline and does not wait for it to notice: a request may be stuck before it has a socket. */
function beforeDeadline<T>(deadline: number, work: (signal: CallSignal) => Promise<T>): Promise<T> {
  const remainingMs = deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(late());
  return new Promise((resolve, reject) => {
    const signal = new CallSignal();
    const timer = setTimeout(() => {
      const reason = late();
      reject(reason);
      signal.abort(reason);
    }, remainingMs);
    void work(signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

function late(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}
