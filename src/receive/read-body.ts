/** From a request to the bytes of its body, or a problem that says what is wrong with them. */
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { HttpProblem } from '../http/problem.ts';

const JSON_TYPE = 'application/json';
const UTF_8_NAMES = new Set(['utf-8', 'utf8']);
const UNCOMPRESSED: ReadonlySet<string> = new Set(['', 'identity']);
const ENCODINGS = new Set([...UNCOMPRESSED, 'gzip', 'deflate', 'br']);

/** What is left of a refused upload is not worth reading. */
const CLOSE = { Connection: 'close' };

/**
 * What reads a request's body to its end: the bytes, decompressed; none where there is no body.
 * koa-bodyparser reads and inflates; as JSON it would answer 200 to other content types and mend broken UTF-8
 * silently, so it is asked for the raw bytes of what has passed the checks here.
 */
export function bodyReader(maxBytes: number): (ctx: Context) => Promise<Uint8Array> {
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
  const read = bodyParser(options);
  return async (ctx) => {
    refuseOtherTypes(ctx);
    const reading = read(ctx, () => Promise.resolve()) as Promise<unknown>;
    await (isCompressed(ctx) ? Promise.race([reading, cutShort(ctx.req)]) : reading);
    const { body } = ctx.request as { body?: unknown };
    return body instanceof Uint8Array ? body : new Uint8Array();
  };
}

/**
 * What has come of a body that is refused before it is read, for whoever wants to know what it was. The sender is not
 * waited for; nothing of a body that was begun to be read, or that is compressed.
 */
export async function beginningOf(request: IncomingMessage): Promise<Uint8Array> {
  if (request.readableDidRead || isCompressed({ req: request })) return new Uint8Array();
  // Of a small one, the rest is often in the next packet.
  await nextTurn();
  const come: unknown = request.read();
  return come instanceof Uint8Array ? come : new Uint8Array();
}

function isCompressed({ req: { headers } }: { readonly req: IncomingMessage }): boolean {
  return !UNCOMPRESSED.has(headers['content-encoding'] ?? '');
}

/** Rejects when the sender is gone before its body is there: whoever inflates the body does not notice by itself. */
function cutShort(request: IncomingMessage): Promise<never> {
  return new Promise((_resolve, reject) => {
    request.once('close', () => {
      if (!request.complete) reject(unreadable());
    });
  });
}

function refuseOtherTypes({ req: { headers } }: Context): void {
  const type = headers['content-type'] ?? '';
  if (type === JSON_TYPE && headers['content-encoding'] === undefined) return;
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
  // koa-bodyparser knows encodings in lower case only.
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

function asProblem(error: Error & { status?: unknown; type?: unknown }, maxBytes: number): HttpProblem {
  if (error.type === 'entity.too.large') {
    const detail = `The body is larger than ${maxBytes} bytes, the most that is taken.`;
    return new HttpProblem({ status: 413, detail, headers: CLOSE });
  }
  if (error.status === 415) return unsupported('its Content-Encoding is not known', CLOSE);
  return unreadable(error);
}

function unreadable(cause?: unknown): HttpProblem {
  const detail =
    'The body could not be read: it was cut short, or does not match its Content-Encoding or Content-Length.';
  return new HttpProblem({ status: 400, detail, headers: CLOSE }, { cause });
}
