/** Mails that a template writes itself: `templates/<set>/email/<name>.yaml` with `subject`, `text` and `html`. */
import { cleanLine, cleanText, escapeHtml } from '../../text/clean.ts';
import { cutMiddle } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import type { OwnMessages, RenderedParts, TextKind, ValuePlace } from '../channel.ts';
import { leftOutMark } from '../marks.ts';
import { tidied } from '../show-card.ts';
import { composeMail, type EmailMessage, MOST_BYTES, outputsAsText, showMail, subjectOf } from './compose.ts';
import { linesAsHtml } from './html.ts';
import { outputsAsHtml } from './outputs.ts';

const LONGEST_VALUE = 20_000;

/** Three bytes of UTF-8 are the most that a character takes. */
const LONGEST_TEXT = Math.floor(MOST_BYTES / 3) - 1;

const anywhere = (): ValuePlace => 'text';

const SUBJECT: TextKind = { escape: cleanLine, most: 300, placeOf: anywhere };
const TEXT: TextKind = { escape: cleanText, most: LONGEST_VALUE, placeOf: anywhere };
const HTML: TextKind = { escape: linesAsHtml, most: LONGEST_VALUE, placeOf: placeInHtml };

const KINDS: Readonly<Record<string, TextKind>> = { subject: SUBJECT, text: TEXT, html: HTML };

const PART = { required: false, kind: 'string' } as const;

export const ownMails = {
  parts: { subject: PART, text: PART, html: PART },
  textAt: ([part]) => KINDS[part ?? ''] ?? TEXT,
  draw: (card, part) => {
    const shown = showMail(card);
    return {
      outputs:
        part === 'html' ? outputsAsHtml(shown, card.language).text : outputsAsText(shown, card.language),
    };
  },
  compose,
  inspect: () => [],
} satisfies OwnMessages<EmailMessage>;

/** What the template leaves out is the card's; without HTML, its text is shown. */
function compose(parts: RenderedParts, card: Card): EmailMessage {
  const { language } = card;
  // What a mail is about stands at its beginning or at its end.
  const own = cutMiddle(tidied(stringOf(parts['text'])), LONGEST_TEXT, leftOutMark(language));
  const text = own === '' ? composeMail(card).text : `${own}\n`;
  const html = stringOf(parts['html']).trim();
  return {
    subject: subjectOf(stringOf(parts['subject']) || card.summary, language),
    text,
    // Nothing can be cut out of HTML without breaking it: what is too long is sent as plain text.
    html: html === '' || Buffer.byteLength(html) > MOST_BYTES ? htmlOfText(text, card) : html,
  };
}

function stringOf(value: RenderedParts[string] | undefined): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

const PLAIN_STYLE =
  "font:14px/1.6 Menlo,Consolas,'Noto Sans JP',monospace;white-space:pre-wrap;overflow-wrap:anywhere;color:#1f2328;background-color:#fdfdfd;padding:16px;margin:0";

/** Six bytes for one are the most that escaping and UTF-8 make of a UTF-16 unit. */
const LONGEST_PLAIN = Math.floor((MOST_BYTES - PLAIN_STYLE.length - 100) / 6);

/** The text as it is, within the limit after escaping. */
function htmlOfText(text: string, { language }: Card): string {
  const escaped = escapeHtml(text);
  const isShort = Buffer.byteLength(escaped) <= LONGEST_PLAIN * 6;
  const shown = isShort ? escaped : escapeHtml(cutMiddle(text, LONGEST_PLAIN, leftOutMark(language)));
  return `<pre dir="auto" style="${PLAIN_STYLE}">${shown}</pre>`;
}

const COMMENT = /<!--.*?(?:-->|$)/gs;
const CLOSED_TAG = /<[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;
const QUOTED_ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*))$/;

/** Of scripts and styles, of a page that is parsed once more after its entities, and of whatever is loaded or sent to. */
const NO_TEXT =
  /^(?:on.*|style|srcdoc|src|srcset|xlink:href|data|poster|action|formaction|background|cite|longdesc|ping)$/i;

/** HTML, "Attributes". */
export function placeInHtml(before: string, behind: string): ValuePlace {
  if (/<(script|style)\b(?!.*<\/\1)/is.test(before)) return 'nowhere';
  if (before.lastIndexOf('<!--') > before.lastIndexOf('-->')) return 'nowhere';
  const tag = OPEN_TAG.exec(before.replace(COMMENT, '').replace(CLOSED_TAG, ''))?.[0];
  if (tag === undefined) return 'text';
  const [attribute, name = '', ...values] = QUOTED_ATTRIBUTE.exec(tag) ?? [];
  if (attribute === undefined || NO_TEXT.test(name)) return 'nowhere';
  if (name.toLowerCase() !== 'href') return 'text';
  const isAlone = values.join('').trim() === '' && /^\s*["']/.test(behind);
  return isAlone ? 'address' : 'nowhere';
}
