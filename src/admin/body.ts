/** Bodies of requests to the admin listener: read whole within a limit, as a form or as JSON. */
import type { Context } from 'koa';
import { HttpProblem } from '../http/problem.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';

/** Of whatever people or scripts ask for. */
export const COMMON_BODY_BYTES = 64 * 1024;

const CLOSE = { Connection: 'close' } as const;

/** @throws {HttpProblem} 400, 413 or 415 */
export async function readForm(ctx: Context, maxBytes: number): Promise<URLSearchParams> {
  const bytes = await readBody(ctx, maxBytes);
  if (bytes.length > 0 && ctx.is('urlencoded') === false)
    throw unsupported('application/x-www-form-urlencoded');
  return new URLSearchParams(bytes.toString('utf8'));
}

/** An absent body is an empty object. @throws {HttpProblem} 400, 413 or 415 */
export async function readJson(ctx: Context, maxBytes = COMMON_BODY_BYTES): Promise<JsonObject> {
  const bytes = await readBody(ctx, maxBytes);
  if (bytes.length === 0) return {};
  if (ctx.is('json') !== 'json') throw unsupported('application/json');
  const value = jsonIn(bytes);
  if (!isJsonObject(value)) throw badRequest('The body must be a JSON object.');
  return value;
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw badRequest('The body is not JSON in UTF-8.', error);
  }
}

async function readBody({ req }: Context, maxBytes: number): Promise<Buffer> {
  if (!['', 'identity'].includes(req.headers['content-encoding'] ?? ''))
    throw badRequest('The body must not be compressed.');
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw badRequest('The body was cut short.', error);
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(pieces);
}

function badRequest(detail: string, cause?: unknown): HttpProblem {
  return new HttpProblem({ status: 400, detail, headers: CLOSE }, { cause });
}

function unsupported(wanted: string): HttpProblem {
  return new HttpProblem({ status: 415, detail: `Send it as Content-Type: ${wanted}.` });
}

function tooLarge(maxBytes: number): HttpProblem {
  const detail = `The body is larger than ${maxBytes} bytes, the most that is taken here.`;
  return new HttpProblem({ status: 413, detail, headers: CLOSE });
}
