/** The email channel. Each mail has one recipient. */
import { hash } from 'node:crypto';
import type { SendMailOptions } from 'nodemailer';
import { loadHttp } from '../../outbound/exchange.ts';
import { shortLine } from '../../text/cut.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import {
  type Channel,
  type ChannelEnvironment,
  type ChannelType,
  jobKeyOf,
  type Outgoing,
  type Receipt,
} from '../channel.ts';
import type { DeliveryFailure } from '../failure.ts';
import { loginPauseMs } from '../login-pause.ts';
import { openedChannel } from '../open-channel.ts';
import { type TurnLimits, Turns } from '../turns.ts';
import { type Mailbox, mailDomainOf, parseMailAddress, parseMailbox, wireAddressOf } from './address.ts';
import { emailFormat, type EmailMessage } from './format.ts';
import { accessTokens } from './oauth.ts';
import { type EmailSettings, emailSettings, secretsOfEmail, warningsOfEmail } from './settings.ts';
import { smtpFailureOf } from './smtp-errors.ts';
import { hasLogin, poolOptionsOf, turnLimitsOf } from './smtp-url.ts';

const VERIFY_TIMEOUT_MS = 10_000;

export const emailChannel: ChannelType<EmailSettings> = {
  type: 'email',
  pace: { addressMs: 1000, channelMs: 100 },
  // A job's mails always form a thread, by their references.
  perJob: ['thread'],
  settings: emailSettings,
  formatOf: () => emailFormat,
  parseAddress: parseMailAddress,
  secretsOf: secretsOfEmail,
  warningsOf: warningsOfEmail,
  open: openEmail,
};

async function openEmail(settings: EmailSettings, { openPool }: ChannelEnvironment): Promise<Channel> {
  const { smtp, oauth } = settings;
  const { openTransport } = await import('./transport.ts');
  if (oauth) await loadHttp();
  const tokens = oauth && accessTokens(oauth, openPool);
  const transport = openTransport({ ...poolOptionsOf(smtp), ...(tokens && { auth: tokens.auth }) });
  const logins = new Logins(turnLimitsOf(smtp), tokens !== undefined || hasLogin(smtp));
  const hide = secretsHidden(secretsOfEmail(settings));
  const loggedIn = <T>(work: () => Promise<T>) => tokens?.renewed(work) ?? work();
  const failureOf = (error: unknown, refusedBefore = logins.refusals) =>
    smtpFailureOf(error, (words) => hide(tokens?.hide(words) ?? words), loginPauseMs(refusedBefore));
  const send = async (outgoing: Outgoing): Promise<Receipt> => {
    const mail = mailOf(outgoing, settings);
    const until = performance.now() + outgoing.timeoutMs;
    const onHandedOver = outgoing.onHandedOver && (() => (logins.taken(), outgoing.onHandedOver?.()));
    const { refusals } = logins;
    const limits = () => ({ ...outgoing, onHandedOver, timeoutMs: until - performance.now() });
    try {
      await loggedIn(() => transport.send(mail, limits()));
    } catch (error) {
      const failure = failureOf(error, refusals);
      logins.failed(failure, refusals);
      throw failure;
    }
    logins.taken();
    logins.refusals = 0;
    return { messageId: mail.messageId };
  };
  return openedChannel({
    turn: logins.turns.take,
    send,
    verify: () => loggedIn(() => transport.verify(VERIFY_TIMEOUT_MS)),
    free: async () => {
      transport.close();
      await tokens?.close();
    },
    failureOf: (error) => failureOf(error),
  });
}

/** Until the server accepts the login, one mail at a time tries it: servers lock out a client that goes on with a login that they refuse. */
class Logins {
  readonly turns: Turns;
  /** Logins refused since the last accepted one. */
  refusals = 0;
  readonly #most: number;
  readonly #limits: TurnLimits & { connections: number };

  constructor(limits: TurnLimits, hasLogin: boolean) {
    this.#most = limits.connections;
    this.#limits = { ...limits, connections: hasLogin ? 1 : this.#most };
    this.turns = new Turns(this.#limits);
  }

  taken(): void {
    this.#limits.connections = this.#most;
    this.turns.serve();
  }

  /** @param refusedBefore `refusals` when the mail began: logins that are refused at the same time count as one */
  failed({ class: failed, retryAfterMs }: DeliveryFailure, refusedBefore: number): void {
    const isLogin = failed === 'config' && retryAfterMs !== undefined;
    this.#limits.connections = isLogin ? 1 : this.#most;
    if (isLogin) this.refusals = refusedBefore + 1;
  }
}

/** Suppress automatic replies such as out-of-office notices (RFC 3834, 5, and Microsoft's counterpart). */
const MACHINE_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

function mailOf(
  outgoing: Outgoing,
  settings: EmailSettings,
): SendMailOptions & { readonly messageId: string } {
  const { address, message } = outgoing;
  const { subject, text, html, attachment } = message as EmailMessage;
  const { reply_to: replyTo } = settings;
  const from = parseMailbox(settings.from);
  return {
    ...threadOf(outgoing, from),
    messageId: `<${outgoing.idempotencyKey()}@${mailDomainOf(from.address)}>`,
    from,
    ...(replyTo !== undefined && { replyTo: parseMailbox(replyTo) }),
    to: { name: '', address },
    // Set explicitly, so that no header can add a recipient.
    envelope: { from: wireAddressOf(from.address), to: wireAddressOf(address) },
    // A mail reader would decode what looks like an encoded word (RFC 2047), and so undo the cleaning.
    subject: subject.replaceAll('=?', '= ?'),
    text,
    html,
    ...(attachment && { attachments: [{ filename: attachment.name, content: attachment.text }] }),
    // Quoted-printable is slower, and takes three characters for each byte of Japanese.
    textEncoding: 'base64',
    headers: { ...settings.headers, ...MACHINE_HEADERS, ...labelHeaders(outgoing) },
    xMailer: false,
  };
}

/** Characters; each line of a header may have 998 octets, and encoded words are folded. */
const LONGEST_LABEL = 200;

/** Headers for a mailbox's filter rules; nodemailer encodes what is not ASCII (RFC 2047). */
function labelHeaders({ labels }: Outgoing): Record<string, string> {
  if (labels === undefined) return {};
  const { bot, status, isError } = labels;
  const name = shortLine(bot, LONGEST_LABEL).replaceAll('=?', '= ?');
  return {
    ...(name !== '' && { 'X-Botbell-Bot': name, 'List-Id': `<${listIdOf(bot)}>` }),
    'X-Botbell-Status': status,
    ...(isError && { Importance: 'high' }),
  };
}

/** `List-Id` (RFC 2919) is the only header by which Gmail can filter. An id that is no short domain label gets a hash, so that it stays unique. */
function listIdOf(bot: string): string {
  const label = bot
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const isWhole = label === bot;
  return `${isWhole ? label : `${label}-${hash('sha256', bot, 'hex').slice(0, 8)}`.replace(/^-/, '')}.botbell.localhost`;
}

/** Mails with the same reference form a thread, even if no mail has that id (RFC 5322, 3.6.4). */
function threadOf(outgoing: Outgoing, from: Mailbox): Pick<SendMailOptions, 'references' | 'inReplyTo'> {
  const messageId = outgoing.perJob?.root?.['messageId'];
  const job = jobKeyOf(outgoing);
  if (job === undefined)
    return messageId === undefined ? {} : { references: messageId, inReplyTo: messageId };
  const root = `<job.${job}@${mailDomainOf(from.address)}>`;
  return { references: root, inReplyTo: root };
}
