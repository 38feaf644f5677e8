/** A request whose body comes in pieces that are worth keeping: see `ConnectionReader`. */
import { IncomingMessage } from 'node:http';
import { ConnectionReader } from './connection-reader.ts';

/** A larger piece is worth an object of its own. */
const SMALL_PIECE_BYTES = 1024;

const BLOCK_BYTES = 16 * 1024;

/** Of a body in chunks, Node makes an object for each, be it one byte: what came together is one piece here. */
export class GatheringRequest extends IncomingMessage {
  #block: Buffer | undefined;
  #filled = 0;

  /** Called by Node's parser. @param piece null at the end */
  override push(piece: Buffer | null): boolean {
    ConnectionReader.of(this.socket)?.countPiece(this);
    if (piece !== null && piece.length <= SMALL_PIECE_BYTES && this.#isChunked) return this.#gather(piece);
    this.#flush();
    return super.push(piece);
  }

  override read(size?: number): unknown {
    this.#flush();
    return super.read(size);
  }

  get #isChunked(): boolean {
    return this.headers['transfer-encoding'] !== undefined;
  }

  /** @returns false where enough waits to be read */
  #gather(piece: Buffer): boolean {
    if (this.#filled + piece.length > BLOCK_BYTES) this.#flush();
    this.#block ??= this.#begunBlock();
    this.#filled += piece.copy(this.#block, this.#filled);
    return this.readableLength + this.#filled < this.readableHighWaterMark;
  }

  #begunBlock(): Buffer {
    process.nextTick(() => this.#flush());
    return Buffer.allocUnsafe(BLOCK_BYTES);
  }

  #flush(): void {
    const gathered = this.#block?.subarray(0, this.#filled);
    this.#block = undefined;
    this.#filled = 0;
    if (gathered !== undefined) super.push(gathered);
  }
}
