/**
 * What a mail is to whoever makes, shows and checks it; also one that a template writes itself, `templates/<set>/email/<name>.yaml`
 * with `subject`, `text` and `html`.
 */
import { cleanLine, cleanText } from '../../text/clean.ts';
import { cutMiddle } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import type { MessageFormat, OwnMessages, RenderedParts, TextKind, ValuePlace } from '../channel.ts';
import { textAsHtml } from '../html-text.ts';
import { leftOutMark } from '../marks.ts';
import { tidied } from '../show-card.ts';
import { composeMail, type EmailMessage, MOST_BYTES, outputsAsText, showMail, subjectOf } from './compose.ts';
import { linesAsHtml } from './html.ts';
import { outputsAsHtml } from './outputs.ts';

const LONGEST_VALUE = 20_000;

/** Three bytes of UTF-8 are the most that a character takes. */
const LONGEST_TEXT = Math.floor(MOST_BYTES / 3) - 1;

const anywhere = (): ValuePlace => 'text';

const TEXT: TextKind = { escape: cleanText, most: LONGEST_VALUE, placeOf: anywhere };

const KINDS: Readonly<Record<string, TextKind>> = {
  subject: { escape: cleanLine, most: 300, placeOf: anywhere },
  html: { escape: linesAsHtml, most: LONGEST_VALUE, placeOf: placeInHtml },
};

const PART = { required: false, kind: 'string' } as const;

export const ownMails = {
  parts: { subject: PART, text: PART, html: PART },
  textAt: ([part]) => KINDS[part ?? ''] ?? TEXT,
  drawnIn: (part, card) => {
    const shown = showMail(card);
    return { outputs: part === 'html' ? outputsAsHtml(shown).text : outputsAsText(shown) };
  },
  compose,
  inspect: () => [],
} satisfies OwnMessages<EmailMessage>;

export const emailFormat = {
  name: 'email',
  compose: composeMail,
  own: ownMails,
  asText: ({ subject, text }) => `${subject}\n\n${text}`.trimEnd(),
  asHtml: ({ text, html }) => html || textAsHtml(text),
  titleOf: ({ subject }) => subject,
} satisfies MessageFormat<EmailMessage>;

/** What the template leaves out is the card's; without HTML, the text is all there is. */
function compose(parts: RenderedParts, card: Card): EmailMessage {
  const { language } = card;
  // What a mail is about stands at its beginning or at its end.
  const own = cutMiddle(tidied(stringOf(parts['text'])), LONGEST_TEXT, leftOutMark(language));
  const html = stringOf(parts['html']).trim();
  return {
    subject: subjectOf(stringOf(parts['subject']) || card.summary, language),
    text: own === '' ? composeMail(card).text : `${own}\n`,
    // Nothing can be cut out of HTML without breaking it.
    html: Buffer.byteLength(html) > MOST_BYTES ? '' : html,
  };
}

function stringOf(value: RenderedParts[string] | undefined): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
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
