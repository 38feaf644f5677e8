/** The message format of mails, drawn from a card, or written by a template as `subject`, `text` and `html`. */
import { cleanLine, cleanText } from '../../text/clean.ts';
import { cutMiddle } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import type {
  Composed,
  MessageFormat,
  OwnMessages,
  RenderedParts,
  TextKind,
  ValuePlace,
} from '../channel.ts';
import { markedUp, UNMARKED } from '../lines.ts';
import { leftOutMark } from '../marks.ts';
import { textAsHtml } from '../preview.ts';
import { tidied } from '../show-card.ts';
import { composeMail, type EmailMessage, MOST_BYTES, showMail, subjectOf } from './compose.ts';
import { linesAsHtml } from './html.ts';
import { outputsAsHtml } from './outputs.ts';

const LONGEST_VALUE = 20_000;

/** UTF-16 code units, each of which takes at most three bytes of UTF-8. */
const LONGEST_TEXT = Math.floor(MOST_BYTES / 3) - 1;

const anywhere = (): ValuePlace => 'text';

const drawn = (card: Card) => ({ outputs: markedUp(showMail(card).outputs, UNMARKED) });

const TEXT: TextKind = { escape: cleanText, most: LONGEST_VALUE, placeOf: anywhere, drawn };

const KINDS: Readonly<Record<string, TextKind>> = {
  subject: { escape: cleanLine, most: 300, placeOf: anywhere, drawn },
  html: {
    escape: linesAsHtml,
    most: LONGEST_VALUE,
    placeOf: placeInHtml,
    drawn: (card) => ({ outputs: outputsAsHtml(showMail(card)).text }),
  },
};

const PART = { required: false, kind: 'string' } as const;

export const ownMails = {
  parts: { subject: PART, text: PART, html: PART },
  textAt: ([part]) => KINDS[part ?? ''] ?? TEXT,
  compose,
  inspect: () => [],
} satisfies OwnMessages<EmailMessage>;

export const emailFormat = {
  name: 'email',
  compose: (card) => composed(composeMail(card)),
  own: ownMails,
} satisfies MessageFormat<EmailMessage>;

function composed(message: EmailMessage): Composed<EmailMessage> {
  const { subject, text, html } = message;
  return {
    message,
    title: subject,
    asText: () => mailAsText(message),
    asHtml: () => html || textAsHtml(text),
  };
}

export function mailAsText({ subject, text }: Pick<EmailMessage, 'subject' | 'text'>): string {
  return `${subject}\n\n${text}`.trimEnd();
}

/** A missing subject or text is the card's. Without its own HTML the mail is plain text. */
function compose(parts: RenderedParts, card: Card): Composed<EmailMessage> {
  const { language } = card;
  // Cut in the middle, since the essence of a text is mostly at its beginning or end.
  const own = cutMiddle(tidied(stringOf(parts['text'])), LONGEST_TEXT, leftOutMark(language));
  const html = stringOf(parts['html']).trim();
  return composed({
    subject: subjectOf(stringOf(parts['subject']) || card.summary, language),
    text: own === '' ? composeMail(card).text : `${own}\n`,
    // Too large HTML is dropped, since a cut would break it.
    html: Buffer.byteLength(html) > MOST_BYTES ? '' : html,
  });
}

function stringOf(value: RenderedParts[string] | undefined): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

const COMMENT = /<!--.*?(?:-->|$)/gs;
const CLOSED_TAG = /<[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;
const QUOTED_ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*))$/;

/** Attributes that must not hold values: scripts, styles, `srcdoc` (parsed as HTML again), and addresses to load or send to. */
const NO_TEXT =
  /^(?:on.*|style|srcdoc|src|srcset|xlink:href|data|poster|action|formaction|background|cite|longdesc|ping)$/i;

/** Where in HTML a value would stand (HTML Standard, "Attributes"): in text, in an address, or where it is not allowed. */
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
