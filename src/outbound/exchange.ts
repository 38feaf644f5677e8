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
export function exchange(pool: ExchangePool, request: HttpRequest): Promise<HttpAnswer> {
  const remainingMs = request.deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    new Exchange(pool, request, resolve, reject).start(remainingMs);
  });
}

type ExchangePool = Pick<HttpPool, 'dispatch' | 'errorOf' | 'awaited'>;

/** Skips a byte order mark, with which a server's files may begin. */
const UTF_8 = new TextDecoder();

/** One request and its answer, as undici's handler of it: an object for each exchange costs less than a closure for each event. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #pool: ExchangePool;
  readonly #request: HttpRequest;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Set once the request is written. */
  #controller: Dispatcher.DispatchController | undefined;
  #late: Error | undefined;
  #isRepeated = false;
  #head: Omit<HttpAnswer, 'body'> | undefined;
  #room: number;
  readonly #chunks: Buffer[] = [];

  constructor(
    pool: ExchangePool,
    request: HttpRequest,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.#pool = pool;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#room = request.mostBytes ?? Infinity;
  }

  start(withinMs: number): void {
    this.#timer = setTimeout(pastDeadline, withinMs, this);
    this.#dispatch();
  }

  pastDeadline(): void {
    if (this.#controller === undefined || this.#request.onWritten === undefined) this.giveUp();
    else this.#timer = setTimeout(giveUp, LATE_ANSWER_MS, this);
  }

  giveUp(): void {
    this.#late = this.#controller === undefined ? tooLate(this.#pool.awaited?.()) : unanswered();
    this.#fail(this.#late);
    this.#controller?.abort(this.#late);
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // The connection came after the deadline.
    if (this.#late !== undefined) return started.abort(this.#late);
    // The request is handed to the socket as a whole, in this turn.
    if (this.#request.onWritten?.() === false) return started.abort(tooLate());
    this.#controller = started;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpAnswer['headers'],
  ): void {
    // Informational answers (1xx) come before the final one.
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#room -= chunk.length;
    if (this.#room >= 0) return void this.#chunks.push(chunk);
    this.#end(true);
    controller.abort(new Error('The answer is longer than what is read of it'));
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // When a kept connection breaks, undici also fails the requests that wait for it; it takes new ones once this event is over.
    if (this.#controller === undefined && !this.#isRepeated && Reflect.get(error, 'code') === 'ECONNRESET') {
      this.#isRepeated = true;
      return queueMicrotask(() => this.#dispatch());
    }
    this.#fail(this.#controller === undefined ? new NothingSent(error) : new Unanswered(error));
  }

  #dispatch(): void {
    const { method = 'POST', path, headers, body = '' } = this.#request;
    this.#pool.dispatch({ method, path, headers, body }, this);
  }

  /** Rejects, unless the answer has begun: that is cut there. */
  #fail(error: Error): void {
    if (this.#head !== undefined) this.#end(true);
    clearTimeout(this.#timer);
    this.#reject(error);
  }

  #end(isCut: boolean): void {
    clearTimeout(this.#timer);
    const { status = 0, headers = {} } = this.#head ?? {};
    const error = this.#pool.errorOf?.(status);
    if (error !== undefined) this.#reject(error);
    else this.#resolve({ status, headers, body: UTF_8.decode(Buffer.concat(this.#chunks)), isCut });
  }
}

const pastDeadline = (exchanged: Exchange) => exchanged.pastDeadline();
const giveUp = (exchanged: Exchange) => exchanged.giveUp();

function unanswered(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}

function tooLate(awaited?: Proxy): Error {
  const late = new Error('There was no connection for the call before its deadline');
  const error = Object.assign(late, { code: 'UND_ERR_CONNECT_TIMEOUT' });
  return awaited === undefined ? error : new ProxyError(awaited, { cause: error });
}
