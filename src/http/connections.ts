/** Who is connected: how many may be, whose requests are served when, and which has been too slow for too long. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { type Evictable, Eviction, type Exchange, isReading } from './eviction.ts';
import type { ProblemDetails } from './problem.ts';
import type { SenderHead } from './sender.ts';

/** What a connection may hold unread: what one read brings, its head, and a body that is small. */
const BYTES_OF_CONNECTION = 256 * 1024;
const FEWEST_CONNECTIONS = 256;
const MOST_CONNECTIONS = 2048;

/**
 * A body that brings less than so much in a window is not coming. An ordinary callback passes in one window over any
 * link that a person would wait for; the request as a whole has its own time limit.
 */
const LEAST_BYTES_A_SECOND = 256;
const SPEED_WINDOW_MS = 5000;

/** An answer that nobody takes, with what may still be under way to a slow reader. */
const ANSWER_TAKEN_MS = 15_000;
const SLOWEST_READER_BYTES_A_SECOND = 10_000;

/**
 * Emitted on a request the rest of which is not awaited any longer, with the problem to answer (`ProblemDetails`). Where
 * nobody listens, the connection is answered and closed.
 */
export const NOT_AWAITED = 'notAwaited';

const TOO_SLOW: ProblemDetails = { status: 408, detail: 'The body came too slowly.' };

export interface ConnectionLimits {
  readonly connections: number;
  readonly speedWindowMs: number;
  readonly answerTakenMs: number;
}

/** @param heapBytes the most that the heap may grow to */
export function connectionLimits(heapBytes = getHeapStatistics().heap_size_limit): ConnectionLimits {
  const fitting = Math.floor(heapBytes / BYTES_OF_CONNECTION);
  return {
    connections: Math.min(Math.max(fitting, FEWEST_CONNECTIONS), MOST_CONNECTIONS),
    speedWindowMs: SPEED_WINDOW_MS,
    answerTakenMs: ANSWER_TAKEN_MS,
  };
}

export interface ConnectionsOptions {
  readonly limits: ConnectionLimits;
  readonly handler: Handler;
  /** The address that counts for shares, where a request tells it. */
  readonly senderOf: (head: SenderHead) => string;
  /** Answers where nobody listens, and closes the connection. */
  readonly onNotAwaited: (socket: Socket, problem: ProblemDetails) => void;
}

interface Connection extends Evictable {
  /** When bytes of it were last seen to have come, and how many by then. */
  activeAt: number;
  bytesSeen: number;
  /** The request that is watched, since when, and the bytes that the connection had brought by then. */
  watched: IncomingMessage | undefined;
  since: number;
  bytes: number;
  answer: ServerResponse | undefined;
  answeredAt: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  /** The oldest first. */
  readonly #all = new Set<Connection>();
  readonly #eviction: Eviction<Connection>;
  readonly #waiting: WaitingRequests = { count: 0 };

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#eviction = new Eviction(options.senderOf);
  }

  get count(): number {
    return this.#all.size;
  }

  /** Takes a connection in; another one, or it itself, is dropped where there are too many. */
  add(socket: Socket): void {
    const { connections } = this.#options.limits;
    if (this.#all.size >= connections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection = this.#connectionOn(socket);
    this.#all.add(connection);
    this.#eviction.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  #connectionOn(socket: Socket): Connection {
    const serving: Serving = {
      handle: (request, response) => {
        this.#eviction.countFor(connection, request);
        return this.#options.handler(request, response);
      },
      onAnswered: () => this.#eviction.reconsider(connection),
    };
    const queue = new RequestQueue(socket, serving, this.#waiting);
    const connection: Connection = { socket, queue, activeAt: performance.now(), ...UNWATCHED };
    return connection;
  }

  /** False where all are being handled. */
  #makeRoom(): boolean {
    const least = this.#eviction.next();
    if (least !== undefined) this.#drop(least);
    return least !== undefined;
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection);
    this.#eviction.delete(connection);
  }

  /** Ends what has been too slow for too long. @param now milliseconds, by a clock that nobody sets */
  sweep(now: number): void {
    for (const connection of this.#all) {
      const { bytesRead } = connection.socket;
      if (bytesRead !== connection.bytesSeen)
        Object.assign(connection, { bytesSeen: bytesRead, activeAt: now });
      if (this.#isTooSlow(connection, now)) this.#end(connection, TOO_SLOW);
      else if (this.#isUntaken(connection, now)) this.#drop(connection);
    }
    this.#eviction.reconsiderAll();
  }

  #isTooSlow(connection: Connection, now: number): boolean {
    const { request, response } = connection.queue.current ?? {};
    if (request === undefined || request.complete || response?.headersSent === true) {
      connection.watched = undefined;
      return false;
    }
    const { bytesRead } = connection.socket;
    const { speedWindowMs } = this.#options.limits;
    // What has come and is not taken is not the sender's doing.
    const isTaken = request.readableLength === 0 && connection.socket.readableLength === 0;
    const isBegin = connection.watched !== request || !isTaken;
    const elapsed = now - connection.since;
    if (!isBegin && elapsed < speedWindowMs) return false;
    const isTooSlow = !isBegin && bytesRead - connection.bytes < (elapsed / 1000) * LEAST_BYTES_A_SECOND;
    Object.assign(connection, { watched: request, since: now, bytes: bytesRead });
    return isTooSlow;
  }

  /** Has those answered whose requests have not come to their end. */
  endUnread(problem: ProblemDetails): void {
    for (const connection of this.#all) if (isReading(connection)) this.#end(connection, problem);
  }

  #end({ socket, queue: { current } }: Connection, problem: ProblemDetails): void {
    if (current?.request.emit(NOT_AWAITED, problem) !== true) this.#options.onNotAwaited(socket, problem);
  }

  #isUntaken(connection: Connection, now: number): boolean {
    const response = connection.queue.current?.response;
    if (response === undefined || !response.writableEnded || response.writableFinished) {
      connection.answer = undefined;
      return false;
    }
    if (connection.answer !== response) Object.assign(connection, { answer: response, answeredAt: now });
    const slowReaderMs = (connection.socket.writableLength / SLOWEST_READER_BYTES_A_SECOND) * 1000;
    return now - connection.answeredAt > this.#options.limits.answerTakenMs + slowReaderMs;
  }
}

const UNWATCHED = {
  bytesSeen: 0,
  watched: undefined,
  since: 0,
  bytes: 0,
  answer: undefined,
  answeredAt: 0,
};

/** Behind the one that is being served. Who reads the answers has no more under way. */
const MOST_WAITING_ON_CONNECTION = 31;

/** On all connections together: each takes some 4 kB. */
const MOST_WAITING = 1024;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

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
