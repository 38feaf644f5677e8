/** What the page keeps at its reader's: a language, and a message that is shown once. */
import type { Context } from 'koa';
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

export function keptLanguage(ctx: Context): string | undefined {
  return ctx.cookies.get(LANGUAGE);
}

export function keepLanguage(ctx: Context, language: Language): void {
  ctx.cookies.set(LANGUAGE, language, { ...KEPT, maxAge: YEAR_MS });
}

export function leaveFlash(ctx: Context, { kind, text }: Flash): void {
  const json = JSON.stringify({ kind, text: text.slice(0, LONGEST_TEXT) });
  ctx.cookies.set(FLASH, Buffer.from(json).toString('base64url'), { ...KEPT, maxAge: MINUTE_MS });
}

/** It is gone then. */
export function takeFlash(ctx: Context): Flash | undefined {
  const value = ctx.cookies.get(FLASH);
  if (value === undefined) return undefined;
  ctx.cookies.set(FLASH, '', { ...KEPT, maxAge: 0 });
  return flashIn(value);
}

function flashIn(value: string): Flash | undefined {
  try {
    const flash: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    return isFlash(flash) ? flash : undefined;
  } catch {
    return undefined;
  }
}

function isFlash(value: unknown): value is Flash {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, text } = value as Partial<Record<keyof Flash, unknown>>;
  return (kind === 'done' || kind === 'failed') && typeof text === 'string';
}
