/** Serves the requests of one connection one after the other, however many are sent at once, within bounds. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Behind the one that is being served. Who reads the answers has no more under way. */
const MOST_WAITING_ON_CONNECTION = 31;

/** On all connections together: each takes some 4 kB. */
const MOST_WAITING = 1024;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Serving {
  readonly handle: Handler;
  /** The answer is out, or its reader is gone. */
  readonly onAnswered: () => void;
}

/** How many requests wait on all connections. */
export interface WaitingRequests {
  count: number;
}

const QUEUE = Symbol('request queue');

interface QueuedConnection extends Socket {
  [QUEUE]?: RequestQueue;
}

/** The requests of one connection. An answer that nobody reads keeps the next one from being made. */
export class RequestQueue {
  /** The one that is served. None is kept past its answer, or each collection of garbage would find them all alive. */
  current: Exchange | undefined;
  readonly #socket: Socket;
  readonly #serving: Serving;
  readonly #all: WaitingRequests;
  #waiting: Exchange[] = [];

  constructor(socket: Socket, serving: Serving, all: WaitingRequests) {
    this.#socket = socket;
    this.#serving = serving;
    this.#all = all;
    (socket as QueuedConnection)[QUEUE] = this;
    socket.once('close', () => this.#dropWaiting());
  }

  static of(socket: Socket): RequestQueue | undefined {
    return (socket as QueuedConnection)[QUEUE];
  }

  /** Serves the request, now or in its turn; ends a connection that asks for more than may wait. */
  take(exchange: Exchange): void {
    // The step that it ended in is still parsed.
    if (this.#socket.destroyed) return;
    if (this.current === undefined) this.#serve(exchange);
    else if (this.#mayWait) this.#wait(exchange);
    else this.#end();
  }

  #serve(exchange: Exchange): void {
    this.current = exchange;
    exchange.response.once('close', () => this.#goOnAfter(exchange));
    // What nobody asks for, Node drops by itself, and counts no pieces.
    if (isChunked(exchange)) exchange.request.read(0);
    void this.#serving.handle(exchange.request, exchange.response);
  }

  #goOnAfter(answered: Exchange): void {
    if (isChunked(answered) && !answered.request.complete) this.#socket.destroySoon();
    this.current = undefined;
    this.#serving.onAnswered();
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#all.count -= 1;
    this.#serve(next);
  }

  get #mayWait(): boolean {
    return this.#waiting.length < MOST_WAITING_ON_CONNECTION && this.#all.count < MOST_WAITING;
  }

  #wait(exchange: Exchange): void {
    this.#waiting.push(exchange);
    this.#all.count += 1;
  }

  #end(): void {
    this.#dropWaiting();
    this.#socket.destroy();
  }

  #dropWaiting(): void {
    this.#all.count -= this.#waiting.length;
    this.#waiting = [];
  }
}

function isChunked({ request }: Exchange): boolean {
  return request.headers['transfer-encoding'] !== undefined;
}
