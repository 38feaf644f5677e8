/** A request's body on its way to whoever reads it: in large pieces, inflated, and no more of it than may be held. */
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Reading } from './reading-budget.ts';

/** A body may come in pieces of one byte, each of which costs a hundred times as much to keep. */
const PIECE_BYTES = 16 * 1024;

export interface BodyStreamOptions {
  /** In lower case; one that is known, or empty. */
  readonly encoding: string;
  readonly reading: Reading;
  /** More as it comes, still compressed, are an error. */
  readonly mostBytes: number;
  /** Of that error. */
  readonly tooLarge: () => Error;
  /** Of a sender who is gone before the end. */
  readonly cutShort: () => Error;
}

/** Ends with an error where the body cannot be read whole; to be destroyed by who has read enough. */
export function bodyStream(request: IncomingMessage, options: BodyStreamOptions): Readable {
  const gathered = new GatheredPieces(request, options);
  const metered = new MeteredBytes(options.reading);
  const inflate = inflaterOf(options.encoding);
  const streams = inflate === undefined ? [gathered, metered] : [gathered, inflate, metered];
  pipeline(streams, () => undefined);
  return metered;
}

function inflaterOf(encoding: string): Transform | undefined {
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'gzip' || encoding === 'deflate' ? createUnzip() : undefined;
}

/** What a request brings, in pieces that are worth keeping. */
class GatheredPieces extends Readable {
  readonly #request: IncomingMessage;
  readonly #options: BodyStreamOptions;
  #block = Buffer.allocUnsafe(PIECE_BYTES);
  #filled = 0;
  #received = 0;
  #isWanted = false;

  constructor(request: IncomingMessage, options: BodyStreamOptions) {
    super();
    this.#request = request;
    this.#options = options;
    request.on('readable', this.#take).on('end', this.#finish).on('close', this.#cutShort);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#take();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('readable', this.#take).off('end', this.#finish).off('close', this.#cutShort);
    done(error);
  }

  /** All that has come, however many pieces it is. */
  readonly #take = (): void => {
    if (!this.#isWanted) return;
    const piece: unknown = this.#request.read();
    if (!(piece instanceof Buffer)) return;
    this.#received += piece.length;
    if (this.#received > this.#options.mostBytes) {
      this.destroy(this.#options.tooLarge());
      return;
    }
    this.#isWanted = piece.length >= PIECE_BYTES / 2 ? this.#pass(piece) : this.#gather(piece);
  };

  #pass(piece: Buffer): boolean {
    this.#flush();
    return this.push(piece);
  }

  #gather(piece: Buffer): boolean {
    const mayGoOn = this.#filled + piece.length <= PIECE_BYTES || this.#flush();
    this.#filled += piece.copy(this.#block, this.#filled);
    return mayGoOn;
  }

  /** False where enough waits to be read. */
  #flush(): boolean {
    if (this.#filled === 0) return true;
    const piece = this.#block.subarray(0, this.#filled);
    this.#block = Buffer.allocUnsafe(PIECE_BYTES);
    this.#filled = 0;
    return this.push(piece);
  }

  readonly #finish = (): void => {
    this.#flush();
    this.push(null);
  };

  readonly #cutShort = (): void => {
    if (!this.#request.complete) this.destroy(this.#options.cutShort());
  };
}

/** Lets pass what may be held. */
class MeteredBytes extends Transform {
  readonly #reading: Reading;
  #passed = 0;

  constructor(reading: Reading) {
    super();
    this.#reading = reading;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#passed += piece.length;
    const pass = () => done(null, piece);
    if (this.#reading.reach(this.#passed, pass)) pass();
  }
}
