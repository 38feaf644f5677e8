/** HTML in which every value is escaped by the one function that makes it. */
import { cleanText, escapeHtml, wholeUrl } from '../../text/clean.ts';

/** Needs no more escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const NOTHING = new Html('');

type Value = string | number | Html | readonly Html[];

/** For content and quoted attributes: a text keeps its lines and its indentation. */
export function safeHtml(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + written(values[index] ?? '')).join(''));
}

function written(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return linesAsHtml(String(value));
  return value.map(({ text }) => text).join('');
}

const TAB = '    ';
const NO_BREAK_SPACE = '\u00a0';

/** Line ends and indentation are kept. */
export function linesAsHtml(text: string): string {
  const escaped = escapeHtml(keepBlanks(cleanText(text)));
  // As an entity, the no-break space also survives gateways that write Japanese mail anew in an encoding without it.
  return escaped.replaceAll(NO_BREAK_SPACE, '&nbsp;').replaceAll('\n', '<br>');
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

/** Legible on white, and on black where a mail reader inverts. */
const LINK_STYLE = 'color:#1a63d8;text-decoration:underline';

/** The words alone where the address is none to be opened. */
export function linkTo(url: string, words: string): Html {
  const address = wholeUrl(url);
  if (address === undefined) return safeHtml`${words}`;
  return safeHtml`<a href="${address}" style="${LINK_STYLE}">${words}</a>`;
}
