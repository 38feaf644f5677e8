/** A request over a pool of connections that is answered by its deadline or fails: what channels over HTTP send with. */
import type { Dispatcher } from 'undici';
import type { HttpPool } from './pool.ts';

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

interface HttpGet {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
  /** No more is read of the answer's body: what is longer ends there. By default the pool's limit, past which the call fails. */
  readonly mostBytes?: number;
}

interface HttpPost extends HttpGet {
  readonly body: string;
}

type Connections = Pick<HttpPool, 'dispatch' | 'errorOf'>;

export interface HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: string;
}

/**
 * Follows no redirect. Reads the answer to its end, so what breaks off or stalls in the body fails like what does before.
 * @throws {Error} at the deadline, whatever the pool does: `TimeoutError`, or undici's code of a connection that took too long,
 * and then nothing has been sent, and nothing will be. `ProxyError`: a proxy sent nothing on. Otherwise an error of undici's or
 * Node's.
 */
export function post(pool: Connections, request: HttpPost): Promise<HttpAnswer> {
  return exchange(pool, 'POST', request);
}

/** The same, without a body. */
export function get(pool: Connections, request: HttpGet): Promise<HttpAnswer> {
  return exchange(pool, 'GET', { ...request, body: '' });
}

function exchange(
  pool: Connections,
  method: 'GET' | 'POST',
  { path, headers, body, deadline, mostBytes = Infinity }: HttpPost,
): Promise<HttpAnswer> {
  const remainingMs = deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: HttpAnswer) => {
      const error = pool.errorOf?.(answer.status);
      if (error === undefined) resolve(answer);
      else reject(error);
    };
    const handler = new Exchange(onAnswer, reject, remainingMs, mostBytes);
    pool.dispatch({ method, path, headers: { ...headers }, body }, handler);
  });
}

/** One request and its answer, as the pool reports them. Its `request` costs a tenth of a notification's CPU more. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: HttpAnswer) => void;
  readonly #onFailure: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #late: Error | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  readonly #chunks: Buffer[] = [];
  #room: number;

  constructor(
    onAnswer: (answer: HttpAnswer) => void,
    onFailure: (error: Error) => void,
    timeoutMs: number,
    mostBytes: number,
  ) {
    this.#room = mostBytes;
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
    this.#timer = setTimeout(() => this.#giveUp(), timeoutMs);
  }

  #giveUp(): void {
    this.#late = this.#controller === undefined ? tooLate() : unanswered();
    this.#onFailure(this.#late);
    this.#controller?.abort(this.#late);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It got its connection after the deadline.
    if (this.#late !== undefined) controller.abort(this.#late);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#room -= chunk.length;
    if (this.#room >= 0) return void this.#chunks.push(chunk);
    this.onResponseEnd();
    controller.abort(new Error('The answer is longer than what is read of it'));
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#onAnswer({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#onFailure(error);
  }
}

function unanswered(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}

function tooLate(): Error {
  const error = new Error('There was no connection for the call before its deadline');
  return Object.assign(error, { code: 'UND_ERR_CONNECT_TIMEOUT' });
}
