/** From a request to the bytes of its body, inflated and within `max_body`, or a problem that says what is wrong. */
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
 * koa-bodyparser reads the body. As JSON it would answer 200 to other content types and mend broken UTF-8 silently, so it
 * is asked for the bytes: for text in no encoding, of the one content type that is taken.
 */
export function bodyReader(maxBytes: number): BodyReader {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [JSON_TYPE] },
    // The types know only names of encodings; null makes raw-body leave the bytes as they are.
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

/** The parser inflates through a pipe, which does not tell when the sender breaks off. Rejects then, or never settles. */
function cutShort(request: IncomingMessage): Promise<never> {
  return new Promise((_, reject) => {
    request.once('close', () => {
      if (!request.complete) reject(unreadable());
    });
  });
}

/**
 * Looks at the head alone.
 * @returns how many bytes the body has; undefined: not known before it is read
 * @throws {HttpProblem} 413, 415
 */
export function announcedBytes(request: Request, maxBytes: number): number | undefined {
  refuseOtherTypes(request);
  const { 'content-length': length, 'content-encoding': encoding = '' } = request.headers;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(`is larger than ${maxBytes} bytes`);
  return length === undefined || !UNCOMPRESSED.has(encoding) ? undefined : Number(length);
}

/** Writes the encoding as koa-bodyparser knows it. @throws {HttpProblem} 415 */
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
