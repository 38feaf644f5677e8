/** Foreign text of any length as one short line. */
import { cleanLine, cleanText } from './clean.ts';
import { cutEnd } from './cut.ts';
import { codePointAtOrBefore } from './unit.ts';

/** How much of a text is looked at, in limits: most of it may be blanks, marks and what cannot be seen. */
const WINDOW = 5;

/**
 * {@link cleanLine} of at most `limit` characters, with an ellipsis where something was left out. Of a longer text only a
 * few limits are read.
 */
export function shortLine(text: string, limit: number): string {
  return shortened(text, limit, cleanLine);
}

/** The same of {@link cleanText}, which may have several lines. */
export function shortText(text: string, limit: number): string {
  return shortened(text, limit, cleanText);
}

function shortened(text: string, limit: number, clean: (text: string) => string): string {
  const most = WINDOW * limit;
  if (text.length <= most) return cutEnd(clean(text), limit, '…');
  return cutEnd(`${clean(text.slice(0, codePointAtOrBefore(text, most)))}…`, limit, '…');
}
