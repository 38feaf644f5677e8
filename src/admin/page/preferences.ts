/** Keeps the language and the theme that a reader has chosen. */
import type { Context } from 'koa';
import { formOf } from '../form-token.ts';
import { keepPreference } from './cookies.ts';
import { isOwnPath } from './parts/text.tsx';
import { returnTo } from './posted-form.ts';
import { LANGUAGES, THEMES } from './reader.ts';

export function keepPreferences(ctx: Context): void {
  const form = formOf(ctx);
  const language = LANGUAGES.find((each) => each === form.get('language'));
  const theme = THEMES.find((each) => each === form.get('theme'));
  if (language !== undefined) keepPreference(ctx, 'language', language);
  if (theme !== undefined) keepPreference(ctx, 'theme', theme);
  returnTo(ctx, withoutLanguage(form.get('back')));
}

/** What an address asks for would win over what was chosen just now. */
function withoutLanguage(back: string | null): string | null {
  if (back === null || !isOwnPath(back)) return null;
  const { pathname, searchParams } = new URL(back, 'http://localhost');
  searchParams.delete('lang');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
