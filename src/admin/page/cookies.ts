/** What the page keeps at its reader's, a language and a message that is shown once, and where a form leads. */
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import { LANGUAGES } from '../../config/schema.ts';
import type { Language } from '../../time/display.ts';

const YEAR_MS = 365 * 86_400_000;
const MINUTE_MS = 60_000;

const LANGUAGE = 'botbell_language';
const FLASH = 'botbell_flash';

/** Browsers drop cookies from 4 KB on. */
const LONGEST_TEXT = 500;

/** What came of an action, told on the page that comes next. */
export interface Flash {
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

/** No script reads them; a link in a chat leads to the page as its reader has chosen it. */
const KEPT = { httpOnly: true, sameSite: 'lax', overwrite: true } as const;

export function keptLanguage(ctx: Context): Language | undefined {
  const kept = ctx.cookies.get(LANGUAGE);
  return LANGUAGES.find((language) => language === kept);
}

/** `GET /language/ja?back=/config` */
export function keepLanguage(ctx: RouterContext): void {
  const language = LANGUAGES.find((each) => each === ctx.params['language']);
  if (language !== undefined) ctx.cookies.set(LANGUAGE, language, { ...KEPT, maxAge: YEAR_MS });
  returnTo(ctx, ctx.URL.searchParams.get('back'));
}

export function leaveFlash(ctx: Context, { kind, text }: Flash): void {
  const value = Buffer.from(text.slice(0, LONGEST_TEXT)).toString('base64url');
  ctx.cookies.set(FLASH, `${kind}.${value}`, { ...KEPT, maxAge: MINUTE_MS });
}

/** It is gone then. */
export function takeFlash(ctx: Context): Flash | undefined {
  const cookie = ctx.cookies.get(FLASH);
  if (cookie === undefined) return undefined;
  ctx.cookies.set(FLASH, '', { ...KEPT, maxAge: 0 });
  const [kind, value = ''] = cookie.split('.');
  if (kind !== 'done' && kind !== 'failed') return undefined;
  return { kind, text: Buffer.from(value, 'base64url').toString('utf8') };
}

/** `//host` and `/\host` lead elsewhere. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[!-[\]-~]*$/.test(path);
}

/** Leads a form that was posted to a page of ours: its field `back` says which. */
export function returnTo(ctx: Context, back: string | null): void {
  ctx.status = 303;
  ctx.set('Location', back !== null && isOwnPath(back) ? back : '/');
}
