/**
 * How a body stands in the ledger: as text, or, where it is large and the database does not compress by itself, deflated. The
 * only place that knows.
 */
import { promisify } from 'node:util';
import { constants, deflate, inflate, inflateSync } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';

/** As it is read from its column: text, or what `compressed` made. */
export type StoredBody = string | Uint8Array;

/** To be written as bytes; anything else is written as text. */
export class Deflated {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export type BodyToStore = Uint8Array | Deflated;

/**
 * From here on SQLite needs pages beside the row's own. A body of common size stays as it is: to deflate it would take a
 * tenth of what its notification takes, and save nothing that counts.
 */
export const LARGE_BYTES = 8 * 1024;

/** The worker claims 64 at once, and what they hold counts nowhere. */
const READ_AT_ONCE_BYTES = 4096;

/** Five times as fast as the default, for a fifth more bytes. */
const OPTIONS = { level: constants.Z_BEST_SPEED };

/** Of the four threads that Node has for such work, the others are for flushing to disk. */
const MOST_AT_ONCE = 2;

const deflateInThread = promisify<Uint8Array, typeof OPTIONS, Buffer>(deflate);
const inflateInThread = promisify<Uint8Array, Buffer>(inflate);

/** Deflates large bodies by other threads, a few at once. */
export class BodyCompressor {
  readonly #isNeeded: boolean;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param isNeeded the database does not compress by itself */
  constructor(isNeeded: boolean) {
    this.#isNeeded = isNeeded;
  }

  /** At once for a body of common size. @returns the body as it is where nothing is gained */
  toStore(body: Uint8Array): BodyToStore | Promise<BodyToStore> {
    return this.#isNeeded && isLarge(body) ? this.#compressed(body) : body;
  }

  async #compressed(body: Uint8Array): Promise<BodyToStore> {
    await this.#begin();
    try {
      const bytes = await deflateInThread(body, OPTIONS);
      return bytes.byteLength < body.byteLength ? new Deflated(bytes) : body;
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < MOST_AT_ONCE) this.#running += 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  /** Whoever waits takes the place over. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

export function isLarge({ byteLength }: Uint8Array): boolean {
  return byteLength >= LARGE_BYTES;
}

export function bytesToStore(body: BodyToStore): Uint8Array {
  return body instanceof Deflated ? body.bytes : body;
}

/** For a body that may be large and nobody waits for with a transaction open: 8 MB take another thread some 25 ms. */
export async function readBody(stored: StoredBody): Promise<Buffer> {
  return typeof stored === 'string' ? Buffer.from(stored) : inflateInThread(stored);
}

/**
 * A condition in SQL, of callbacks of which many may be read at once.
 * @param isCompressing the database by itself, so that all are text
 */
export function isReadAtOnce(isCompressing: boolean): RawBuilder<boolean> {
  // To count characters, a database would read and decompress every body.
  const isShort = sql<boolean>`octet_length(body) <= ${READ_AT_ONCE_BYTES}`;
  return isCompressing ? isShort : sql<boolean>`(typeof(body) = 'text' and ${isShort})`;
}

/** At once, which within a transaction is the only way. */
export function bodyText(stored: StoredBody): string {
  return typeof stored === 'string' ? stored : inflateSync(stored).toString('utf8');
}
