/** Mail addresses, each a mailbox of RFC 5321. */
import { domainToASCII, domainToUnicode } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { type AddressError, noAddress } from '../channel.ts';

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Octets (RFC 5321, 4.5.3.1): the local part 64, the path 256 with its angle brackets. */
const MAX_LOCAL_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 254;

/** RFC 5322 "dot-atom" and "quoted-string", the latter without backslashes and angle brackets; RFC 1035 labels. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const QUOTED = /^"[ !#-;=?-[\]-~]+"$/;
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * One mailbox in lower case, its domain in Unicode, so that all spellings are equal, and unquoted where it can be. The local part
 * must be ASCII: else the mail is lost at a hop without SMTPUTF8 (RFC 6531). @throws {AddressError}
 */
export function parseMailAddress(text: string): string {
  return mailAddressIn(text).toLowerCase();
}

/** The same, with the local part as it is written: for senders. */
function mailAddressIn(text: string): string {
  const address = text.trim();
  const at = address.lastIndexOf('@');
  const local = unquoted(address.slice(0, Math.max(at, 0)));
  const domain = domainToASCII(address.slice(at + 1));
  const isShort = local.length <= MAX_LOCAL_LENGTH && local.length + 1 + domain.length <= MAX_ADDRESS_LENGTH;
  const isRight = DOMAIN.test(domain) && (DOT_ATOM.test(local) || QUOTED.test(local));
  if (!isShort || !isRight) throw notOneMailbox(text);
  return `${local}@${domainToUnicode(domain)}`;
}

function unquoted(local: string): string {
  const inside = local.replace(/^"(.*)"$/s, '$1');
  return DOT_ATOM.test(inside) ? inside : local;
}

/** One mailbox, with or without a name: `BOT alerts <alerts@example.com>`. @throws {AddressError} */
export function parseMailbox(text: string): Mailbox {
  const [first, ...others] = addressparser(text);
  if (first?.address === undefined || others.length > 0 || /[\r\n\0]/.test(text)) throw notOneMailbox(text);
  return { name: first.name, address: mailAddressIn(first.address) };
}

/** The address with its domain in ASCII, as SMTP without SMTPUTF8 needs it. */
export function wireAddressOf(address: string): string {
  return `${address.slice(0, address.lastIndexOf('@') + 1)}${mailDomainOf(address)}`;
}

/** The part behind the `@`, in ASCII. */
export function mailDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

function notOneMailbox(text: string): AddressError {
  return noAddress(
    text,
    `is not one mail address: write it as name@example.com, each in an entry of its own, ASCII before the "@" (with dots at an end or in a row as '"a..b"@example.com'), ${MAX_ADDRESS_LENGTH} characters at most`,
    `は1つのメールアドレスではありません。name@example.com のように、1件ずつ書いてください（@ の前はASCIIで、ドットの連続や先頭・末尾のドットがあれば '"a..b"@example.com' のように書きます。全体で${MAX_ADDRESS_LENGTH}文字まで）`,
  );
}
