/** Keeps the language and the theme that a reader has chosen. */
import type { Context } from 'koa';
import { keepPreference } from './cookies.ts';
import { isOwnPath } from './parts/text.tsx';
import { fieldsOf, returnTo } from './posted-form.ts';
import { LANGUAGES, THEMES } from './reader.ts';

export function keepPreferences(ctx: Context): void {
  const { language, theme, back } = fieldsOf(ctx);
  const chosen = LANGUAGES.find((each) => each === language);
  const look = THEMES.find((each) => each === theme);
  if (chosen !== undefined) keepPreference(ctx, 'language', chosen);
  if (look !== undefined) keepPreference(ctx, 'theme', look);
  returnTo(ctx, withoutLanguage(back));
}

/** What an address asks for would win over what was chosen just now. */
function withoutLanguage(back: string | undefined): string | undefined {
  if (back === undefined || !isOwnPath(back)) return undefined;
  const { pathname, searchParams } = new URL(back, 'http://localhost');
  searchParams.delete('lang');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
