/**
 * What one connection brings: read in small steps, its requests served one at a time.
 *
 * By itself Node's parser would take all of a read, 64 kB: of chunks of one byte these are 11,000 objects and 30 to 50 ms
 * for which everybody else waits. Bodies in such small pieces are read in turns, each turn being one step.
 */
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Holds an ordinary callback, head and body. */
const STEP_BYTES = 4096;

/** In one step; they have 64 bytes each, with what stands between them. */
const MOST_PIECES = 64;

const READER = Symbol('connection reader');
const QUEUE = Symbol('request queue');

interface HttpSocket extends Socket {
  [READER]?: ConnectionReader;
  [QUEUE]?: RequestQueue;
}

/** Calls `goOn` when it is the turn of the request's sender; what it returns gives the turn up. */
export type WaitForTurn = (request: IncomingMessage, goOn: () => void) => () => void;

export class ConnectionReader {
  readonly #socket: Socket;
  readonly #waitForTurn: WaitForTurn;
  /** Pieces of bodies in this step, and the request that the last one belongs to. */
  #pieces = 0;
  #piecesOf: IncomingMessage | undefined;
  #isReading = false;
  /** By Node: enough of a request, or of answers, waits to be taken. */
  #isPaused = false;
  /** While it waits for its turn: what gives that up. */
  #leaveTurns: (() => void) | undefined;

  private constructor(socket: Socket, waitForTurn: WaitForTurn) {
    this.#socket = socket;
    this.#waitForTurn = waitForTurn;
  }

  /**
   * Reads the connection from now on. With a listener on `readable` it is nobody else that reads; a read hands its bytes
   * to those who listen on `data`, Node's parser (Node's documentation of `readable.read()`).
   */
  static start(socket: HttpSocket, waitForTurn: WaitForTurn): void {
    const reader = new ConnectionReader(socket, waitForTurn);
    socket[READER] = reader;
    reader.#heedPauses();
    socket.on('readable', reader.#readOn).on('resume', reader.#readOn);
    socket.once('close', () => reader.#leaveTurns?.());
  }

  static of(socket: HttpSocket): ConnectionReader | undefined {
    return socket[READER];
  }

  /** Node's parser has come to a piece of the request's body. */
  countPiece(request: IncomingMessage): void {
    this.#pieces += 1;
    this.#piecesOf = request;
  }

  /** What still comes is read, and nobody gets it. */
  drop(): void {
    this.#isPaused = false;
    this.#socket.removeAllListeners('data');
    this.#readOn();
  }

  /** Of a connection with a listener on `readable`, neither event nor state tells that it was paused. */
  #heedPauses(): void {
    const socket = this.#socket;
    const [pause, resume] = [socket.pause.bind(socket), socket.resume.bind(socket)];
    socket.pause = () => {
      this.#isPaused = true;
      return pause();
    };
    socket.resume = () => {
      this.#isPaused = false;
      return resume();
    };
  }

  readonly #readOn = (): void => {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#mayRead && this.#readStep());
    this.#isReading = false;
  };

  get #mayRead(): boolean {
    return !this.#isPaused && this.#leaveTurns === undefined && !this.#socket.destroyed;
  }

  /** @returns whether there was something */
  #readStep(): boolean {
    this.#pieces = 0;
    const { readableLength } = this.#socket;
    const bytes: unknown = this.#socket.read(readableLength > STEP_BYTES ? STEP_BYTES : undefined);
    if (this.#piecesOf !== undefined && this.#pieces > MOST_PIECES)
      this.#leaveTurns = this.#waitForTurn(this.#piecesOf, () => {
        this.#leaveTurns = undefined;
        this.#readOn();
      });
    this.#piecesOf = undefined;
    return bytes !== null;
  }
}

/** A larger piece is worth an object of its own. */
const SMALL_PIECE_BYTES = 1024;

const BLOCK_BYTES = 16 * 1024;

/**
 * Of a body in chunks, or of one that is sent byte by byte, Node makes an object for each piece, which takes a hundred
 * times as much: here small pieces become one when there are enough of them, or when the body ends.
 */
export class GatheringRequest extends IncomingMessage {
  #block = Buffer.alloc(0);
  #filled = 0;

  /** Called by Node's parser. @param piece null at the end */
  override push(piece: Buffer | null): boolean {
    ConnectionReader.of(this.socket)?.countPiece(this);
    if (piece !== null && piece.length <= SMALL_PIECE_BYTES && this.#mayBeLarge) return this.#gather(piece);
    this.#flush();
    return super.push(piece);
  }

  /** A reader gets all that has come; Node itself asks for nothing (0), to have more read. */
  override read(size?: number): unknown {
    if (size !== 0) this.#flush();
    return super.read(size);
  }

  get #mayBeLarge(): boolean {
    const { headers } = this;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > BLOCK_BYTES;
  }

  /** @returns false where enough waits to be read */
  #gather(piece: Buffer): boolean {
    if (this.#filled + piece.length > this.#block.length) {
      this.#flush();
      this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    }
    this.#filled += piece.copy(this.#block, this.#filled);
    return this.readableLength < this.readableHighWaterMark;
  }

  #flush(): void {
    if (this.#filled === 0) return;
    const gathered = this.#block.subarray(0, this.#filled);
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
    super.push(gathered);
  }
}

/** Of all senders together, each turn being one step, so that they leave most of the time to others. */
const TURN_EVERY_MS = 10;

/** Of each source in the order in which they were asked for; the sources in turn. */
export class RoundRobin {
  readonly #queues = new Map<string, Set<() => void>>();
  #isServing = false;

  /**
   * @param source what shares are given to
   * @returns what leaves the queue before its turn has come
   */
  wait(source: string, goOn: () => void): () => void {
    const queue = this.#queues.get(source) ?? new Set();
    this.#queues.set(source, queue.add(goOn));
    if (!this.#isServing) this.#serveNext();
    return () => this.#leave(source, goOn);
  }

  #leave(source: string, goOn: () => void): void {
    const queue = this.#queues.get(source);
    queue?.delete(goOn);
    if (queue?.size === 0) this.#queues.delete(source);
  }

  #serveNext(): void {
    this.#isServing = this.#queues.size > 0;
    if (!this.#isServing) return;
    setTimeout(() => {
      this.#takeNext()?.();
      this.#serveNext();
    }, TURN_EVERY_MS);
  }

  #takeNext(): (() => void) | undefined {
    const [next] = this.#queues;
    if (next === undefined) return undefined;
    const [source, queue] = next;
    const [first] = queue;
    this.#queues.delete(source);
    if (first !== undefined) queue.delete(first);
    // Behind the other sources.
    if (queue.size > 0) this.#queues.set(source, queue);
    return first;
  }
}

/** Behind the one that is being served. Who reads the answers has no more under way. */
const MOST_WAITING_ON_CONNECTION = 31;

/** On all connections together: each takes some 4 kB. */
const MOST_WAITING = 1024;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A request, and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface RequestQueueOptions {
  readonly handle: Handler;
  /** The answer is out, or its reader is gone. */
  readonly onAnswered: () => void;
  /** How many requests wait on all connections. */
  readonly waiting: { count: number };
}

/** The requests of one connection. An answer that nobody reads keeps the next one from being made. */
export class RequestQueue {
  /** The one that is served. None is kept past its answer, or each collection of garbage would find them all alive. */
  current: Exchange | undefined;
  readonly #socket: Socket;
  readonly #options: RequestQueueOptions;
  #waiting: Exchange[] = [];

  constructor(socket: HttpSocket, options: RequestQueueOptions) {
    this.#socket = socket;
    this.#options = options;
    socket[QUEUE] = this;
    socket.once('close', () => this.#dropWaiting());
  }

  static of(socket: HttpSocket): RequestQueue | undefined {
    return socket[QUEUE];
  }

  /** Serves the request, now or in its turn; ends a connection that asks for more than may wait. */
  take(exchange: Exchange): void {
    // The step that it ended in is still parsed.
    if (this.#socket.destroyed) return;
    if (this.current === undefined) this.#serve(exchange);
    else if (this.#mayWait) {
      this.#waiting.push(exchange);
      this.#options.waiting.count += 1;
    } else {
      this.#dropWaiting();
      this.#socket.destroy();
    }
  }

  #serve(exchange: Exchange): void {
    this.current = exchange;
    exchange.response.once('close', () => this.#goOnAfter(exchange));
    // What nobody asks for, Node drops by itself, and counts no pieces.
    if (isChunked(exchange)) exchange.request.read(0);
    void this.#options.handle(exchange.request, exchange.response);
  }

  #goOnAfter(answered: Exchange): void {
    if (isChunked(answered) && !answered.request.complete) this.#socket.destroySoon();
    this.current = undefined;
    this.#options.onAnswered();
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#options.waiting.count -= 1;
    this.#serve(next);
  }

  get #mayWait(): boolean {
    return this.#waiting.length < MOST_WAITING_ON_CONNECTION && this.#options.waiting.count < MOST_WAITING;
  }

  #dropWaiting(): void {
    this.#options.waiting.count -= this.#waiting.length;
    this.#waiting = [];
  }
}

function isChunked({ request }: Exchange): boolean {
  return request.headers['transfer-encoding'] !== undefined;
}
