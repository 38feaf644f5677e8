/** From a request to the bytes of its body, inflated and within what may be held, or a problem that says what is wrong. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { NOT_AWAITED } from '../http/connections.ts';
import { HttpProblem, type ProblemDetails } from '../http/problem.ts';
import type { Reading, ReadingBudget } from './reading-budget.ts';

const JSON_TYPE = 'application/json';
const UTF_8_NAMES = new Set(['utf-8', 'utf8']);
const UNCOMPRESSED: ReadonlySet<string> = new Set(['', 'identity']);
const ENCODINGS = new Set([...UNCOMPRESSED, 'gzip', 'deflate', 'br']);

/** What is left of a refused upload is not worth reading. */
const CLOSE = { Connection: 'close' };

/**
 * A body of this size that comes as it is, as callbacks mostly do, is read without more ado: a connection may hold as much
 * in any case.
 */
const SMALL_BYTES = 16 * 1024;

export interface BodyReaderOptions {
  readonly maxBytes: number;
  readonly budget: ReadingBudget;
  /** What gets a share of the budget. */
  readonly sourceOf: (request: IncomingMessage) => string;
}

export interface ReadBody {
  /** Decompressed; none where there is no body. */
  readonly bytes: Uint8Array;
  /** Milliseconds for which it was kept waiting here. */
  readonly waitedMs: number;
  /** To be called when somebody else answers for the memory that it takes, or nobody needs it any more. */
  readonly release: () => void;
}

/**
 * What reads a request's body to its end.
 * koa-bodyparser reads it; as JSON it would answer 200 to other content types and mend broken UTF-8 silently, so it is
 * asked for the raw bytes of what has passed the checks here. It cannot be told to wait, nor to give up: what is not small
 * gets to it through a stream that can.
 */
export function bodyReader(options: BodyReaderOptions): (ctx: Context) => Promise<ReadBody> {
  const { maxBytes } = options;
  const parserOptions = {
    enableTypes: ['text'],
    extendTypes: { text: [JSON_TYPE] },
    // The types know only names of encodings; null makes raw-body leave the bytes as they are.
    encoding: null as unknown as string,
    textLimit: String(maxBytes),
    onerror: (error: Error) => {
      throw asProblem(error, maxBytes);
    },
  };
  const parse = bodyParser(parserOptions);
  const read: Read = (ctx, { req }) =>
    new Promise((resolve, reject) => {
      req.once(NOT_AWAITED, ({ headers, ...problem }: ProblemDetails) =>
        reject(new HttpProblem({ ...problem, headers: { ...headers, ...CLOSE } })),
      );
      const parsed = parse(ctx, () => Promise.resolve()) as Promise<unknown>;
      parsed.then(() => resolve(bytesIn(ctx)), reject);
    });
  return async (ctx) => {
    const { headers } = ctx.req;
    refuseOtherTypes(headers);
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    if (!isSmall(headers)) return readMetered(ctx, read, options);
    return { bytes: await read(ctx, ctx), waitedMs: 0, release: () => undefined };
  };
}

/** Reads the body that the context has; rejects when the rest of what the sender's request brings is not awaited. */
type Read = (ctx: Context, sent: Pick<Context, 'req'>) => Promise<Uint8Array>;

/** As koa-bodyparser leaves them. */
function bytesIn({ request }: Context): Uint8Array {
  const { body } = request as { body?: unknown };
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function isSmall(headers: IncomingHttpHeaders): boolean {
  const isAsItIs = headers['transfer-encoding'] === undefined && !isCompressed(headers);
  return isAsItIs && Number(headers['content-length'] ?? 0) <= SMALL_BYTES;
}

async function readMetered(
  ctx: Context,
  read: Read,
  { maxBytes, budget, sourceOf }: BodyReaderOptions,
): Promise<ReadBody> {
  const reading = budget.open(sourceOf(ctx.req), (problem) => body.destroy(problem));
  const body = bodyStream(ctx.req, reading, maxBytes);
  try {
    const bytes = await read(standingIn(ctx, body), ctx);
    reading.finish();
    return { bytes, waitedMs: reading.waitedMs, release: () => reading.release() };
  } catch (error) {
    reading.release();
    throw error;
  } finally {
    body.destroy();
  }
}

/** The context with the stream in the request's place, for a parser that reads the body alone. */
function standingIn(ctx: Context, body: Readable): Context {
  const req = Object.assign(body, { headers: {} });
  return Object.create(ctx, { req: { value: req } }) as Context;
}

/**
 * What has come of a body that is refused before it is read, to be kept for the operators. The sender is not
 * waited for; nothing of a body that was begun to be read, or that is compressed.
 */
export async function beginningOf(request: IncomingMessage): Promise<Uint8Array> {
  if (request.readableDidRead) return new Uint8Array();
  // The rest of a small one is often in the next packet.
  await nextTurn();
  const come: unknown = request.read();
  return come instanceof Uint8Array && !isCompressed(request.headers) ? come : new Uint8Array();
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  return !UNCOMPRESSED.has(headers['content-encoding'] ?? '');
}

/** Writes the encoding as koa-bodyparser knows it. @throws {HttpProblem} 415 */
function refuseOtherTypes(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'] ?? '';
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== JSON_TYPE) {
    throw unsupported(`send it as Content-Type: ${JSON_TYPE}`, { Accept: JSON_TYPE });
  }
  if (!charsetsOf(type).every((charset) => UTF_8_NAMES.has(charset))) {
    throw unsupported('the only charset is utf-8', { Accept: JSON_TYPE });
  }
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (!ENCODINGS.has(encoding)) {
    throw unsupported('the Content-Encoding may be gzip, deflate, br or identity', {
      'Accept-Encoding': 'gzip, deflate, br',
    });
  }
  headers['content-encoding'] = encoding;
}

/** In lower case; found where a strict parser gives up, too, as on a semicolon too many. */
function charsetsOf(contentType: string): string[] {
  const named = contentType.matchAll(/;\s*charset\s*=\s*"?([^\s";]*)/gi);
  return [...named].map(([, name = '']) => name.toLowerCase());
}

function unsupported(detail: string, headers: Record<string, string>): HttpProblem {
  return new HttpProblem({
    status: 415,
    detail: `This body is not what is read here: ${detail}.`,
    headers: { ...headers, ...CLOSE },
  });
}

function asProblem(error: Error & { type?: unknown }, maxBytes: number): HttpProblem {
  if (error instanceof HttpProblem) return error;
  return error.type === 'entity.too.large' ? tooLarge(maxBytes) : unreadable(error);
}

function tooLarge(maxBytes: number): HttpProblem {
  const detail = `The body is larger than ${maxBytes} bytes, the most that is taken.`;
  return new HttpProblem({ status: 413, detail, headers: CLOSE });
}

function unreadable(cause?: unknown): HttpProblem {
  const detail =
    'The body could not be read: it was cut short, or does not match its Content-Encoding or Content-Length.';
  return new HttpProblem({ status: 400, detail, headers: CLOSE }, { cause });
}

/**
 * The request's body, inflated, and no more of it than may be held. Ends with an error where it cannot be read whole; to
 * be destroyed by its reader when that has read enough. The request itself is not destroyed with it, since its connection
 * still has to carry the answer.
 */
function bodyStream(request: IncomingMessage, reading: Reading, maxBytes: number): Readable {
  // As it comes, still compressed.
  const limited = checked((bytes, pass, refuse) => (bytes > maxBytes ? refuse(tooLarge(maxBytes)) : pass()));
  const metered = checked((bytes, pass) => (reading.reach(bytes, pass) ? pass() : undefined));
  request.pipe(limited);
  request.once('close', () => {
    if (!request.complete) limited.destroy(unreadable());
  });
  const inflater = inflaterOf(request.headers['content-encoding']);
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

/** @param encoding one that is known, in lower case */
function inflaterOf(encoding: string | undefined): Transform | undefined {
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'gzip' || encoding === 'deflate' ? createUnzip() : undefined;
}
