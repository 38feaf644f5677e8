/** Sends one HTTP request over a pool; it is answered in time or fails. Channels over HTTP send with it. */
import type { Dispatcher } from 'undici';
import type { HttpPool } from './pool.ts';
import { type Proxies, type Proxy, ProxyError, proxyFor } from './proxy.ts';

/**
 * Loads the HTTP client; a channel calls this when it opens. Node does not load a module again whose first load has failed, as where an upgrade
 * has replaced its file, or the process may open no further one.
 */
export const loadHttp = () => import('./pool.ts');

/** Opens a pool to one origin, such as `https://slack.com`; the caller destroys it. */
export type OpenPool = (origin: string) => Promise<HttpPool>;

export function poolsThrough(proxies: Proxies): OpenPool {
  return async (origin) => (await loadHttp()).openPool(origin, proxyFor(origin, proxies));
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadline: number;
  /** The most bytes of the answer's body, which is cut there. By default the pool's limit, past which the call fails. */
  readonly mostBytes?: number;
  /** Called when the request is to be written, which it is not on `false`. If given, the call then waits for the whole answer up to a minute past the deadline. */
  readonly onWritten?: (() => unknown) | undefined;
}

/** How long past its deadline a call waits for its answer, in milliseconds. */
const LATE_ANSWER_MS = 60_000;

export interface HttpAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];
  readonly body: string;
  /** The body was longer than `mostBytes`, broke off, or had not ended when the wait for it was over. */
  readonly isCut?: boolean;
}

/** The call failed before anything of the message was sent; `cause` has the reason. */
export class NothingSent extends Error {
  override readonly name = 'NothingSent';

  constructor(cause: unknown) {
    super('Nothing of the message was sent', { cause });
  }
}

/** The call failed after its request was sent, before an answer; `cause` has the reason. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(cause: unknown) {
    super('The request was sent, and its answer did not come', { cause });
  }
}

/**
 * Uses `dispatch`, since undici's `request` costs a tenth of a notification's CPU more. Follows no redirect. Cuts a body where it
 * breaks off or stalls. If a kept connection is reset before anything was written on it, tries another one, once.
 * @throws {Error} at the deadline `TimeoutError`, or `UND_ERR_CONNECT_TIMEOUT` when there was no connection: then nothing was sent
 * and nothing will be. `NothingSent`: the connection failed before that. `ProxyError`: the proxy made no connection and forwarded
 * nothing. `Unanswered`: what went wrong afterwards.
 */
export function exchange(
  pool: Pick<HttpPool, 'dispatch' | 'errorOf' | 'awaited'>,
  { method = 'POST', path, headers, body = '', deadline, mostBytes = Infinity, onWritten }: HttpRequest,
): Promise<HttpAnswer> {
  const remainingMs = deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let late: Error | undefined;
    const giveUp = () => {
      late = controller === undefined ? tooLate(pool.awaited?.()) : unanswered();
      answered.cut();
      reject(late);
      controller?.abort(late);
    };
    let timer = setTimeout(() => {
      if (controller === undefined || onWritten === undefined) return giveUp();
      timer = setTimeout(giveUp, LATE_ANSWER_MS);
    }, remainingMs);
    const answered = answerReader(mostBytes, (answer) => {
      clearTimeout(timer);
      const error = pool.errorOf?.(answer.status);
      if (error === undefined) resolve(answer);
      else reject(error);
    });
    const start = (isRepeated: boolean): unknown =>
      pool.dispatch(
        { method, path, headers, body },
        {
          onRequestStart: (started) => {
            // The connection came after the deadline.
            if (late !== undefined) return started.abort(late);
            // The request is handed to the socket as a whole, in this turn.
            if (onWritten?.() === false) return started.abort(tooLate());
            controller = started;
          },
          onResponseError: (_controller, error) => {
            // When a kept connection breaks, undici also fails the requests that wait for it; it takes new ones once this event is over.
            if (controller === undefined && !isRepeated && Reflect.get(error, 'code') === 'ECONNRESET')
              return queueMicrotask(() => start(true));
            clearTimeout(timer);
            answered.cut();
            reject(controller === undefined ? new NothingSent(error) : new Unanswered(error));
          },
          ...answered.handler,
        },
      );
    start(false);
  });
}

/** Skips a byte order mark, with which a server's files may begin. */
const UTF_8 = new TextDecoder();

/** Reads an answer up to `mostBytes` of its body. */
function answerReader(mostBytes: number, onEnd: (answer: HttpAnswer) => void) {
  let head: Omit<HttpAnswer, 'body'> | undefined;
  let room = mostBytes;
  const chunks: Buffer[] = [];
  const end = (isCut: boolean) =>
    onEnd({ body: UTF_8.decode(Buffer.concat(chunks)), isCut, status: 0, headers: {}, ...head });
  const handler = {
    onResponseStart: (_controller, status, headers) => {
      // Informational answers (1xx) come before the final one.
      if (status >= 200) head = { status, headers };
    },
    onResponseData: (controller, chunk) => {
      room -= chunk.length;
      if (room >= 0) return void chunks.push(chunk);
      end(true);
      controller.abort(new Error('The answer is longer than what is read of it'));
    },
    onResponseEnd: () => end(false),
  } satisfies Dispatcher.DispatchHandler;
  return { handler, cut: () => (head === undefined ? undefined : end(true)) };
}

function unanswered(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}

function tooLate(awaited?: Proxy): Error {
  const late = new Error('There was no connection for the call before its deadline');
  const error = Object.assign(late, { code: 'UND_ERR_CONNECT_TIMEOUT' });
  return awaited === undefined ? error : new ProxyError(awaited, { cause: error });
}
