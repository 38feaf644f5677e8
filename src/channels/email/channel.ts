/** The email channel: its settings and addresses, one recipient a mail; what talks to the server is in `smtp-pool.ts`. */
import { object, string } from 'yup';
import type { InferType } from 'yup';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { AddressError } from '../channel.ts';
import type { Channel, ChannelType, Outgoing, Receipt } from '../channel.ts';
import { emailFormat } from './format.ts';
import type { EmailMessage } from './format.ts';
import { InFlight } from '../in-flight.ts';
import { mailDomainOf, parseMailAddress, parseMailbox, wireAddressOf } from './address.ts';
import type { Letter } from './writer.ts';
import { smtpFailureOf } from './smtp-errors.ts';
import { isSmtpUrl, poolOptionsOf, secretsInSmtpUrl, warningsOfSmtpUrl, withService } from './smtp-url.ts';

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
  pace: { addressMs: 1000, channelMs: 100 },
  settings: emailSettings,
  options: {},
  formatOf: () => emailFormat,
  // By References (RFC 5322, 3.6.4).
  capabilitiesOf: () => ({ thread: true, update: false }),
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
  const [{ SmtpPool }, { mailWriterFor }] = await Promise.all([
    import('./smtp-pool.ts'),
    import('./writer.ts'),
  ]);
  const pool = new SmtpPool(await withService(poolOptionsOf(smtp)));
  const sender = parseMailbox(from);
  const domain = mailDomainOf(sender.address);
  const write = mailWriterFor(sender);
  const hide = secretsHidden(secretsInSmtpUrl(smtp));
  const inFlight = new InFlight();
  const classed = <T>(work: () => Promise<T>): Promise<T> =>
    inFlight.run(work).catch((error: unknown) => {
      throw smtpFailureOf(error, hide);
    });
  // The envelope is given apart from the headers, so that no header can add a recipient.
  const deliver = async (outgoing: Outgoing): Promise<Receipt> => {
    const letter = letterOf(outgoing, domain);
    const mail = {
      from: wireAddressOf(sender.address),
      to: wireAddressOf(outgoing.address),
      raw: write(letter),
    };
    await pool.send(mail, outgoing.timeoutMs);
    return { messageId: letter.messageId };
  };
  return {
    send: (outgoing) => classed(() => deliver(outgoing)),
    verify: () => classed(() => pool.verify(VERIFY_TIMEOUT_MS)),
    close: async () => {
      await inFlight.close();
      pool.close();
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
