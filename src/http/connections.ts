/** Who is connected: how many may be, which has been too slow for too long, and which has to go for a new one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { type Handler, RequestQueue } from './connection.ts';
import type { ProblemDetails } from './problem.ts';
import { type SenderHead, sourceOf } from './sender.ts';

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

/** What stands in the way of dropping a connection, least first. */
const IDLE = 0;
const ANSWERED = 1;
const READING = 2;
const BEING_HANDLED = 3;

/**
 * To find who has to go, all who may are looked at: a sixteenth of them is chosen at once, to go one after the other, so
 * that each new connection costs sixteen looks, however many there are and wherever they come from.
 */
const PART_CHOSEN = 16;

export interface ConnectionsOptions {
  readonly limits: ConnectionLimits;
  readonly handler: Handler;
  /** The address that counts for shares, where a request tells it. */
  readonly senderOf: (head: SenderHead) => string;
  /** Answers where nobody listens, and closes the connection. */
  readonly onNotAwaited: (socket: Socket, problem: ProblemDetails) => void;
}

interface Connection {
  readonly socket: Socket;
  readonly queue: RequestQueue;
  /** When bytes of it were last seen to have come, and how many by then. */
  activeAt: number;
  bytesSeen: number;
  /** The request that is to come, or the answer that is to be taken; since when, and the bytes that had come by then. */
  watched: IncomingMessage | ServerResponse | undefined;
  since: number;
  bytes: number;
  /** Of the last request that began; the request itself is not kept. */
  forwardedFor: SenderHead['headers']['x-forwarded-for'];
  /** What shares are given to; undefined until it is needed. */
  source: string | undefined;
}

/** One that may be dropped. */
interface Candidate {
  readonly connection: Connection;
  readonly source: string;
  readonly standing: number;
  /** How many its source has when its turn comes. */
  readonly ofSource: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  /** The oldest first. */
  readonly #all = new Set<Connection>();
  readonly #waiting = { count: 0 };
  /** To find the source of an address costs more than most requests may: it is done when room is to be made. */
  readonly #sourceUnknown = new Set<Connection>();
  /** How many connections each source has. */
  readonly #counts = new Map<string, number>();
  /** Without those that were found being handled, until they are answered. */
  readonly #droppable = new Set<Connection>();
  /** The last one goes first. */
  #chosen: Candidate[] = [];

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Takes a connection in; another one, or it itself, is dropped where there are too many. */
  add(socket: Socket): void {
    if (this.#all.size >= this.#options.limits.connections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection = this.#connectionOn(socket);
    for (const set of [this.#all, this.#sourceUnknown, this.#droppable]) set.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  #connectionOn(socket: Socket): Connection {
    const queue = new RequestQueue(socket, {
      handle: (request, response) => {
        this.#countFor(connection, request);
        return this.#options.handler(request, response);
      },
      onAnswered: () => {
        if (this.#all.has(connection)) this.#droppable.add(connection);
      },
      waiting: this.#waiting,
    });
    const unwatched = { watched: undefined, since: 0, bytes: 0, bytesSeen: 0, activeAt: performance.now() };
    const connection: Connection = {
      socket,
      queue,
      ...unwatched,
      forwardedFor: undefined,
      source: undefined,
    };
    return connection;
  }

  /** The connection counts for the sender of this request from now on, also when it is answered. */
  #countFor(connection: Connection, { headers }: SenderHead): void {
    const forwardedFor = headers['x-forwarded-for'];
    if (connection.forwardedFor === forwardedFor || !this.#all.has(connection)) return;
    connection.forwardedFor = forwardedFor;
    this.#attribute(connection, undefined);
    this.#sourceUnknown.add(connection);
  }

  #attribute(connection: Connection, source: string | undefined): void {
    const { source: former } = connection;
    if (former !== undefined) this.#count(former, -1);
    if (source !== undefined) this.#count(source, 1);
    connection.source = source;
  }

  #count(source: string, change: number): void {
    const count = this.#countOf(source) + change;
    if (count === 0) this.#counts.delete(source);
    else this.#counts.set(source, count);
  }

  #countOf(source: string): number {
    return this.#counts.get(source) ?? 0;
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    for (const set of [this.#all, this.#sourceUnknown, this.#droppable]) set.delete(connection);
    this.#attribute(connection, undefined);
  }

  /** Of the source that has most of them, the one that is least needed goes. @returns false where all are being handled */
  #makeRoom(): boolean {
    const leastNeeded = this.#nextChosen() ?? this.#choose();
    if (leastNeeded !== undefined) this.#drop(leastNeeded);
    return leastNeeded !== undefined;
  }

  #nextChosen(): Connection | undefined {
    for (let next = this.#chosen.pop(); next !== undefined; next = this.#chosen.pop()) {
      const { connection, source, standing, ofSource } = next;
      const isNeeded = connection.source !== source || standingOf(connection) > standing;
      if (!isNeeded && this.#countOf(source) >= ofSource) return connection;
    }
    return undefined;
  }

  #choose(): Connection | undefined {
    for (const connection of this.#sourceUnknown) {
      const headers = { 'x-forwarded-for': connection.forwardedFor };
      this.#attribute(connection, sourceOf(this.#options.senderOf({ socket: connection.socket, headers })));
    }
    this.#sourceUnknown.clear();
    const candidates = this.#candidates();
    this.#chosen = candidates
      .toSorted((one, other) => other.ofSource - one.ofSource)
      .slice(0, Math.ceil(candidates.length / PART_CHOSEN))
      .toReversed();
    return this.#chosen.pop()?.connection;
  }

  /** Of each source in the order in which they go: of those alike, the longest silent first. */
  #candidates(): Candidate[] {
    const left = new Map(this.#counts);
    return this.#standings()
      .toSorted((a, b) => a.standing - b.standing || a.connection.activeAt - b.connection.activeAt)
      .map(({ connection, standing }) => {
        const { source = '' } = connection;
        const ofSource = left.get(source) ?? 0;
        left.set(source, ofSource - 1);
        return { connection, source, standing, ofSource };
      });
  }

  #standings(): Pick<Candidate, 'connection' | 'standing'>[] {
    const standings = [];
    for (const connection of this.#droppable) {
      const standing = standingOf(connection);
      if (standing === BEING_HANDLED) this.#droppable.delete(connection);
      else standings.push({ connection, standing });
    }
    return standings;
  }

  /** Ends what has been too slow for too long. @param now milliseconds, by a clock that nobody sets */
  sweep(now: number): void {
    for (const connection of this.#all) {
      this.#droppable.add(connection);
      const { bytesRead } = connection.socket;
      if (bytesRead !== connection.bytesSeen)
        Object.assign(connection, { bytesSeen: bytesRead, activeAt: now });
      const { request, response } = connection.queue.current ?? {};
      if (request !== undefined && isReading(connection)) {
        if (this.#isTooSlow(connection, request, now)) this.#end(connection, TOO_SLOW);
      } else if (response?.writableEnded === true && !response.writableFinished) {
        if (this.#isUntaken(connection, response, now)) this.#drop(connection);
      } else connection.watched = undefined;
    }
    // Who was chosen may be needed by now, who was not may have gone silent.
    this.#chosen = [];
  }

  #isTooSlow(connection: Connection, request: IncomingMessage, now: number): boolean {
    const { bytesRead, readableLength } = connection.socket;
    // What has come and is not taken is not the sender's doing.
    const isTaken = request.readableLength === 0 && readableLength === 0;
    const elapsed = watchedMs(connection, request, now);
    if (isTaken && elapsed < this.#options.limits.speedWindowMs) return false;
    const isTooSlow = isTaken && bytesRead - connection.bytes < (elapsed / 1000) * LEAST_BYTES_A_SECOND;
    watch(connection, request, now);
    return isTooSlow;
  }

  #isUntaken(connection: Connection, response: ServerResponse, now: number): boolean {
    const slowReaderMs = (connection.socket.writableLength / SLOWEST_READER_BYTES_A_SECOND) * 1000;
    return watchedMs(connection, response, now) > this.#options.limits.answerTakenMs + slowReaderMs;
  }

  /** Has those answered whose requests have not come to their end. */
  endUnread(problem: ProblemDetails): void {
    for (const connection of this.#all) if (isReading(connection)) this.#end(connection, problem);
  }

  #end({ socket, queue: { current } }: Connection, problem: ProblemDetails): void {
    if (current?.request.emit(NOT_AWAITED, problem) !== true) this.#options.onNotAwaited(socket, problem);
  }
}

function watchedMs(connection: Connection, watched: Connection['watched'], now: number): number {
  if (connection.watched !== watched) watch(connection, watched, now);
  return now - connection.since;
}

function watch(connection: Connection, watched: Connection['watched'], now: number): void {
  Object.assign(connection, { watched, since: now, bytes: connection.socket.bytesRead });
}

function standingOf({ queue: { current } }: Connection): number {
  if (current === undefined || current.response.writableFinished) return IDLE;
  if (current.response.headersSent) return ANSWERED;
  return current.request.complete ? BEING_HANDLED : READING;
}

/** Whether a request has not come to its end, and nothing of an answer is sent. */
function isReading(connection: Connection): boolean {
  return standingOf(connection) === READING;
}
