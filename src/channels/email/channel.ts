/** The email channel: its settings and addresses. Each mail has one recipient, a mailbox of RFC 5321. */
import { hash } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { SendMailOptions } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import { type InferType, object, string } from 'yup';
import { shortLine } from '../../text/cut.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { AddressError, type Channel, type ChannelType, type Outgoing, type Receipt } from '../channel.ts';
import { openedChannel } from '../open-channel.ts';
import type { EmailMessage } from './compose.ts';
import { emailFormat } from './format.ts';
import { smtpFailureOf } from './smtp-errors.ts';
import { isSmtpUrl, poolOptionsOf, secretsInSmtpUrl, turnLimitsOf, warningsOfSmtpUrl } from './smtp-url.ts';
import { Turns } from './turns.ts';

const VERIFY_TIMEOUT_MS = 10_000;

const emailSettings = object({
  smtp: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the URL of the mail server, e.g. smtps://user:password@mail.example.com')
    .test(
      'url',
      '${path} must be an smtp:// or smtps:// URL; percent-encode / : @ ? # % in the user name and password',
      isSmtpUrl,
    )
    .meta({ example: 'smtps://mail.example.com' }),
  from: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the sender, e.g. BOT alerts <alerts@example.com>')
    .test(
      'mailbox',
      '${path} must be one address: alerts@example.com or BOT alerts <alerts@example.com>',
      isMailbox,
    )
    .meta({ example: 'alerts@example.com' }),
})
  .noUnknown()
  .strict();

type EmailSettings = InferType<typeof emailSettings>;

export const emailChannel: ChannelType<EmailSettings> = {
  type: 'email',
  pace: { addressMs: 1000, channelMs: 100 },
  calls: 3,
  // Always: the references of a job's mails make them a thread.
  perJob: ['thread'],
  settings: emailSettings,
  optionsOf: () => ({}),
  formatOf: () => emailFormat,
  parseAddress: parseMailAddress,
  secretsOf: ({ smtp }) => secretsInSmtpUrl(smtp),
  warningsOf: ({ smtp }) => warningsOfSmtpUrl(smtp),
  open: openEmail,
};

function isMailbox(text: string): boolean {
  try {
    parseMailbox(text);
    return true;
  } catch {
    return false;
  }
}

async function openEmail({ smtp, from }: EmailSettings): Promise<Channel> {
  const { openTransport } = await import('./transport.ts');
  const transport = openTransport(poolOptionsOf(smtp));
  const turns = new Turns(turnLimitsOf(smtp));
  const sender = parseMailbox(from);
  const hide = secretsHidden(secretsInSmtpUrl(smtp));
  const send = async (outgoing: Outgoing): Promise<Receipt> => {
    const messageId = `<${outgoing.idempotencyKey()}@${mailDomainOf(sender.address)}>`;
    const mail = { ...mailOf(outgoing, sender), ...threadOf(outgoing, sender), messageId };
    await transport.send(mail, outgoing);
    return { messageId };
  };
  return openedChannel({
    turn: (withinMs) => turns.take(withinMs),
    send,
    verify: () => transport.verify(VERIFY_TIMEOUT_MS),
    free: () => transport.close(),
    failureOf: (error) => smtpFailureOf(error, hide),
  });
}

/** Suppress automatic replies such as out-of-office notices (RFC 3834, 5, and Microsoft's counterpart). */
const MACHINE_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

function mailOf({ address, message }: Outgoing, from: Mailbox): SendMailOptions {
  const { subject, text, html } = message as EmailMessage;
  return {
    from,
    to: { name: '', address },
    // Set explicitly, so that no header can add a recipient.
    envelope: { from: wireAddressOf(from.address), to: wireAddressOf(address) },
    // A mail reader would decode what looks like an encoded word (RFC 2047), and so undo the cleaning.
    subject: subject.replaceAll('=?', '= ?'),
    text,
    html,
    // Quoted-printable is slower, and takes three characters for each byte of Japanese.
    textEncoding: 'base64',
    headers: MACHINE_HEADERS,
    xMailer: false,
  };
}

/** Mails with the same reference form a thread, even if no mail has that id (RFC 5322, 3.6.4). */
function threadOf({ jobId }: Outgoing, from: Mailbox): Pick<SendMailOptions, 'references' | 'inReplyTo'> {
  if (jobId === undefined) return {};
  const root = `<job.${hash('sha256', jobId, 'hex')}@${mailDomainOf(from.address)}>`;
  return { references: root, inReplyTo: root };
}

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Octets (RFC 5321, 4.5.3.1): the local part 64, the path 256 with its angle brackets. */
const MAX_LOCAL_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 254;

/** RFC 5322 "dot-atom", RFC 1035 labels. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * One mailbox, its domain in Unicode and lower case, so that both spellings of a Japanese domain are equal. The local part must be
 * ASCII: otherwise every hop would need SMTPUTF8 (RFC 6531), and the mail is lost at one that lacks it. @throws {AddressError}
 */
export function parseMailAddress(text: string): string {
  const address = text.trim();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = domainToASCII(address.slice(at + 1));
  const isShort = local.length <= MAX_LOCAL_LENGTH && local.length + 1 + domain.length <= MAX_ADDRESS_LENGTH;
  if (!LOCAL_PART.test(local) || !DOMAIN.test(domain) || !isShort) throw notOneMailbox(text);
  return `${local}@${domainToUnicode(domain)}`;
}

/** One mailbox, with or without a name: `BOT alerts <alerts@example.com>`. @throws {AddressError} */
export function parseMailbox(text: string): Mailbox {
  const [first, ...others] = addressparser(text);
  if (first?.address === undefined || others.length > 0 || /[\r\n\0]/.test(text)) throw notOneMailbox(text);
  return { name: first.name, address: parseMailAddress(first.address) };
}

/** The address with its domain in ASCII, as SMTP without SMTPUTF8 needs it. */
function wireAddressOf(address: string): string {
  return `${address.slice(0, address.lastIndexOf('@') + 1)}${mailDomainOf(address)}`;
}

/** The part behind the `@`, in ASCII. */
export function mailDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

function notOneMailbox(text: string): AddressError {
  return new AddressError(
    `${JSON.stringify(shortLine(text, MAX_LOCAL_LENGTH))} is not one mail address: write it as name@example.com, ASCII before the "@", ${MAX_ADDRESS_LENGTH} characters at most, each in an entry of its own`,
  );
}
