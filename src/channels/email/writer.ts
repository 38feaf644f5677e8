/**
 * Writes a whole mail as it crosses the wire: its headers as nodemailer encodes them, its parts in base64. nodemailer's
 * own composer would take a dozen streams a mail, and as many writes to the socket.
 */
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import type { EmailMessage } from './format.ts';

/** RFC 2045, 6.8: characters on a line. */
const LINE_LENGTH = 76;

/** Characters of an encoded word, which nodemailer gives its own as well; RFC 2047 allows 75 with what is around them. */
const ENCODED_WORD_LENGTH = 52;

/** Base64 has no underscore, so no part can hold it. */
const BOUNDARY = '=_botbell';

/** RFC 3834, 5 and Microsoft's counterpart: no out-of-office answers to a machine. */
const MACHINE_HEADERS = ['Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: All'];

const MIME_HEADERS = ['MIME-Version: 1.0', `Content-Type: multipart/alternative; boundary="${BOUNDARY}"`];

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export interface Letter {
  readonly to: Mailbox;
  /** In angle brackets, ASCII. */
  readonly messageId: string;
  readonly message: EmailMessage;
}

/** Lends its encoder of headers, and holds no mail. */
const encoder = new MimeNode(false);

/** @returns what writes the mails of this sender */
export function mailWriterFor(from: Mailbox): (letter: Letter) => string {
  const sameInAll = [header('From', from), ...MACHINE_HEADERS, ...MIME_HEADERS];
  return ({ to, messageId, message }) =>
    [
      `Message-ID: ${messageId}`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      header('To', to),
      subjectHeader(message.subject),
      ...sameInAll,
      '',
      part('plain', message.text),
      part('html', message.html),
      `--${BOUNDARY}--\r\n`,
    ].join('\r\n');
}

function header(name: string, value: string | Mailbox): string {
  return foldLines(`${name}: ${encoder.encodeHeaderValue(name, value)}`);
}

/** Text that looks like an encoded word (RFC 2047) would be decoded after all cleaning: encoded itself, it is shown as it is. */
function subjectHeader(text: string): string {
  if (!text.includes('=?')) return header('Subject', text);
  return foldLines(`Subject: ${encodeWord(text, 'B', ENCODED_WORD_LENGTH)}`);
}

/** In UTF-8: in any other charset, spam filters mistrust text in base64. */
function part(subtype: string, text: string): string {
  return `--${BOUNDARY}\r\nContent-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64Lines(text)}`;
}

function base64Lines(text: string): string {
  const encoded = Buffer.from(text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')).toString('base64');
  let lines = '';
  for (let start = 0; start < encoded.length; start += LINE_LENGTH)
    lines += `${encoded.slice(start, start + LINE_LENGTH)}\r\n`;
  return lines;
}
