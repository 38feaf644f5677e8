/** The email channel: one SMTP server, pooled connections, one recipient a mail. */
import type { SendMailOptions, SMTPPoolSentMessageInfo } from 'nodemailer';
import { object, string } from 'yup';
import type { InferType } from 'yup';
import { AddressError } from './channel.ts';
import type { Channel, ChannelType, Outgoing, Receipt } from './channel.ts';
import { emailFormat } from './email-format.ts';
import type { EmailMessage } from './email-format.ts';
import { InFlight } from './in-flight.ts';
import { mailDomainOf, parseMailAddress, parseMailbox } from './mail-address.ts';
import type { Mailbox } from './mail-address.ts';
import { smtpFailureOf } from './smtp-errors.ts';
import { isSmtpUrl, poolOptionsOf, secretsInSmtpUrl, warningsOfSmtpUrl } from './smtp-url.ts';

const VERIFY_TIMEOUT_MS = 10_000;

/** RFC 3834, 5 and Microsoft's counterpart: no out-of-office answers to a machine. */
const MACHINE_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

const emailSettings = object({
  smtp: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the URL of the mail server, e.g. smtps://user:password@mail.example.com')
    .test(
      'url',
      '${path} must be an smtp:// or smtps:// URL; percent-encode / : @ ? # % in the user name and password',
      (text) => isSmtpUrl(text),
    ),
  from: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the sender, e.g. BOT alerts <alerts@example.com>')
    .test(
      'mailbox',
      '${path} must be one address: alerts@example.com or BOT alerts <alerts@example.com>',
      isMailbox,
    ),
})
  .noUnknown()
  .strict();

export type EmailSettings = InferType<typeof emailSettings>;

export const emailChannel: ChannelType<EmailSettings> = {
  type: 'email',
  settings: emailSettings,
  options: {},
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
  } catch (error) {
    if (error instanceof AddressError) return false;
    throw error;
  }
}

async function openEmail({ smtp, from }: EmailSettings): Promise<Channel> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(poolOptionsOf(smtp));
  const sender = parseMailbox(from);
  const secrets = secretsInSmtpUrl(smtp);
  const inFlight = new InFlight();
  const classed = <T>(work: () => Promise<T>): Promise<T> =>
    inFlight.run(work).catch((error: unknown) => {
      throw smtpFailureOf(error, secrets);
    });
  return {
    send: (outgoing) => classed(async () => receiptOf(await transport.sendMail(mailOf(sender, outgoing)))),
    verify: () => classed(() => withTimeLimit(transport.verify())),
    close: async () => {
      await inFlight.close();
      transport.close();
    },
  };
}

/** The envelope is given apart from the headers, so that no header can add a recipient. */
function mailOf(from: Mailbox, { address, message, idempotencyKey, timeoutMs }: Outgoing): SendMailOptions {
  const { subject, text, html } = message as EmailMessage;
  return {
    envelope: { from: from.address, to: [address] },
    from,
    to: { name: '', address },
    messageId: `<${idempotencyKey}@${mailDomainOf(from.address)}>`,
    headers: MACHINE_HEADERS,
    subject,
    text,
    html,
    signal: AbortSignal.timeout(timeoutMs),
  };
}

/** A refused recipient resolves like an accepted one as long as another was accepted. */
function receiptOf({ messageId, rejected, rejectedErrors }: SMTPPoolSentMessageInfo): Receipt {
  if (rejected.length > 0) throw rejectedErrors?.[0] ?? new Error('the recipient was refused');
  return { messageId };
}

/** nodemailer's verify takes no signal; its own socket time-outs free the connection later. */
async function withTimeLimit(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    const late = new DOMException('The mail server did not answer in time', 'TimeoutError');
    timer = setTimeout(() => reject(late), VERIFY_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
