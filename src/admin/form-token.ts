/** The token that forms carry, so that no page of another site can have one of them posted. */
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { HttpProblem } from '../http/problem.ts';
import { secretCheck } from '../http/sender.ts';
import { readForm } from './body.ts';
import type { AdminState } from './password.ts';

const COOKIE = 'botbell_form';
/** The hidden field of each form. */
export const TOKEN_FIELD = 'token';

/** 43 characters in base64url. */
const TOKEN_BYTES = 32;

/** Of a callback pasted into the playground: percent-encoded, each of its bytes may take three. */
const LARGEST_FORM_BYTES = 24 * 1024 * 1024;

/**
 * Gives pages their token, and checks that of forms: it must be the one in the cookie, which another site can neither read
 * nor set (a double-submit cookie, since replicas and restarts are to share it). The cookie is `Lax`, not `Strict`: else a
 * link in a chat would come without it, get a new one, and all forms that are open elsewhere would be refused.
 */
export const guardForms: Middleware = async (ctx, next) => {
  const state = ctx.state as AdminState;
  const token = tokenIn(ctx);
  if (ctx.method === 'POST') {
    const form = await readForm(ctx, LARGEST_FORM_BYTES);
    if (token === undefined || !secretCheck([token])(form.get(TOKEN_FIELD) ?? '')) throw foreignForm();
    form.delete(TOKEN_FIELD);
    state.form = form;
  }
  state.formToken = token ?? newToken(ctx);
  await next();
};

/** What a page's forms carry in their field `TOKEN_FIELD`; undefined: the guards have not let it pass. */
export function formTokenOf(ctx: Context): string | undefined {
  return (ctx.state as AdminState).formToken;
}

/** What a posted form holds beside its token. */
export function formOf(ctx: Context): URLSearchParams {
  return (ctx.state as AdminState).form ?? new URLSearchParams();
}

/** An empty one, or one that is easily guessed, is none of ours. */
function tokenIn(ctx: Context): string | undefined {
  const token = ctx.cookies.get(COOKIE) ?? '';
  return /^[\w-]{43}$/.test(token) ? token : undefined;
}

function newToken(ctx: Context): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  ctx.cookies.set(COOKIE, token, { httpOnly: true, sameSite: 'lax' });
  return token;
}

function foreignForm(): HttpProblem {
  const detail =
    'This form does not carry the token of this browser: go back, reload the page, and send it again.';
  return new HttpProblem({ status: 403, detail, logged: 'a form without its token' });
}
