/** HTML whose values are all escaped: only `safeHtml` makes it from values. */
import { piecesOf } from '../../text/addresses.ts';
import { cleanText, Escaped, escapeHtml, wholeUrl } from '../../text/clean.ts';
import { withBlanks } from '../lines.ts';

export const NOTHING = new Escaped('');

type Value = string | number | Escaped | readonly Escaped[];

/** A template tag that escapes its values, for content and quoted attributes. Texts keep line breaks and indentation. */
export function safeHtml(parts: TemplateStringsArray, ...values: readonly Value[]): Escaped {
  return new Escaped(parts.map((part, index) => part + written(values[index] ?? '')).join(''));
}

function written(value: Value): string {
  if (value instanceof Escaped) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return linesAsHtml(String(value));
  return value.map(({ text }) => text).join('');
}

/** Escapes a text and keeps its line breaks and indentation. */
export function linesAsHtml(text: string): string {
  const escaped = escapeHtml(withBlanks(cleanText(text)));
  // An entity, since gateways may re-encode Japanese mail in an encoding without the no-break space.
  return escaped.replaceAll('\u00a0', '&nbsp;').replaceAll('\n', '<br>');
}

const PRE_STYLE =
  'margin:4px 0;padding:8px 12px;background-color:#f1f3f6;color:#1f2933;font-family:Consolas,Menlo,monospace;font-size:13px;line-height:1.5;overflow-x:auto';

/** Text whose columns stay aligned: it does not wrap, and copies unchanged. */
export function preformatted(text: string): Escaped {
  const pre = new Escaped(`<pre class="box" style="${PRE_STYLE}">${escapeHtml(text)}</pre>`);
  // In any other table, long lines would widen the mail.
  return safeHtml`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed"><tr><td>${pre}</td></tr></table>`;
}

export function linkedText(text: string): Escaped {
  return safeHtml`${piecesOf(text).map((piece) => linkTo(piece.url, piece.text))}`;
}

/** Legible on white, and on black in mail readers that invert colours. */
const LINK_STYLE = 'color:#1a63d8;text-decoration:underline';

/** Outlook cuts longer addresses. */
const LONGEST_IN_MAIL = 2000;

/** A link, or only its words when the address cannot be opened. @param kind a class of the style sheet for dark mode */
export function linkTo(url: string, words: string, style = LINK_STYLE, kind = ''): Escaped {
  const address = wholeUrl(url);
  if (address === undefined || address.length > LONGEST_IN_MAIL) return safeHtml`${words}`;
  const named = new Escaped(kind && ` class="${kind}"`);
  return safeHtml`<a href="${address}" style="${style}"${named}>${words}</a>`;
}

/** A link as a button. @param colour of its background, on which white is legible */
export function buttonTo(url: string, words: string, colour: string): Escaped {
  const style = `display:inline-block;margin:4px 0;padding:8px 16px;border-radius:6px;background-color:${colour};color:#fdfdfd;font-weight:700;text-decoration:none`;
  return linkTo(url, words, style, 'button');
}
