/** Reads the body of a request: inflates it, enforces `max_body`, and reports faults as problems. */
import type { IncomingMessage } from 'node:http';
import type { Context, Request } from 'koa';
import bodyParser from 'koa-bodyparser';
import { HttpProblem } from '../http/problem.ts';
import { tooLarge } from './problems.ts';

const JSON_TYPE = 'application/json';
const UTF_8_NAMES: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8']);
const UNCOMPRESSED: ReadonlySet<string> = new Set(['', 'identity']);
const ENCODINGS: ReadonlySet<string> = new Set([...UNCOMPRESSED, 'gzip', 'deflate', 'br']);

/** @throws {HttpProblem} 400, 413 */
export type BodyReader = (ctx: Context) => Promise<Uint8Array>;

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
  return async (ctx) => {
    await Promise.race([parse(ctx, () => Promise.resolve()), cutShort(ctx.req)]);
    const { body } = ctx.request as { body?: unknown };
    return body instanceof Uint8Array ? body : new Uint8Array();
  };
}

/** Rejects when the sender breaks off, which the parser's inflating pipe does not report; else never settles. */
function cutShort(request: IncomingMessage): Promise<never> {
  return new Promise((_, reject) => {
    request.once('close', () => {
      if (!request.complete) reject(unreadable());
    });
  });
}

/**
 * Checks the headers alone.
 * @returns bytes of the body; undefined: unknown until it is read
 * @throws {HttpProblem} 413, 415
 */
export function announcedBytes(request: Request, maxBytes: number): number | undefined {
  refuseOtherTypes(request);
  const { 'content-length': length, 'content-encoding': encoding = '' } = request.headers;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(`is larger than ${maxBytes} bytes`);
  return length === undefined || !UNCOMPRESSED.has(encoding) ? undefined : Number(length);
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
  if (!ENCODINGS.has(encoding)) {
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
