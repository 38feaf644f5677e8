/** A request's body, inflated, and no more of it than may be held. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Reading } from './reading-budget.ts';

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

/**
 * Ends with an error where the body cannot be read whole; to be destroyed by its reader when that has read enough. The request itself is
 * not destroyed with it, since its connection still has to carry the answer.
 */
export function bodyStream(request: IncomingMessage, options: BodyStreamOptions): Readable {
  const { encoding, reading, mostBytes, tooLarge, cutShort } = options;
  const limited = checked((bytes, pass, refuse) => (bytes > mostBytes ? refuse(tooLarge()) : pass()));
  const metered = checked((bytes, pass) => (reading.reach(bytes, pass) ? pass() : undefined));
  request.pipe(limited);
  request.once('close', () => {
    if (!request.complete) limited.destroy(cutShort());
  });
  const inflater = inflaterOf(encoding);
  pipeline(inflater === undefined ? [limited, metered] : [limited, inflater, metered], () => undefined);
  return metered;
}

/** Lets a piece pass when `check`, which gets the bytes that there are with it, says so. */
function checked(
  check: (bytes: number, pass: () => void, refuse: (error: Error) => void) => void,
): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      check(bytes, () => done(null, piece), done);
    },
  });
}

function inflaterOf(encoding: string): Transform | undefined {
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'gzip' || encoding === 'deflate' ? createUnzip() : undefined;
}
