/** Mail addresses: exactly one mailbox, in the form RFC 5321 gives it. */
import { domainToASCII, domainToUnicode } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { AddressError } from '../channel.ts';

/** RFC 5321, 4.5.3.1: local part 64 octets, path 256 with its angle brackets. */
const MAX_LOCAL_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 254;

/** RFC 5322 "dot-atom", RFC 1035 labels. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** The one mailbox with its domain in lower case; both spellings of a Japanese domain become one. @throws {AddressError} */
export function parseMailAddress(text: string): string {
  const address = text.trim();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = domainToASCII(address.slice(at + 1));
  if (at < 0 || domain === '' || !DOMAIN.test(domain)) throw notOneMailbox(text);
  if (/[^\p{ASCII}]/u.test(local)) {
    // SMTPUTF8 (RFC 6531) would be needed at every hop; where one lacks it, the mail is lost.
    throw new AddressError(`${quote(text)} has characters before the "@" that not every mail server takes`);
  }
  if (!LOCAL_PART.test(local)) throw notOneMailbox(text);
  if (local.length > MAX_LOCAL_LENGTH || local.length + 1 + domain.length > MAX_ADDRESS_LENGTH) {
    throw new AddressError(
      `the mail address is longer than the ${MAX_ADDRESS_LENGTH} characters that mail allows`,
    );
  }
  return `${local}@${domainToUnicode(domain)}`;
}

/** One mailbox that may bear a name: `BOT alerts <alerts@example.com>`. @throws {AddressError} */
export function parseMailbox(text: string): Mailbox {
  const [first, ...others] = addressparser(text);
  if (first?.address === undefined || others.length > 0 || /[\r\n\0]/.test(text)) throw notOneMailbox(text);
  return { name: first.name, address: parseMailAddress(first.address) };
}

/** As it is written in SMTP without SMTPUTF8: its domain in ASCII. */
export function wireAddressOf(address: string): string {
  return `${address.slice(0, address.lastIndexOf('@') + 1)}${mailDomainOf(address)}`;
}

/** The part behind the `@`, in ASCII. */
export function mailDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

function notOneMailbox(text: string): AddressError {
  return new AddressError(
    `${quote(text)} is not one mail address: write it as name@example.com, each in an entry of its own`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_ADDRESS_LENGTH ? `${text.slice(0, MAX_LOCAL_LENGTH)}…` : text);
}
