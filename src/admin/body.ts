/** Reads bodies of requests to the admin listener, up to a size limit, as a form or as JSON. */
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { type ObjectSchema, ValidationError } from 'yup';
import { HttpProblem } from '../http/problem.ts';

const LARGEST_JSON_BYTES = 128 * 1024;

/** Enough for a callback of 8 MB in the playground: percent-encoding takes up to three bytes for each. */
const LARGEST_FORM_BYTES = 24 * 1024 * 1024;

/** @throws {HttpProblem} 400, 413 or 415 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(ctx, 'application/x-www-form-urlencoded', LARGEST_FORM_BYTES));
}

/** Reads a JSON object by its schema. @throws {HttpProblem} 400, 413 or 415 */
export async function readFields<Values extends object>(ctx: Context, schema: ObjectSchema<Values>) {
  const text = (await readText(ctx, 'application/json', LARGEST_JSON_BYTES)) || '{}';
  try {
    const whole = schema.noUnknown('${unknown} is no field of it');
    return whole.validateSync(JSON.parse(text), { strict: true });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw badRequest('The body is not JSON.', error);
    throw badRequest(`The body is wrong: ${faultOf(error)}.`, error);
  }
}

/** A wrong type is reported without the value. */
function faultOf({ path, type, params, message }: ValidationError): string {
  return type === 'typeError' ? `${path || 'it'} must be of type ${String(params?.['type'])}` : message;
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
