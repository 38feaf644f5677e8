/** Keeps the language that a reader has chosen. */
import type { Context } from 'koa';
import { formOf } from '../form-token.ts';
import { keepLanguage } from './cookies.ts';
import { returnTo } from './posted-form.ts';
import { LANGUAGES } from './reader.ts';

export function keepPreferences(ctx: Context): void {
  const form = formOf(ctx);
  const language = LANGUAGES.find((each) => each === form.get('language'));
  if (language !== undefined) keepLanguage(ctx, language);
  returnTo(ctx, form.get('back'));
}
