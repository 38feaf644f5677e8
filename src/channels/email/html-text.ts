/** Foreign text as HTML that every mail reader shows as it was sent: its lines, its indentation, its addresses as links. */
import { splitAddresses } from '../../text/addresses.ts';
import { cleanText } from '../../text/clean.ts';
import { escapeHtml } from '../../text/escape.ts';

/** Legible on white, and on black where a mail reader inverts. */
const LINK_STYLE = 'color:#1a63d8;text-decoration:underline';

const TAB = '    ';
const NO_BREAK_SPACE = '\u00a0';

/** Line ends and indentation are kept. */
export function linesAsHtml(text: string): string {
  return spaced(escapeHtml(keepBlanks(cleanText(text))));
}

/** The same, and each address in it is a link that shows it. */
export function textAsHtml(text: string): string {
  const pieces = splitAddresses(keepBlanks(cleanText(text)));
  return pieces
    .map((piece) => {
      const words = spaced(escapeHtml(piece.text));
      return piece.address === undefined ? words : linkAsHtml(piece.address, words);
    })
    .join('');
}

/** @param words HTML */
export function linkAsHtml(address: string, words: string): string {
  return `<a href="${escapeHtml(address)}" style="${LINK_STYLE}">${words}</a>`;
}

/**
 * HTML makes one blank of many. Outlook for Windows knows no `white-space: pre-wrap` outside `pre`, where it breaks no long
 * line; no-break spaces are kept everywhere, and every other one is a blank, so that a deep indentation may still wrap.
 */
function keepBlanks(text: string): string {
  if (!/\t|^ | {2}/mu.test(text)) return text;
  return text
    .replaceAll('\t', TAB)
    .replace(/^ +| {2,}/gmu, (run) => run.replace(/ ( ?)/gu, `${NO_BREAK_SPACE}$1`));
}

/** As an entity, the no-break space also survives gateways that write Japanese mail anew in an encoding without it. */
function spaced(html: string): string {
  return html.replaceAll(NO_BREAK_SPACE, '&nbsp;').replaceAll('\n', '<br>');
}
