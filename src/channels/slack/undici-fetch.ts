/** The `fetch` that @slack/web-api is given: one undici pool, a fifth of the CPU of the platform's fetch. */
import type { FetchFunction } from '@slack/web-api';
import type { Dispatcher, Pool } from 'undici';
import { type AskedPause, askedPause } from '../retry-after.ts';

/** All that is asked of a pool. */
export type Dispatches = Pick<Pool, 'dispatch'>;

type FetchRequestInit = NonNullable<Parameters<FetchFunction>[1]>;
type FetchResponse = Awaited<ReturnType<FetchFunction>>;
type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** What a call takes along past the client. */
export interface Luggage {
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
  /** What `encodeFields` has made of the fields to send, beside those that the client itself does. */
  readonly fields: string;
}

/**
 * `application/x-www-form-urlencoded`. The client's own encoding goes from character to character and leaves ten times
 * the text behind as garbage.
 * @throws {URIError} a lone surrogate
 */
export function encodeFields(fields: Readonly<Record<string, string>>): string {
  let encoded = '';
  for (const name of Object.keys(fields)) {
    encoded += `${encoded === '' ? '' : '&'}${name}=${encodeURIComponent(fields[name] ?? '')}`;
  }
  return encoded;
}

/**
 * A `fetch` over one pool that reads each answer to its end: what breaks off or stalls in the body fails the call just
 * as what breaks off before it. The pool itself has no time limit, so every call must have checked luggage in.
 */
export class UndiciFetch {
  readonly #pool: Dispatches;
  readonly #origin: string;
  readonly #shorten: (body: string) => string;
  /** By ticket. */
  readonly #luggage: (Luggage | undefined)[] = [];
  readonly #freeTickets: number[] = [];

  /**
   * @param origin of the pool, with which every URL begins
   * @param shorten leaves of an answer's body what the client is to read
   */
  constructor(pool: Dispatches, origin: string, shorten: (body: string) => string) {
    this.#pool = pool;
    this.#origin = origin;
    this.#shorten = shorten;
  }

  /**
   * The method to call with a ticket for its luggage. The client hands nothing of a single call to `fetch` but its URL,
   * so the ticket is the URL's fragment, which by definition never leaves the process (RFC 3986, 3.5).
   */
  checkIn(method: string, luggage: Luggage): string {
    const ticket = this.#freeTickets.pop() ?? this.#luggage.length;
    this.#luggage[ticket] = luggage;
    return `${method}#${ticket}`;
  }

  readonly fetch: FetchFunction = (input, init = {}) => {
    const url = String(input);
    const mark = url.lastIndexOf('#');
    const luggage = this.#checkOut(Number(url.slice(mark + 1)));
    if (luggage === undefined) return Promise.reject(new TypeError('a call without luggage'));
    const path = url.slice(this.#origin.length, mark);
    return call(this.#pool, { url, path, init, luggage, shorten: this.#shorten });
  };

  #checkOut(ticket: number): Luggage | undefined {
    const luggage = this.#luggage[ticket];
    if (luggage === undefined) return undefined;
    this.#luggage[ticket] = undefined;
    this.#freeTickets.push(ticket);
    return luggage;
  }
}

interface Call {
  readonly url: string;
  /** With the query. */
  readonly path: string;
  readonly init: FetchRequestInit;
  readonly luggage: Luggage;
  readonly shorten: (body: string) => string;
}

/** Rejects at the deadline whatever the pool does: a request may be stuck before it has a socket. */
function call(pool: Dispatches, { url, path, init, luggage, shorten }: Call): Promise<FetchResponse> {
  const remainingMs = luggage.deadline - performance.now();
  if (!(remainingMs > 0)) return Promise.reject(late());
  const request = { method: 'POST', path, headers: init.headers ?? {}, body: bodyOf(init, luggage) } as const;
  return new Promise((resolve, reject) => {
    const exchange = new Exchange((answer) => resolve(responseOf(url, answer, shorten)), reject);
    exchange.endAfter(remainingMs);
    pool.dispatch(request, exchange);
  });
}

/** The client's fields and the luggage's. Percent-encoded, so ASCII. */
function bodyOf({ body: form }: FetchRequestInit, { fields }: Luggage): Buffer {
  const own = typeof form === 'string' ? form : '';
  return Buffer.from(own === '' || fields === '' ? own + fields : `${own}&${fields}`, 'latin1');
}

interface Answer {
  /** HTTP status code. */
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** One request and its answer, as the pool tells of them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: Answer) => void;
  readonly #onFailure: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #late: Error | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];

  constructor(onAnswer: (answer: Answer) => void, onFailure: (error: Error) => void) {
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
  }

  endAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#late = late();
      this.#onFailure(this.#late);
      this.#controller?.abort(this.#late);
    }, ms);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until nobody waited for it.
    if (this.#late !== undefined) controller.abort(this.#late);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    const [first] = this.#chunks;
    const whole = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const body = whole.toString('utf8');
    this.#onAnswer({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#onFailure(error);
  }
}

function late(): DOMException {
  return new DOMException('The call was not answered before its deadline', 'TimeoutError');
}

/** Only what the client reads. */
function responseOf(
  url: string,
  { status, headers, body }: Answer,
  shorten: (body: string) => string,
): FetchResponse {
  const get = (name: string) => headerOf(headers, name.toLowerCase(), status);
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url,
    headers: { get, entries: () => Object.keys(headers).map((name) => [name, get(name) ?? '']) },
    text: () => Promise.resolve(shorten(body)),
    json: () => Promise.resolve(JSON.parse(body) as unknown),
    arrayBuffer: () => Promise.reject(new TypeError('binary answers are not supported')),
  };
}

function headerOf(headers: AnswerHeaders, name: string, status: number): string | null {
  const value = headers[name]?.toString();
  // The client throws a plain error, its only one, at a 429 whose Retry-After is not a whole number; of any other answer
  // it takes the digits that a date begins with.
  if (name === 'retry-after' && (status === 429 || (status === 200 && value !== undefined)))
    return String(secondsIn(askedPause(value, Date.now())));
  return value ?? null;
}

/** What was asked for, even where less of it is obeyed: the log tells it. */
function secondsIn({ ms, overlongMs = ms }: AskedPause): number {
  return Math.ceil(overlongMs / 1000);
}
