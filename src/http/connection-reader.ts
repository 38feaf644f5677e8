/**
 * Gives Node's parser what a connection has brought in small steps. By itself the parser would take all of a read, 64 kB:
 * of chunks of one byte these are 11,000 objects and 30 to 50 ms for which everybody else waits.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RoundRobin } from './crumb-turns.ts';

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
