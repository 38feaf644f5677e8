/** Reads bodies of requests to the admin listener, up to a size limit, as a form or as JSON. */
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { ObjectSchema, ValidationError } from 'yup';
import { HttpProblem } from '../http/problem.ts';
import { isJsonObject } from '../text/json.ts';

const LARGEST_JSON_BYTES = 64 * 1024;

/** @throws {HttpProblem} 400, 413 or 415 */
export async function readForm(ctx: Context, maxBytes: number): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(ctx, 'application/x-www-form-urlencoded', maxBytes));
}

/** Reads a JSON object that has only these texts; '' for one that is absent or null. @throws {HttpProblem} 400, 413 or 415 */
export async function readTexts<Name extends string>(
  ctx: Context,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const value = jsonIn((await readText(ctx, 'application/json', LARGEST_JSON_BYTES)) || '{}');
  const isMeant =
    isJsonObject(value) &&
    Object.entries(value).every(
      ([name, text]) => names.some((each) => each === name) && typeof (text ?? '') === 'string',
    );
  if (!isMeant) throw badRequest(`The body must be a JSON object of texts: ${names.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, value[name] ?? ''])) as Record<Name, string>;
}

/** Reads a JSON object by its schema. @throws {HttpProblem} 400, 413 or 415 */
export async function readFields<Values extends object>(ctx: Context, schema: ObjectSchema<Values>) {
  const value = jsonIn((await readText(ctx, 'application/json', LARGEST_JSON_BYTES)) || '{}');
  try {
    return schema.validateSync(value, { strict: true });
  } catch (error) {
    throw badRequest(`The body cannot be meant: ${(error as ValidationError).message}.`, error);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest('The body is not JSON.', error);
  }
}

async function readText(ctx: Context, type: string, maxBytes: number): Promise<string> {
  if (ctx.get('Content-Length') === '0') return '';
  if (ctx.is(type) === false)
    throw new HttpProblem({ status: 415, detail: `Send it as Content-Type: ${type}.` });
  const read = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [type] },
    textLimit: String(maxBytes),
    onerror: (error: Error & { type?: unknown }) => {
      if (error.type !== 'entity.too.large') throw badRequest('The body could not be read.', error);
      const detail = `The body is larger than ${maxBytes} bytes, the most that is taken here.`;
      throw new HttpProblem({ status: 413, detail });
    },
  });
  await read(ctx, () => Promise.resolve());
  const { body } = ctx.request as { body?: unknown };
  return typeof body === 'string' ? body : '';
}

function badRequest(detail: string, cause?: unknown): HttpProblem {
  return new HttpProblem({ status: 400, detail }, { cause });
}
