/** The shape of a mail: a subject of one line, a plain text part that stands alone, and HTML. */
import { cleanLine, escapeHtml } from '../../text/clean.ts';
import { cutEnd, cutMiddle, fits, UTF8_BYTES } from '../../text/cut.ts';
import {
  type OldComposeContext as ComposeContext,
  type LimitUse,
  type OldMessageFormat as MessageFormat,
  type RenderedParts,
  type TemplateValue,
} from '../channel.ts';
import { leftOutMark } from '../marks.ts';
import type { Language } from '../../time/display.ts';
import { HTML, MAIL_TEXT, SUBJECT } from './markup.ts';
import type { Markup } from '../markup.ts';

export interface EmailMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Mail readers show the first 40 to 70 characters. */
const MAX_SUBJECT_LENGTH = 150;

/** Gmail clips what is longer than about 102 KB and hides the rest behind a link. */
export const MAX_HTML_BYTES = 80_000;

const MAX_TEXT_BYTES = 80_000;

const NO_SUBJECT: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

const PLAIN_STYLE =
  "font:14px/1.6 Menlo,Consolas,'Noto Sans JP',monospace;white-space:pre-wrap;overflow-wrap:anywhere;color:#1f2328;background-color:#fdfdfd;padding:16px;margin:0";

export const emailFormat: MessageFormat<EmailMessage> = {
  name: 'email',
  parts: {
    subject: { required: false, kind: 'string' },
    text: { required: true, kind: 'string' },
    html: { required: false, kind: 'string', mayBeLeftOut: true },
  },
  markupOf,
  compose,
  inspect,
  limitsOf,
  asText: ({ subject, text }) => `${subject}\n\n${text}`.trimEnd(),
  asHtml: ({ html }) => html,
  titleOf: ({ subject }) => subject,
};

function markupOf(path: readonly (string | number)[]): Markup {
  if (path[0] === 'subject') return SUBJECT;
  return path[0] === 'html' ? HTML : MAIL_TEXT;
}

function compose(parts: RenderedParts, { language }: ComposeContext): EmailMessage {
  const subject = cutEnd(cleanLine(stringOf(parts['subject'])), MAX_SUBJECT_LENGTH, '…');
  // What a mail is about stands at its beginning or at its end.
  const text = cutMiddle(
    tidyText(stringOf(parts['text'])),
    MAX_TEXT_BYTES,
    leftOutMark(language),
    UTF8_BYTES,
  );
  const html = stringOf(parts['html']).toWellFormed().trim();
  return {
    subject: subject === '' ? NO_SUBJECT[language] : subject,
    text,
    // Nothing can be cut out of HTML without breaking it: what is too long is sent as plain text.
    html: html === '' || !fits(UTF8_BYTES, html, MAX_HTML_BYTES) ? htmlOfText(text, language) : html,
  };
}

function stringOf(value: TemplateValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Looked for at the beginning of each run of blanks only: from every blank on, a long run would take its square. */
const BLANKS_AT_LINE_END = /(?<![ \t])[ \t]+$/gmu;

/** Left out blocks of a template leave blank lines behind. */
function tidyText(text: string): string {
  return `${text
    .toWellFormed()
    .replace(BLANKS_AT_LINE_END, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim()}\n`;
}

/** The text as it is, within the limit after escaping. */
function htmlOfText(text: string, language: Language): string {
  const escaped = escapeHtml(text);
  const room = MAX_HTML_BYTES - PLAIN_STYLE.length - 100;
  if (Buffer.byteLength(escaped) <= room) return wrapPlain(escaped);
  // Six bytes for one are the most that escaping and UTF-8 make of a UTF-16 unit.
  return wrapPlain(escapeHtml(cutMiddle(text, Math.floor(room / 6), leftOutMark(language))));
}

function wrapPlain(escaped: string): string {
  return `<pre dir="auto" style="${PLAIN_STYLE}">${escaped}</pre>`;
}

function inspect(message: EmailMessage): ReturnType<MessageFormat['inspect']> {
  const parts: Readonly<Record<string, unknown>> = { ...message };
  return Object.keys(emailFormat.parts)
    .filter((part) => parts[part] !== undefined && typeof parts[part] !== 'string')
    .map((part) => ({ path: [part], message: `"${part}" must be a string` }));
}

function limitsOf({ subject, text, html }: EmailMessage): readonly LimitUse[] {
  return [
    {
      name: { en: 'Subject', ja: '件名' },
      used: subject.length,
      most: MAX_SUBJECT_LENGTH,
      unit: 'characters',
    },
    {
      name: { en: 'Plain text', ja: 'テキスト本文' },
      used: Buffer.byteLength(text),
      most: MAX_TEXT_BYTES,
      unit: 'bytes',
    },
    {
      name: { en: 'HTML', ja: 'HTML本文' },
      used: Buffer.byteLength(html),
      most: MAX_HTML_BYTES,
      unit: 'bytes',
    },
  ];
}
