/** A request whose body comes in pieces that are worth keeping: see `ConnectionReader`. */
import { IncomingMessage } from 'node:http';
import { ConnectionReader } from './connection-reader.ts';

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
