/** The `link` filter: words that lead somewhere, written as each kind of text writes them. */
import { linkAsHtml } from '../channels/html-text.ts';
import { Escaped } from '../text/escape.ts';
import type { Printer, PrintLanding } from './print-value.ts';
import { inlineText, textOf } from './value-text.ts';
import { escapeUrlForMrkdwn, wholeUrl } from '../text/whole-url.ts';

/** `{{ file.name | link: file.url }}`; without a usable address only the words are left. */
export function linkTo(label: unknown, url: unknown, landing: PrintLanding, printer: Printer): Escaped {
  const words = printer.print(label instanceof Escaped ? label : inlineText(label));
  const address = wholeUrl(textOf(url));
  return new Escaped(address === undefined ? words : writeLink(words, address, landing));
}

function writeLink(words: string, address: string, landing: PrintLanding): string {
  switch (landing) {
    case 'mrkdwn':
      // A line end or a bar would end the words.
      return `<${escapeUrlForMrkdwn(address)}|${words.replace(/\s*\n\s*/gu, ' ').replaceAll('|', '¦')}>`;
    case 'html':
      return linkAsHtml(address, words);
    case 'text':
      return `${words} <${address}>`;
    case 'url':
    case 'whole-url':
      return address;
    case 'plain':
    case 'line':
      return words;
  }
}
