/** Who asks, for whoever reads later what was done: the user, and the address. */
import type { Context } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { directAddress, type SenderReader } from '../http/sender.ts';
import { networkFilter } from '../text/networks.ts';
import type { Actor } from '../ledger/history.ts';
import { shortLine } from '../text/cut.ts';

const LONGEST_NAME = 100;

/** What the guard leaves in a request's `state`. */
export interface AdminState {
  /** The Basic user. */
  user?: string;
  actor?: Omit<Actor, 'via'>;
  /** What a page's forms carry. */
  formToken?: string;
  /** What a form holds, its token checked and left out. */
  form?: URLSearchParams;
}

/** After the password was asked for. */
export function nameActor(ctx: Context, trustProxy: AdminConfig['trustProxy'], senderOf: SenderReader): void {
  const state = ctx.state as AdminState;
  const named = isProxied(ctx, trustProxy)
    ? shortLine(utf8In(ctx.get('X-Forwarded-User')), LONGEST_NAME)
    : '';
  state.actor = { user: named || state.user, from: senderOf(ctx.req).address };
}

/** Behind the guard alone. */
export function actorOf(ctx: Context, via: Actor['via']): Actor {
  const { actor } = ctx.state as AdminState;
  if (actor === undefined) throw new Error('a request has passed no guard');
  return { via, ...actor };
}

function isProxied({ req }: Context, trustProxy: AdminConfig['trustProxy']): boolean {
  if (typeof trustProxy === 'boolean') return trustProxy;
  return trustProxy.length > 0 && networkFilter(trustProxy)(directAddress(req));
}

/** Node reads headers as Latin-1; proxies write names in UTF-8. */
function utf8In(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}
