/** The forms' CSRF token, without which no form is accepted. */
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { HttpProblem } from '../http/problem.ts';
import { secretCheck } from '../http/sender.ts';
import { readForm } from './body.ts';
import type { AdminState } from './password.ts';

const COOKIE = 'botbell_form';
/** The hidden field of each form. */
export const TOKEN_FIELD = 'token';

/** Makes 43 characters in base64url. */
const TOKEN_BYTES = 32;

/** Enough for a callback of 8 MB in the playground: percent-encoding takes up to three bytes for each. */
const LARGEST_FORM_BYTES = 24 * 1024 * 1024;

/**
 * Gives pages their token, and requires that a form's token equals the one in the cookie, which another site can neither read
 * nor set. A double-submit cookie needs no state, so it works across replicas and restarts. It is `Lax`, not `Strict`: a link
 * opened from a chat would otherwise come without it and replace it, and every form already open would be refused.
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

/** The value of a form's `TOKEN_FIELD`; undefined if the request has not passed the guards. */
export function formTokenOf(ctx: Context): string | undefined {
  return (ctx.state as AdminState).formToken;
}

/** The posted form without its token. */
export function formOf(ctx: Context): URLSearchParams {
  return (ctx.state as AdminState).form ?? new URLSearchParams();
}

/** Ignores tokens of another shape, which were not made here and may be easy to guess. */
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
