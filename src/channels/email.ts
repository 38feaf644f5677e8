/** The email channel: one SMTP server, pooled connections, one recipient a mail. */
import { Readable } from 'node:stream';
import type { PluginFunction, SMTPPoolSentMessageInfo, Transporter } from 'nodemailer';
import { object, string } from 'yup';
import type { InferType } from 'yup';
import { AddressError } from './channel.ts';
import type { Channel, ChannelType, Outgoing, Receipt } from './channel.ts';
import { emailFormat } from './email-format.ts';
import type { EmailMessage } from './email-format.ts';
import { InFlight } from './in-flight.ts';
import { mailDomainOf, parseMailAddress, parseMailbox } from './mail-address.ts';
import type { Letter } from './mail-writer.ts';
import { smtpFailureOf } from './smtp-errors.ts';
import { isSmtpUrl, poolOptionsOf, secretsInSmtpUrl, warningsOfSmtpUrl } from './smtp-url.ts';

const VERIFY_TIMEOUT_MS = 10_000;

const emailSettings = object({
  smtp: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the URL of the mail server, e.g. smtps://user:password@mail.example.com')
    .test(
      'url',
      '${path} must be an smtp:// or smtps:// URL; percent-encode / : @ ? # % in the user name and password',
      (text) => isSmtpUrl(text),
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
  const [{ createTransport }, { mailWriterFor }] = await Promise.all([
    import('nodemailer'),
    import('./mail-writer.ts'),
  ]);
  const transport = createTransport(poolOptionsOf(smtp)).use('stream', streamAsWritten);
  const sender = parseMailbox(from);
  const domain = mailDomainOf(sender.address);
  const write = mailWriterFor(sender);
  const secrets = secretsInSmtpUrl(smtp);
  const inFlight = new InFlight();
  const classed = <T>(work: () => Promise<T>): Promise<T> =>
    inFlight.run(work).catch((error: unknown) => {
      throw smtpFailureOf(error, secrets);
    });
  // The envelope is given apart from the headers, so that no header can add a recipient.
  const sendUntil = (signal: AbortSignal, letter: Letter): Promise<SMTPPoolSentMessageInfo> =>
    transport.sendMail({
      envelope: { from: sender, to: letter.to },
      messageId: letter.messageId,
      raw: write(letter),
      signal,
    });
  return {
    send: (outgoing) =>
      classed(async () => {
        const letter = letterOf(outgoing, domain);
        return receiptOf(await withDeadline(outgoing.timeoutMs, (signal) => sendUntil(signal, letter)));
      }),
    verify: () => classed(() => withDeadline(VERIFY_TIMEOUT_MS, (signal) => verifyUntil(signal, transport))),
    close: async () => {
      await inFlight.close();
      transport.close();
    },
  };
}

function letterOf({ address, message, idempotencyKey }: Outgoing, domain: string): Letter {
  return {
    to: { name: '', address },
    messageId: `<${idempotencyKey()}@${domain}>`,
    message: message as EmailMessage,
  };
}

/** nodemailer's own stream of a message would take what is written already through three more. */
const streamAsWritten: PluginFunction<SMTPPoolSentMessageInfo> = ({ message, data }, done) => {
  message.createReadStream = () => streamOf(data.raw);
  done();
};

function streamOf(mail: unknown): Readable {
  return new Readable({
    read() {
      this.push(mail);
      this.push(null);
    },
  });
}

/** A refused recipient resolves like an accepted one as long as another was accepted. */
function receiptOf({ messageId, rejected, rejectedErrors }: SMTPPoolSentMessageInfo): Receipt {
  if (rejected.length > 0) throw rejectedErrors?.[0] ?? new Error('the recipient was refused');
  return { messageId };
}

/** `AbortSignal.timeout()` keeps its timer, and makes its error in the end, however soon the work is done. */
async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(lateError()), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

function lateError(): DOMException {
  return new DOMException('The mail server did not answer in time', 'TimeoutError');
}

/** nodemailer's verify takes no signal; its own socket time-outs free the connection later. */
async function verifyUntil(signal: AbortSignal, transport: Pick<Transporter, 'verify'>): Promise<void> {
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  await Promise.race([transport.verify(), late]);
}
