/** The message format of mails: a subject of one line, a complete plain text and HTML, drawn from a card, or written by a template. */
import { object } from 'yup';
import { cleanLine, cleanText } from '../../text/clean.ts';
import { cutMiddle, shortLine } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import type { Card } from '../card.ts';
import type {
  Composed,
  MessageFormat,
  OwnMessages,
  RenderedParts,
  TextKind,
  ValuePlace,
} from '../channel.ts';
import { fitted, type Limit } from '../fit.ts';
import { markedUp, UNMARKED } from '../lines.ts';
import { leftOutMark } from '../marks.ts';
import { textAsHtml } from '../preview.ts';
import { TEMPLATE_TEXT } from '../settings.ts';
import { linesOfCard, type CardLimits, type ShownCard, tidied } from '../show-card.ts';
import { frameOf } from './frame.ts';
import { linesAsHtml } from './html.ts';

export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  /** '' if the mail is plain text only. */
  readonly html: string;
  /** A text file; left out where there is none, so that `preview` shows what is sent. */
  readonly attachment?: Card['attachment'];
}

const MOST: CardLimits = {
  outputs: 40,
  items: 500,
  facts: 20,
  characters: 32_000,
  tables: Infinity,
};

/** Gmail cuts mails beyond about 102 KB and shows the rest behind a link. */
export const MOST_BYTES = 80_000;

const LIMIT: Limit<EmailMessage> = {
  most: MOST_BYTES,
  of: ({ text, html }) => Math.max(Buffer.byteLength(text), Buffer.byteLength(html)),
};

/** HTML cannot be cut without breaking it, so it is the card that is fitted. */
export function composeMail(card: Card): EmailMessage {
  const subject = subjectOf(card.summary, card.language);
  const { attachment } = card;
  return fitted(card, MOST, LIMIT, (shown) => {
    const mail = { subject, text: textOf(shown), html: frameOf(shown, card) };
    return attachment === undefined ? mail : { ...mail, attachment };
  }).message;
}

/** Mail readers show the first 40 to 70 characters. */
const LONGEST_SUBJECT = 150;

const NO_SUBJECT: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

function subjectOf(summary: string, language: Language): string {
  return shortLine(summary, LONGEST_SUBJECT) || NO_SUBJECT[language];
}

const PARAGRAPHS = [['title', 'text'], ['message'], ['outputs'], ['link'], ['facts']] as const;

function textOf(shown: ShownCard): string {
  const paragraphs = PARAGRAPHS.map((parts) => markedUp(linesOfCard(shown, parts), UNMARKED));
  return `${paragraphs.filter((part) => part !== '').join('\n\n')}\n`;
}

const LONGEST_VALUE = 20_000;

/** UTF-16 code units, each of which takes at most three bytes of UTF-8. */
const LONGEST_TEXT = Math.floor(MOST_BYTES / 3) - 1;

const anywhere = (): ValuePlace => 'text';

const TEXT: TextKind = { escape: cleanText, most: LONGEST_VALUE, placeOf: anywhere };

const KINDS: Readonly<Record<string, TextKind>> = {
  subject: { escape: cleanLine, most: 300, placeOf: anywhere },
  html: { escape: linesAsHtml, most: LONGEST_VALUE, placeOf: placeInHtml },
};

export const ownMails = {
  parts: object({ subject: TEMPLATE_TEXT, text: TEMPLATE_TEXT, html: TEMPLATE_TEXT }),
  textAt: ([part]) => KINDS[part ?? ''] ?? TEXT,
  compose,
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

/** A template without a subject or text gets the card's; without HTML, the mail is plain text. */
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
    ...(card.attachment && { attachment: card.attachment }),
  });
}

function stringOf(value: RenderedParts[string] | undefined): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

const COMMENT = /<!--(?:-?>|.*?--!?>)/gs;
const CLOSED_TAG = /<[a-z/!?\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/!?\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;
const CLOSED_QUOTES = /"[^"]*"|'[^']*'/g;
const QUOTED_ATTRIBUTE = /(?<!=\s*)[\s/]([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*))$/;

/** Attributes that must not hold values: scripts, styles, `srcdoc` (parsed as HTML again), and addresses to load or send to. */
const NO_TEXT =
  /^(?:on.*|style|srcdoc|src|srcset|xlink:href|data|poster|action|formaction|content|background|cite|longdesc|ping)$/i;

/** Where in HTML a value would stand (HTML Standard, "Attributes"): in text, in an address, or where it is not allowed. */
export function placeInHtml(before: string, behind: string): ValuePlace {
  const markup = before.replace(COMMENT, '');
  if (/<!--|<(script|style)\b(?!.*<\/\1)/is.test(markup)) return 'nowhere';
  const tag = OPEN_TAG.exec(markup.replace(CLOSED_TAG, ''))?.[0];
  if (tag === undefined) return 'text';
  const [attribute, name = '', ...values] = QUOTED_ATTRIBUTE.exec(tag.replace(CLOSED_QUOTES, 'x ')) ?? [];
  if (attribute === undefined || NO_TEXT.test(name)) return 'nowhere';
  if (name.toLowerCase() !== 'href') return 'text';
  const isAlone = values.join('').trim() === '' && /^\s*["']/.test(behind);
  return isAlone ? 'address' : 'nowhere';
}
