/** A request over a pool of connections that is answered by its deadline or fails: what channels over HTTP send with. */
import type { Dispatcher } from 'undici';
import type { HttpPool } from './pool.ts';
import { type Proxies, proxyFor } from './proxy.ts';

/**
 * Opens connections to one origin, such as `https://slack.com`, for whoever then destroys them. Loads the HTTP client, which a
 * config without such channels need not.
 */
export type OpenPool = (origin: string) => Promise<HttpPool>;

export function poolsThrough(proxies: Proxies): OpenPool {
  return async (origin) => (await import('./pool.ts')).openPool(origin, proxyFor(origin, proxies));
}

export interface HttpRequest {
  /** POST unless said otherwise. */
  readonly method?: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
  /** No more is read of the answer's body: what is longer ends there. By default the pool's limit, past which the call fails. */
  readonly mostBytes?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];
  readonly body: string;
}

/**
 * As the pool reports the request and its answer to us: its own `request` costs a tenth of a notification's CPU more. Follows no
 * redirect. Reads the answer to its end, so what breaks off or stalls in the body fails like what does before.
 * @throws {Error} at the deadline, whatever the pool does: `TimeoutError`, or undici's code of a connection that took too long,
 * and then nothing has been sent, and nothing will be. `ProxyError`: a proxy sent nothing on. Otherwise an error of undici's or
 * Node's.
 */
export function exchange(
  pool: Pick<HttpPool, 'dispatch' | 'errorOf'>,
  { method = 'POST', path, headers, body = '', deadline, mostBytes = Infinity }: HttpRequest,
): Promise<HttpAnswer> {
  const remainingMs = deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let late: Error | undefined;
    let answer: Omit<HttpAnswer, 'body'> = { status: 0, headers: {} };
    let room = mostBytes;
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      late = controller === undefined ? tooLate() : unanswered();
      reject(late);
      controller?.abort(late);
    }, remainingMs);
    const end = () => {
      clearTimeout(timer);
      const error = pool.errorOf?.(answer.status);
      if (error === undefined) resolve({ ...answer, body: Buffer.concat(chunks).toString('utf8') });
      else reject(error);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        // It got its connection after the deadline.
        if (late !== undefined) started.abort(late);
      },
      onResponseStart: (_controller, status, ofAnswer) => {
        answer = { status, headers: ofAnswer };
      },
      onResponseData: (_controller, chunk) => {
        room -= chunk.length;
        if (room >= 0) return void chunks.push(chunk);
        end();
        controller?.abort(new Error('The answer is longer than what is read of it'));
      },
      onResponseEnd: end,
      onResponseError: (_controller, error) => {
        clearTimeout(timer);
        reject(error);
      },
    };
    pool.dispatch({ method, path, headers: { ...headers }, body }, handler);
  });
}

function unanswered(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}

function tooLate(): Error {
  const error = new Error('There was no connection for the call before its deadline');
  return Object.assign(error, { code: 'UND_ERR_CONNECT_TIMEOUT' });
}
