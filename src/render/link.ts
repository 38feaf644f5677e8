/** The `link` filter: words that lead somewhere, written as each kind of text writes them. */
import { linkAsHtml } from '../channels/html-text.ts';
import { Escaped } from '../text/escape.ts';
import { markLink } from '../text/value-marks.ts';
import type { Printer, PrintLanding } from './print-value.ts';
import { inlineText, textOf } from './value-text.ts';
import { escapeUrlForMarkdown, escapeUrlForMrkdwn, wholeUrl } from '../text/whole-url.ts';

/** A longer address would take too much of a Slack message, and is no link there. */
const LONGEST_RICH_LINK = 1000;

/** `{{ file.name | link: file.url }}`; without a usable address only the words are left. */
export function linkTo(label: unknown, url: unknown, landing: PrintLanding, printer: Printer): Escaped {
  const words = printer.print(label instanceof Escaped ? label : wordsOf(label, landing));
  const address = wholeUrl(textOf(url));
  return new Escaped(address === undefined ? words : writeLink(words, address, landing));
}

/** Where nothing is parsed, words may have several lines, and are left as they are. */
function wordsOf(label: unknown, landing: PrintLanding): string {
  return landing === 'rich' ? textOf(label) : inlineText(label);
}

function writeLink(words: string, address: string, landing: PrintLanding): string {
  switch (landing) {
    case 'mrkdwn':
      // A line end or a bar would end the words.
      return `<${escapeUrlForMrkdwn(address)}|${onOneLine(words).replaceAll('|', '¦')}>`;
    case 'markdown':
      return `[${onOneLine(words)}](${escapeUrlForMarkdown(address)})`;
    case 'rich':
      return address.length > LONGEST_RICH_LINK ? words : markLink(address, words);
    case 'html':
      return linkAsHtml(address, words);
    case 'text':
      return `${words} <${address}>`;
    case 'url':
    case 'whole-url':
      return address;
    case 'literal':
    case 'plain':
    case 'line':
      return words;
  }
}

/** Each run of white space is looked at once, whether or not a line ends in it. */
function onOneLine(words: string): string {
  return words.replace(/\s+/gu, (run) => (run.includes('\n') ? ' ' : run));
}
