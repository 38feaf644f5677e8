/** The page's cookies, for the language and for a message shown once, and the redirect after a form. */
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import { LANGUAGES } from '../../config/schema/schema.ts';
import type { Language } from '../../time/display.ts';

const YEAR_MS = 365 * 86_400_000;
const MINUTE_MS = 60_000;

const LANGUAGE = 'botbell_language';
const FLASH = 'botbell_flash';
const NAME = 'botbell_name';

/** In characters: browsers drop cookies larger than 4 KB. */
const LONGEST_TEXT = 500;

/** The result of an action, shown on the next page. */
export interface Flash {
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

/** No script needs the cookies; `lax`, so that a link opened from a chat still uses the chosen language. */
const KEPT = { httpOnly: true, sameSite: 'lax', overwrite: true } as const;

export function keptLanguage(ctx: Context): Language | undefined {
  const kept = ctx.cookies.get(LANGUAGE);
  return LANGUAGES.find((language) => language === kept);
}

/** `GET /language/ja?back=/config` */
export function keepLanguage(ctx: RouterContext): void {
  const language = LANGUAGES.find((each) => each === ctx.params['language']);
  if (language !== undefined) ctx.cookies.set(LANGUAGE, language, { ...KEPT, maxAge: YEAR_MS });
  returnTo(ctx, ownPath(ctx.URL.searchParams.get('back')));
}

/** The name with which this browser's user takes incidents up, kept so that it is asked for only once. */
export function keptName(ctx: Context): string {
  return textIn(ctx.cookies.get(NAME));
}

/** @param name as in a form; null if the form has no name */
export function keepName(ctx: Context, name: string | null): void {
  if (name) ctx.cookies.set(NAME, packed(name), { ...KEPT, maxAge: YEAR_MS });
}

export function leaveFlash(ctx: Context, { kind, text }: Flash): void {
  ctx.cookies.set(FLASH, `${kind}.${packed(text)}`, { ...KEPT, maxAge: MINUTE_MS });
}

/** Returns the message and removes its cookie. */
export function takeFlash(ctx: Context): Flash | undefined {
  const cookie = ctx.cookies.get(FLASH);
  if (cookie === undefined) return undefined;
  ctx.cookies.set(FLASH, '', { ...KEPT, maxAge: 0 });
  const [kind, value] = cookie.split('.');
  return kind === 'done' || kind === 'failed' ? { kind, text: textIn(value) } : undefined;
}

function packed(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_TEXT)).toString('base64url');
}

function textIn(value = ''): string {
  return Buffer.from(value, 'base64url').toString('utf8');
}

/** `/` if it is no path of this site. Excludes `//host` and `/\host`, which browsers read as other sites. */
export function ownPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[!-[\]-~]*$/.test(path) ? path : '/';
}

/** @param path as of `ownPath` */
export function returnTo(ctx: Context, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
}
