/** The kinds of text in a mail: a subject of one line, plain text, and HTML. */
import { cleanLine, cleanText } from '../../text/clean.ts';
import { escapeHtml } from '../../text/escape.ts';
import { CHARACTERS, UTF8_BYTES } from '../../text/unit.ts';
import { positionInHtml } from './html-position.ts';
import { CELL_BYTES, htmlTable, ROW_BYTES } from './html-table.ts';
import { linesAsHtml, linkAsHtml, textAsHtml } from './html-text.ts';
import { type Markup, TEXT_FRAME } from '../markup.ts';

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
  table: { write: htmlTable, rowSize: ROW_BYTES, cellSize: CELL_BYTES },
  // A row of a table, and `&quot;`.
  outputFrame: { around: 350, aCharacter: 6 },
  addresses: { escapeUrl: escapeHtml, positionOf: positionInHtml },
};
