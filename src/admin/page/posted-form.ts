/** Where a form that was posted leads: the browser asks for a page anew. */
import type { Context } from 'koa';
import { isOwnPath } from './parts/text.tsx';

/** The form's field `back` says which; only pages of ours. */
export function returnTo(ctx: Context, back: string | null): void {
  ctx.status = 303;
  ctx.set('Location', back !== null && isOwnPath(back) ? back : '/');
}
