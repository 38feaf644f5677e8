/** Bodies of requests to the admin listener: read whole within a limit, as a form or as JSON. */
import type { Context } from 'koa';
import { HttpProblem } from '../http/problem.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';

/** Of whatever people or scripts ask for. */
export const COMMON_BODY_BYTES = 64 * 1024;

const MOST_FIELDS = 200;

const CLOSE = { Connection: 'close' } as const;

/** @throws {HttpProblem} 400, 413 or 415 */
export async function readForm(ctx: Context, maxBytes: number): Promise<URLSearchParams> {
  const type = ctx.is('urlencoded', 'multipart');
  const bytes = await readBody(ctx, maxBytes);
  if (bytes.length === 0) return new URLSearchParams();
  if (type === 'multipart') return multipartIn(bytes, ctx.get('Content-Type'));
  if (type !== 'urlencoded') throw unsupported('application/x-www-form-urlencoded or multipart/form-data');
  const text = bytes.toString('utf8');
  if (text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS) throw tooManyFields();
  return new URLSearchParams(text);
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

async function readBody({ req }: Context, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
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

async function multipartIn(bytes: Buffer<ArrayBuffer>, type: string): Promise<URLSearchParams> {
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch((error: unknown) => {
      throw badRequest('The form could not be read.', error);
    });
  const fields = [...form];
  if (fields.length > MOST_FIELDS) throw tooManyFields();
  const texts = await Promise.all(
    fields.map(async ([name, value]): Promise<[string, string]> => {
      return [name, typeof value === 'string' ? value : await value.text()];
    }),
  );
  return new URLSearchParams(texts);
}

function badRequest(detail: string, cause?: unknown): HttpProblem {
  return new HttpProblem({ status: 400, detail, headers: CLOSE }, { cause });
}

function tooManyFields(): HttpProblem {
  return badRequest(`The form has more than ${MOST_FIELDS} fields.`);
}

function unsupported(wanted: string): HttpProblem {
  return new HttpProblem({ status: 415, detail: `Send it as Content-Type: ${wanted}.` });
}

function tooLarge(maxBytes: number): HttpProblem {
  const detail = `The body is larger than ${maxBytes} bytes, the most that is taken here.`;
  return new HttpProblem({ status: 413, detail, headers: CLOSE });
}
