/** A real SMTP server on loopback that keeps the mails it accepts and fails on demand. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

export interface CaughtMail {
  /** Envelope sender. */
  readonly from: string;
  /** Envelope recipients. */
  readonly to: readonly string[];
  readonly isSecure: boolean;
  /** The user name of the session's login; undefined: none. */
  readonly user: string | undefined;
  readonly parsed: Email;
  readonly raw: string;
}

export interface MailCatcherOptions {
  /** The only valid login. Without it, AUTH is disabled. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Offers STARTTLS, with smtp-server's publicly known certificate. Default false. */
  readonly offersTls?: boolean;
}

export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const catcher = new MailCatcher(options);
  await catcher.listen();
  return catcher;
}

type Done = (error?: Error | null) => void;

export class MailCatcher {
  /** `127.0.0.1:<port>`. */
  host = '';
  /** In the order of acceptance. Callers may empty the list. */
  readonly mails: CaughtMail[] = [];
  /** Each applies to every session until its `times` are used up or a caller removes it. */
  readonly faults: MailFault[] = [];
  /** Connections made so far. */
  connectionCount = 0;
  readonly #sockets = new Set<Socket>();
  readonly #smtp: SMTPServer;

  constructor(options: MailCatcherOptions) {
    this.#smtp = new SMTPServer(this.#serverOptions(options));
    // Tests make clients hang up in mid-session, which is no failure of the server.
    this.#smtp.on('error', () => undefined);
    this.#smtp.server.on('connection', (socket: Socket) => {
      this.connectionCount += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    const listener = this.#smtp.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    this.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  /** Drops every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#smtp.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serverOptions({ login, offersTls = false }: MailCatcherOptions): SMTPServerOptions {
    return {
      logger: false,
      disableReverseLookup: true,
      authOptional: login === undefined,
      allowInsecureAuth: true,
      disabledCommands: [...(login === undefined ? ['AUTH'] : []), ...(offersTls ? [] : ['STARTTLS'])],
      onConnect: (session, done) => this.#step('connect', session, done),
      onAuth: ({ username, password }, session, done) =>
        this.#step('auth', session, (error) => {
          const isRight = username === login?.user && password === login?.password;
          if (error) done(error);
          else done(isRight ? null : refusalError(535, 'authentication failed'), { user: username });
        }),
      onMailFrom: (_address, session, done) => this.#step('mail', session, done),
      onRcptTo: ({ address }, session, done) => this.#step('rcpt', session, done, address),
      onData: (stream, session, done) => void this.#receive(session, stream, done),
    };
  }

  /** Completes the step, or applies its next fault. */
  #step(at: MailStep, session: SMTPServerSession, done: Done, address?: string): void {
    const fault = this.#takeFault(at, address);
    if (fault === undefined) done();
    else if (fault.does === 'refuse') done(refusalError(fault.code, fault.text));
    else if (fault.does === 'drop') this.#drop(session);
  }

  async #receive(session: SMTPServerSession, stream: NodeJS.ReadableStream, done: Done): Promise<void> {
    const raw = await buffer(stream).catch(() => undefined);
    // The client hung up during the message.
    if (raw === undefined) return;
    const mail = await readMail(session, raw);
    const fault = this.#takeFault('data');
    // A refused message is not accepted. After a drop or hang at the end of the data, the message counts as accepted.
    if (fault?.does === 'refuse') return done(refusalError(fault.code, fault.text));
    if (fault?.does === 'delay') await fault.until();
    this.mails.push(mail);
    if (fault?.does === 'drop') return this.#drop(session);
    if (fault?.does !== 'hang') done();
  }

  #takeFault(at: MailStep, address?: string): MailFault | undefined {
    const { faults } = this;
    const index = faults.findIndex((fault) => fault.at === at && (fault.address ?? address) === address);
    const fault = faults[index];
    if (fault === undefined) return undefined;
    const { times = Infinity } = fault;
    if (times > 1) faults[index] = { ...fault, times: times - 1 };
    else faults.splice(index, 1);
    return fault;
  }

  #drop(session: SMTPServerSession): void {
    for (const socket of this.#sockets) if (socket.remotePort === session.remotePort) socket.destroy();
  }
}

async function readMail(session: SMTPServerSession, raw: Buffer): Promise<CaughtMail> {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    isSecure: session.secure,
    user: typeof session.user === 'string' ? session.user : undefined,
    parsed: await PostalMime.parse(raw),
    raw: raw.toString('utf8'),
  };
}

/** A step that can fail: the greeting, or the answer to AUTH, MAIL FROM, RCPT TO or the end of the message. */
export type MailStep = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

export type MailFault = {
  readonly at: MailStep;
  /** At `rcpt`: only for this recipient. */
  readonly address?: string;
  /** How often it happens. Default always. */
  readonly times?: number;
} & (
  | { readonly does: 'refuse'; readonly code: number; readonly text: string }
  /** `hang` never answers; `drop` closes the connection, at `data` after accepting the message. */
  | { readonly does: 'hang' | 'drop' }
  | { readonly at: 'data'; readonly does: 'delay'; readonly until: () => Promise<unknown> }
);

/** smtp-server answers with the error's `responseCode`. */
function refusalError(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
