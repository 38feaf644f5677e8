/** Reads the body of a request: inflates it, enforces `max_body`, and reports faults as problems. */
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Context, Request } from 'koa';
import bodyParser from 'koa-bodyparser';
import { HttpProblem, tooLarge } from '../http/problem.ts';

const JSON_TYPE = 'application/json';
const UTF_8_NAMES: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8']);
const INFLATERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['gzip', createUnzip],
  // Another name for it (RFC 9110, 8.4.1.3).
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
]);

/**
 * Reads a body whose headers have passed `announcedBytes`.
 * @param count called with the number of bytes, inflated, as they arrive; left out if they need not be counted
 * @throws {HttpProblem} 400, 413, and what `count` throws
 */
export type BodyReader = (ctx: Context, count?: (bytes: number) => void) => Promise<Uint8Array>;

/**
 * koa-bodyparser reads the body as text without an encoding, which gives the bytes. As JSON, it would accept other content
 * types and silently repair broken UTF-8.
 */
export function bodyReader(maxBytes: number): BodyReader {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [JSON_TYPE] },
    // null, which the types do not allow, makes raw-body return the bytes.
    encoding: null as unknown as string,
    textLimit: String(maxBytes),
    onerror: (error: Error) => {
      throw asProblem(error, maxBytes);
    },
  };
  const parse = bodyParser(options);
  return async (ctx, count) => {
    const stream = count && countedBody(ctx.req, count);
    try {
      await parse(stream ? withStream(ctx, stream) : ctx, () => Promise.resolve());
    } finally {
      stream?.destroy();
    }
    const request = ctx.request as { body?: unknown; rawBody?: unknown };
    const { body } = request;
    // Only the caller keeps the body, and frees a large one early.
    request.body = request.rawBody = undefined;
    return body instanceof Uint8Array ? body : new Uint8Array();
  };
}

/** The context with a stream for its request, which koa-bodyparser reads. */
function withStream(ctx: Context, stream: Readable): Context {
  // Without headers: koa-bodyparser would expect the encoding and the length of the body as it was sent.
  const req = Object.assign(stream, { headers: {} });
  return Object.create(ctx, { req: { value: req } }) as Context;
}

/** The inflated body. It ends with an error if the sender breaks off, or `count` throws. */
function countedBody(request: IncomingMessage, count: (bytes: number) => void): Readable {
  const body = INFLATERS.get(request.headers['content-encoding'] ?? '')?.() ?? new PassThrough();
  body.on('data', (chunk: Uint8Array) => {
    try {
      count(chunk.byteLength);
    } catch (error) {
      body.destroy(error as Error);
    }
  });
  // The reader of the body handles its errors; one that comes after that must not be an uncaught exception.
  body.on('error', () => undefined);
  request.once('close', () => {
    if (!request.complete) body.destroy(unreadable());
  });
  return request.pipe(body);
}

/** By the headers alone. @returns bytes of the body; undefined: unknown until it is read @throws {HttpProblem} 413, 415 */
export function announcedBytes(request: Request, maxBytes: number): number | undefined {
  refuseOtherTypes(request);
  const { 'content-length': length, 'content-encoding': encoding = '' } = request.headers;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(`is larger than ${maxBytes} bytes`);
  const isInflated = encoding !== '' && encoding !== 'identity';
  return length === undefined || isInflated ? undefined : Number(length);
}

/** Also normalises the encoding in the headers for koa-bodyparser. @throws {HttpProblem} 415 */
function refuseOtherTypes({ type, charset, headers }: Request): void {
  if (type.trim().toLowerCase() !== JSON_TYPE) {
    throw unsupported(`send it as Content-Type: ${JSON_TYPE}`, { Accept: JSON_TYPE });
  }
  if (!UTF_8_NAMES.has(charset.toLowerCase())) {
    throw unsupported('the only charset is utf-8', { Accept: JSON_TYPE });
  }
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (!INFLATERS.has(encoding)) {
    throw unsupported('the Content-Encoding may be gzip, deflate, br or identity', {
      'Accept-Encoding': 'gzip, deflate, br',
    });
  }
  headers['content-encoding'] = encoding;
}

function unsupported(detail: string, headers: Readonly<Record<string, string>>): HttpProblem {
  return new HttpProblem({ status: 415, detail: `This body is not what is read here: ${detail}.`, headers });
}

function asProblem(error: Error & { type?: unknown }, maxBytes: number): HttpProblem {
  if (error.type === 'entity.too.large') return tooLarge(`is larger than ${maxBytes} bytes`);
  return error instanceof HttpProblem ? error : unreadable(error);
}

function unreadable(cause?: unknown): HttpProblem {
  const detail =
    'The body could not be read: it was cut short, or does not match its Content-Encoding or Content-Length.';
  return new HttpProblem({ status: 400, detail }, { cause });
}
