/** The `link` filter: words that lead somewhere, written as each kind of text writes them. */
import { Escaped } from '../../text/escape.ts';
import { wholeUrl } from '../../text/whole-url.ts';
import type { Printer } from './print-value.ts';
import { inlineText, textOf } from './value-text.ts';

/** `{{ file.name | link: file.url }}`; without a usable address only the words are left. */
export function linkTo(label: unknown, url: unknown, printer: Printer): Escaped {
  const { linkTo: write, lists } = printer.markup;
  const wordsOf = lists === 'rows' ? textOf : inlineText;
  const words = printer.print(label instanceof Escaped ? label : wordsOf(label));
  const address = wholeUrl(textOf(url));
  return new Escaped(address === undefined || write === undefined ? words : write(words, address));
}
