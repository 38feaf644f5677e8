/**
 * Gives Node's parser what a connection has brought in small steps. By itself the parser would take all of a read, 64 kB:
 * of chunks of one byte these are 11,000 objects and 30 to 50 ms for which everybody else waits. Bodies in such small
 * pieces are read in turns, each turn being one step.
 */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Holds an ordinary callback, head and body. */
const STEP_BYTES = 4096;

/** In one step; they have 64 bytes each, with what stands between them. */
const MOST_PIECES = 64;

const READER = Symbol('connection reader');

interface ReadConnection extends Socket {
  [READER]?: ConnectionReader;
}

export interface ConnectionReaderOptions {
  readonly turns: RoundRobin;
  /** What has its share of the turns. */
  readonly sourceOf: (request: IncomingMessage) => string;
}

export class ConnectionReader {
  readonly #socket: Socket;
  readonly #options: ConnectionReaderOptions;
  /** Pieces of bodies in this step, and the request that the last one belongs to. */
  #pieces = 0;
  #piecesOf: IncomingMessage | undefined;
  #isReading = false;
  /** By Node: enough of a request, or of answers, waits to be taken. */
  #isPaused = false;
  /** While it waits for its turn: what gives that up. */
  #leaveTurns: (() => void) | undefined;

  private constructor(socket: Socket, options: ConnectionReaderOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /**
   * Reads the connection from now on. With a listener on `readable` it is nobody else that reads; a read hands its bytes
   * to those who listen on `data`, Node's parser (Node's documentation of `readable.read()`).
   */
  static start(socket: ReadConnection, options: ConnectionReaderOptions): void {
    const reader = new ConnectionReader(socket, options);
    socket[READER] = reader;
    reader.#heedPauses();
    socket.on('readable', reader.#readOn).on('resume', reader.#readOn);
    socket.once('close', () => reader.#leaveTurns?.());
  }

  static of(socket: Socket): ConnectionReader | undefined {
    return (socket as ReadConnection)[READER];
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
    if (this.#piecesOf !== undefined && this.#pieces > MOST_PIECES) this.#waitForTurn(this.#piecesOf);
    this.#piecesOf = undefined;
    return bytes !== null;
  }

  #waitForTurn(request: IncomingMessage): void {
    const { turns, sourceOf } = this.#options;
    this.#leaveTurns = turns.wait(sourceOf(request), () => {
      this.#leaveTurns = undefined;
      this.#readOn();
    });
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
