/** Serves the requests of one connection one after the other, however many are sent at once, within bounds. */
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HeldConnection } from './crumbs.ts';

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
  /** Whether the connection was ended for what was asked of it: what else has come is not worth parsing. */
  isOver = false;
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
    if (this.isOver) return;
    if (this.current === undefined) this.#serve(exchange);
    else if (this.#mayWait(exchange)) this.#wait(exchange);
    else this.#end();
  }

  #serve(exchange: Exchange): void {
    this.current = exchange;
    exchange.response.once('close', () => this.#goOnAfter(exchange));
    if (isChunked(exchange)) this.#holdRest(exchange);
    void this.#serving.handle(exchange.request, exchange.response);
  }

  /** Whoever wants the body, or drops it, reads on. What nobody asks for, Node drops by itself, and at full speed. */
  #holdRest({ request }: Exchange): void {
    HeldConnection.of(this.#socket).hold();
    request.read(0);
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

  #mayWait(exchange: Exchange): boolean {
    if (isChunked(exchange)) return false;
    return this.#waiting.length < MOST_WAITING_ON_CONNECTION && this.#all.count < MOST_WAITING;
  }

  #wait(exchange: Exchange): void {
    this.#waiting.push(exchange);
    this.#all.count += 1;
  }

  #end(): void {
    this.isOver = true;
    this.#dropWaiting();
    this.#socket.destroy();
  }

  #dropWaiting(): void {
    this.#all.count -= this.#waiting.length;
    this.#waiting = [];
  }
}

/** A body in chunks may come in millions of them, and Node keeps each until it is read. */
function isChunked({ request }: Exchange): boolean {
  return request.headers['transfer-encoding'] !== undefined;
}

/** To Node's parser, a request for another protocol: there it stops. */
class StoppingRequest extends IncomingMessage {
  get upgrade(): boolean {
    return true;
  }

  /** What the head says of it. */
  set upgrade(_wantsUpgrade: boolean) {
    // It changes nothing.
  }
}

/**
 * What the server makes of a head that it has read. Of one read, Node parses thousands of requests, even where the
 * connection was ended at the first of them, and keeps them all until it is closed: so the next request of a connection
 * that is over stops it.
 */
export const StoppableRequest = requestOn as unknown as typeof IncomingMessage;

function requestOn(socket: Socket): IncomingMessage {
  const isOver = RequestQueue.of(socket)?.isOver === true;
  return isOver ? new StoppingRequest(socket) : new IncomingMessage(socket);
}
