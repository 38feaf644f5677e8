/** What a form of the page has posted, and the way back to where it stood. */
import type { Context } from 'koa';
import parseBody from 'koa-bodyparser';
import { isOwnPath } from './parts/text.tsx';

/** What has been read already, e.g. for its token, is not read again. */
export const readForm = parseBody({ enableTypes: ['form'], formLimit: '64kb' });

/** Only of texts: a field that comes twice is none. */
export function fieldsOf(ctx: Context): Readonly<Record<string, string | undefined>> {
  const body: unknown = ctx.request.body;
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

/** Answers a form that was posted: the browser asks for the page anew. Only to pages of ours. */
export function returnTo(ctx: Context, back: string | undefined): void {
  ctx.status = 303;
  ctx.set('Location', back !== undefined && isOwnPath(back) ? back : '/');
}
