/** Who is connected: how many may be, who has to go for a newcomer, and who has been too slow for too long. */
import { getHeapStatistics } from 'node:v8';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemDetails } from './problem.ts';
import { sourceOf } from './remote-address.ts';
import { type Handler, RequestQueue, type WaitingRequests } from './request-queue.ts';

/** What a connection may hold unread: what one read brings, its head, and a body that is small. */
const BYTES_OF_CONNECTION = 256 * 1024;
const FEWEST_CONNECTIONS = 256;
const MOST_CONNECTIONS = 2048;

/** A sixteenth goes at once, so that a flood of connections does not have all of them looked at for each of its own. */
const PART_TO_DROP = 16;

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
  readonly senderOf: (request: IncomingMessage) => string;
  /** Answers where nobody listens, and closes the connection. */
  readonly onNotAwaited: (socket: Socket, problem: ProblemDetails) => void;
}

/** What stands in the way of dropping a connection, least first. */
const IDLE = 0;
const ANSWERED = 1;
const READING = 2;
const BEING_HANDLED = 3;

interface Connection {
  readonly socket: Socket;
  readonly queue: RequestQueue;
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
  readonly #waiting: WaitingRequests = { count: 0 };

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#all.size;
  }

  /** Takes a connection in; another one, or it itself, is dropped where there are too many. */
  add(socket: Socket): void {
    const { limits, handler } = this.#options;
    if (this.#all.size >= limits.connections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const queue = new RequestQueue(socket, handler, this.#waiting);
    const connection = { socket, queue, activeAt: performance.now(), ...UNWATCHED };
    this.#all.add(connection);
    socket.once('close', () => this.#all.delete(connection));
  }

  /** Drops what is least needed of the source that has most. False where all are being handled. */
  #makeRoom(): boolean {
    const sources = this.#bySource().toSorted((one, other) => other.length - one.length);
    // One is left for the newcomer's.
    const share = Math.floor(this.#all.size / (sources.length + 1));
    const mostAtOnce = Math.floor(this.#all.size / PART_TO_DROP);
    for (const connections of sources) {
      const droppable = leastNeededFirst(connections);
      if (droppable.length === 0) continue;
      const most = Math.max(1, Math.min(connections.length - share, mostAtOnce));
      for (const connection of droppable.slice(0, most)) this.#drop(connection);
      return true;
    }
    return false;
  }

  #bySource(): Connection[][] {
    const sources = new Map<string, Connection[]>();
    for (const connection of this.#all) {
      const source = this.#sourceOf(connection);
      const connections = sources.get(source);
      if (connections === undefined) sources.set(source, [connection]);
      else connections.push(connection);
    }
    return [...sources.values()];
  }

  #drop(connection: Connection): void {
    this.#all.delete(connection);
    connection.socket.destroy();
  }

  #sourceOf({ socket, queue }: Connection): string {
    const request = queue.current?.request;
    return sourceOf(request === undefined ? (socket.remoteAddress ?? '') : this.#options.senderOf(request));
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
  }

  #isTooSlow(connection: Connection, now: number): boolean {
    const { request, response } = connection.queue.current ?? {};
    if (request === undefined || request.complete || response?.headersSent === true) {
      connection.watched = undefined;
      return false;
    }
    const { bytesRead } = connection.socket;
    const { speedWindowMs } = this.#options.limits;
    // What has come and is not taken is not the sender's fault.
    const isTaken = request.readableLength === 0 && !connection.socket.isPaused();
    const isBegin = connection.watched !== request || !isTaken;
    const elapsed = now - connection.since;
    if (!isBegin && elapsed < speedWindowMs) return false;
    const isTooSlow = !isBegin && bytesRead - connection.bytes < (elapsed / 1000) * LEAST_BYTES_A_SECOND;
    Object.assign(connection, { watched: request, since: now, bytes: bytesRead });
    return isTooSlow;
  }

  /** Has those answered whose requests have not come to their end. */
  endUnread(problem: ProblemDetails): void {
    for (const connection of this.#all)
      if (standingOf(connection) === READING) this.#end(connection, problem);
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

/** Without those that are being handled; of those alike, the longest silent first. */
function leastNeededFirst(connections: readonly Connection[]): Connection[] {
  return connections
    .filter((connection) => standingOf(connection) < BEING_HANDLED)
    .toSorted((one, other) => standingOf(one) - standingOf(other) || one.activeAt - other.activeAt);
}

function standingOf({ queue: { current } }: Connection): number {
  if (current === undefined || current.response.writableFinished) return IDLE;
  if (current.response.headersSent) return ANSWERED;
  return current.request.complete ? BEING_HANDLED : READING;
}
