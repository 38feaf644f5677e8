/** The kinds of text in a mail: a subject of one line, plain text, and HTML in which every mail reader shows a value as it is. */
import { cleanLine, cleanText, escapeHtml, splitAddresses } from '../../text/clean.ts';
import { CHARACTERS, UTF8_BYTES } from '../../text/cut.ts';
import { type Markup, positionInAddress, TEXT_FRAME, type ValuePosition, withoutLiquid } from '../markup.ts';

/**
 * HTML that values may print before each gets little, so that with the markup around them a mail stays under 80 KB.
 * The built-in mails stay below: 20,000 for a message, 30,000 for outputs, the rest for what stands beside the subject.
 */
const BYTES_OF_HTML_VALUES = 53_000;

export const SUBJECT: Markup = {
  escape: cleanLine,
  longestValue: 300,
  unit: CHARACTERS,
  lineBreak: '\n',
  lists: 'lines',
  outputFrame: TEXT_FRAME,
};

export const MAIL_TEXT: Markup = {
  escape: cleanText,
  longestValue: 60_000,
  unit: UTF8_BYTES,
  linkTo: (words, address) => `${words} <${address}>`,
  spellsOutAddresses: true,
  lineBreak: '\n',
  lists: 'records',
  outputFrame: TEXT_FRAME,
};

/** Content, or a quoted attribute. */
export const HTML: Markup = {
  escape: escapeHtml,
  escapeLines: linesAsHtml,
  escapeText: textAsHtml,
  longestValue: 20_000,
  unit: UTF8_BYTES,
  roomOfValues: BYTES_OF_HTML_VALUES,
  linkTo: (words, address) => linkAsHtml(address, words),
  lineBreak: '<br>',
  lists: 'records',
  table: { write: htmlTable, rowSize: rowOf('').length, cellSize: cellOf('').length },
  // A row of a table, and `&quot;`.
  outputFrame: { around: 350, aCharacter: 6 },
  addresses: { escapeUrl: escapeHtml, positionOf: positionInHtml },
};

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
function linkAsHtml(address: string, words: string): string {
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

const TABLE =
  '<table width="100%" cellpadding="4" cellspacing="0" border="0" style="border-collapse:collapse;font-size:13px;line-height:1.5;word-break:break-word">';

/**
 * Shows its lines where no style sheet reaches.
 * @param names HTML, as all cells are
 */
function htmlTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const header = `<tr valign="bottom">${names.map(headerOf).join('')}</tr>`;
  return `${TABLE}${header}${rows.map((cells) => rowOf(cells.map(cellOf).join(''))).join('')}</table>`;
}

function headerOf(name: string): string {
  return `<th scope="col" align="left" dir="auto" style="border-bottom:2px solid #d8dee6">${name}</th>`;
}

function rowOf(cells: string): string {
  return `<tr valign="top">${cells}</tr>`;
}

/** Each with its own direction, as values are in scripts of their own. */
function cellOf(html: string): string {
  return `<td dir="auto" style="border-bottom:1px solid #d8dee6">${html}</td>`;
}

const CLOSED_TAG = /<[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;

/** Scripts, and a page that is parsed once more after its entities. */
const ACTIVE_ATTRIBUTE = /^(?:on.*|srcdoc)$/i;
const ADDRESS_ATTRIBUTE =
  /^(?:href|xlink:href|src|srcset|data|poster|action|formaction|background|cite|longdesc)$/i;

/** HTML, "Attributes". */
export function positionInHtml(source: string, offset: number): ValuePosition {
  const before = withoutLiquid(source.slice(0, offset));
  if (/<(script|style)\b(?!.*<\/\1)/is.test(before)) return 'nowhere';
  const tag = openTagIn(before);
  if (tag === undefined) return 'content';
  const attribute = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*))$/.exec(tag);
  if (attribute === null) return 'nowhere';
  const [, name = '', ...values] = attribute;
  if (ACTIVE_ATTRIBUTE.test(name)) return 'nowhere';
  return ADDRESS_ATTRIBUTE.test(name) ? positionInAddress(values.join('')) : 'content';
}

/** What stands between the `<` of a tag and the end, unless the tag is closed. A value may be its name. */
function openTagIn(markup: string): string | undefined {
  const closed = markup.replace(/<!--.*?(?:-->|$)/gs, '').replace(CLOSED_TAG, '');
  return OPEN_TAG.exec(closed)?.[0];
}
