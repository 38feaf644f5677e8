/** What a page hands out as a file: a callback as it came. */
import type { Context } from 'koa';
import type { AdminServices } from '../services.ts';
import { idIn } from './view.ts';

/** Left as a 404 where it is not there. */
export async function downloadBody(
  ctx: Context,
  id: string | undefined,
  { archive }: AdminServices,
): Promise<void> {
  const known = idIn(id);
  const body = known === undefined ? undefined : await archive.body(known);
  if (body === undefined) return;
  ctx.attachment(`callback-${known}.json`);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = Buffer.from(body);
}
