/** A local mail server on loopback: a real SMTP server that keeps what it is given and fails on demand. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A mail that was accepted. */
export interface CaughtMail {
  /** Envelope sender. */
  readonly from: string;
  /** Envelope recipients. */
  readonly to: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Whoever logged in. */
  readonly user: string | undefined;
  readonly parsed: Email;
  readonly raw: string;
}

export interface MailCatcherOptions {
  /** Loopback port; 0 or none: any free one. */
  readonly port?: number;
  /** The one login; none: nobody need log in. */
  readonly login?: { readonly user: string; readonly password: string };
  /** STARTTLS with smtp-server's publicly known certificate; false where it is left out. */
  readonly offersTls?: boolean;
  /** Connections at the same time; whoever comes past it is greeted with 421. Any number where it is left out. */
  readonly maxConnections?: number;
}

export interface MailCatcher {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  /** In the order of acceptance; may be emptied. */
  readonly mails: CaughtMail[];
  /** Each applies to every session until it is used up or taken out. */
  readonly faults: MailFault[];
  /** Connections made so far. */
  connectionCount(): number;
  /** Drops every connection. */
  close(): Promise<void>;
}

type Done = (error?: Error | null) => void;

interface State extends Pick<MailCatcher, 'mails' | 'faults'> {
  readonly options: MailCatcherOptions;
  readonly sockets: Set<Socket>;
  connections: number;
}

export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const state: State = { options, mails: [], faults: [], sockets: new Set(), connections: 0 };
  const smtp = new SMTPServer(serverOptions(state));
  // A client that hangs up in the middle is a test's doing, not a failure of the server.
  smtp.on('error', () => undefined);
  smtp.server.on('connection', (socket: Socket) => watch(state, socket));
  const listener = smtp.listen(options.port ?? 0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    mails: state.mails,
    faults: state.faults,
    connectionCount: () => state.connections,
    close: () => closeServer(smtp, state),
  };
}

function watch(state: State, socket: Socket): void {
  state.connections += 1;
  state.sockets.add(socket);
  socket.once('close', () => state.sockets.delete(socket));
}

function serverOptions(state: State): SMTPServerOptions {
  const { login, offersTls = false, maxConnections } = state.options;
  return {
    logger: false,
    disableReverseLookup: true,
    ...(maxConnections !== undefined && { maxClients: maxConnections }),
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(login === undefined ? ['AUTH'] : []), ...(offersTls ? [] : ['STARTTLS'])],
    onConnect: (session, done) => step(state, 'connect', session, done),
    onAuth: ({ username, password }, session, done) =>
      step(state, 'auth', session, (error) => {
        const isRight = username === login?.user && password === login?.password;
        if (error) done(error);
        else done(isRight ? null : refusalError(535, 'authentication failed'), { user: username });
      }),
    onMailFrom: (_address, session, done) => step(state, 'mail', session, done),
    onRcptTo: ({ address }, session, done) => step(state, 'rcpt', session, done, address),
    onData: (stream, session, done) => void receive(state, session, stream, done),
  };
}

/** Goes on, or lets the next fault of this step happen. */
function step(state: State, at: MailStep, session: SMTPServerSession, done: Done, address?: string): void {
  const fault = takeFault(state.faults, at, address);
  if (fault === undefined) done();
  else if (fault.does === 'refuse') done(refusalError(fault.code, fault.text));
  else if (fault.does === 'drop') drop(state, session);
  else if (fault.does === 'delay') void resume(fault.until(), done);
}

async function resume(until: Promise<unknown>, done: Done): Promise<void> {
  await until;
  done();
}

async function receive(
  state: State,
  session: SMTPServerSession,
  stream: NodeJS.ReadableStream,
  done: Done,
): Promise<void> {
  const raw = await buffer(stream).catch(() => undefined);
  // The client hung up in the middle, so nobody waits for an answer.
  if (raw === undefined) return;
  const mail = await readMail(session, raw);
  const fault = takeFault(state.faults, 'data');
  // A refused message was not taken; a connection that drops or hangs after the last byte leaves one that was.
  if (fault?.does === 'refuse') return done(refusalError(fault.code, fault.text));
  if (fault?.does === 'delay') await fault.until();
  state.mails.push(mail);
  if (fault?.does === 'drop') return drop(state, session);
  if (fault?.does !== 'hang') done();
}

async function readMail(session: SMTPServerSession, raw: Buffer): Promise<CaughtMail> {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    at: Date.now(),
    isSecure: session.secure,
    user: typeof session.user === 'string' ? session.user : undefined,
    parsed: await PostalMime.parse(raw),
    raw: raw.toString('utf8'),
  };
}

function takeFault(faults: MailFault[], at: MailStep, address?: string): MailFault | undefined {
  const index = faults.findIndex((fault) => fault.at === at && (fault.address ?? address) === address);
  const fault = faults[index];
  if (fault === undefined) return undefined;
  const { times = Infinity } = fault;
  if (times > 1) faults[index] = { ...fault, times: times - 1 };
  else faults.splice(index, 1);
  return fault;
}

function drop(state: State, session: SMTPServerSession): void {
  for (const socket of state.sockets) {
    if (socket.remotePort === session.remotePort) socket.destroy();
  }
}

async function closeServer(smtp: SMTPServer, state: State): Promise<void> {
  const closed = new Promise<void>((resolve) => smtp.close(resolve));
  for (const socket of state.sockets) socket.destroy();
  await closed;
}

/** Before the greeting, or in answer to AUTH, MAIL FROM, RCPT TO, or the end of the message. */
export type MailStep = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

interface Occasion {
  readonly at: MailStep;
  /** At `rcpt`: this recipient alone. */
  readonly address?: string;
  /** How often it happens; always where it is left out. */
  readonly times?: number;
}

export type MailFault = Occasion &
  (
    | { readonly does: 'refuse'; readonly code: number; readonly text: string }
    /** No answer, ever. */
    | { readonly does: 'hang' }
    /** The connection is gone; at `data`, after the message was taken. */
    | { readonly does: 'drop' }
    | { readonly does: 'delay'; readonly until: () => Promise<unknown> }
  );

/** The error by which smtp-server answers with `code`. */
function refusalError(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
