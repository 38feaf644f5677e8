/** One connection to a mail server: opened and logged in, then used for one mail after the other. It knows its phase. */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { SMTPPoolOptions } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { timeoutError, type SmtpPhase } from './smtp-errors.ts';

/** nodemailer bounds the connection and the greeting, but not a server that answers the login letter by letter. */
const LONGEST_OPENING_MS = 30_000;

/** A mail as it crosses the wire, its addresses in ASCII. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly raw: string;
}

const ignore = (): void => undefined;

export class SmtpSession {
  readonly #options: SMTPPoolOptions;
  readonly #onClosed: (session: SmtpSession) => void;
  #connection: SMTPConnection | undefined;
  #phase: SmtpPhase = 'connecting';
  #isClosed = false;
  #quitTimer: NodeJS.Timeout | undefined;
  /** Ends what is under way. */
  #fail: (error: unknown) => void = ignore;
  #mailCount = 0;
  #refusedInARow = 0;
  /** Of the limit on connections, when it was begun. */
  readonly generation: number;

  /** @param onClosed called once, whoever closed it */
  constructor(options: SMTPPoolOptions, onClosed: (session: SmtpSession) => void, generation = 0) {
    this.#options = options;
    this.#onClosed = onClosed;
    this.generation = generation;
  }

  /** Mails begun. */
  get mailCount(): number {
    return this.#mailCount;
  }

  /** Mails that the server refused since the last one that it took. */
  get refusedInARow(): number {
    return this.#refusedInARow;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How far it got, also after it has failed. */
  get phase(): SmtpPhase {
    if (this.#phase === 'connecting' && this.#connection?.stage === 'connected') return 'greeting';
    return this.#phase === 'message' && this.#isHeldBack() ? 'transfer' : this.#phase;
  }

  /** Rejects with nodemailer's error. To be called once. */
  async open(): Promise<void> {
    const deadline = setTimeout(() => this.abandon(timeoutError()), LONGEST_OPENING_MS);
    try {
      const proxied = await socketThroughProxy(this.#options);
      if (this.#isClosed) proxied?.destroy();
      await this.#during((resolve, reject) => this.#connect(proxied, resolve, reject));
      this.#phase = 'idle';
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Rejects with nodemailer's error, also where the server refuses the one recipient. */
  async deliver({ from, to, raw }: Mail): Promise<void> {
    clearTimeout(this.#quitTimer);
    this.#phase = 'envelope';
    this.#mailCount += 1;
    await this.#during((resolve, reject) => {
      const mail = streamOf(raw, () => {
        this.#phase = 'message';
      });
      this.#connection?.send({ from, to: [to] }, mail, (error, info) => {
        const refusal = error ?? info.rejectedErrors?.[0];
        if (refusal) reject(refusal);
        else resolve();
      });
    });
    this.#refusedInARow = 0;
    this.#phase = 'idle';
  }

  /** Makes it ready for the next mail after one that was refused. */
  async reset(): Promise<void> {
    this.#refusedInARow += 1;
    await this.#during((resolve, reject) => {
      this.#connection?.reset((error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    this.#phase = 'idle';
  }

  /** Unless it is used before. */
  quitAfter(ms: number): void {
    clearTimeout(this.#quitTimer);
    this.#quitTimer = setTimeout(() => this.quit(), ms).unref();
  }

  /** Sends QUIT and does not wait for an answer. */
  quit(): void {
    if (!this.#isClosed && this.#connection?.stage === 'connected') this.#connection.quit();
    this.#close();
  }

  /** Ends it at once. Whatever of a mail has not left yet never leaves. */
  abandon(reason: unknown): void {
    this.#phase = this.phase;
    this.#fail(reason);
    if (this.#phase === 'transfer') this.#socket()?.destroy();
    this.#close();
  }

  #connect(proxied: Socket | undefined, resolve: () => void, reject: (error: unknown) => void): void {
    const connection = new SMTPConnection({ ...this.#options, ...(proxied && { connection: proxied }) });
    this.#connection = connection;
    connection.on('error', (error) => this.#fail(error));
    // An error that says more comes right after.
    connection.once('end', () => setImmediate(() => this.#ended()));
    connection.connect((error) => {
      if (error) return reject(error);
      this.#phase = 'login';
      this.#login(connection, resolve, reject);
    });
  }

  /** As nodemailer's own transports: a server that offers no login is used without. */
  #login(connection: SMTPConnection, resolve: () => void, reject: (error: unknown) => void): void {
    const { auth, authMethod, forceAuth } = this.#options;
    const { user = '', pass = '' } = auth ?? {};
    const isOffered = connection.allowsAuth || forceAuth === true;
    if ((user === '' && pass === '') || !isOffered) return resolve();
    const method = authMethod ?? false;
    connection.login({ user, credentials: { user, pass }, method }, (error) => {
      if (error) reject(error);
      else resolve();
    });
  }

  #during(work: (resolve: () => void, reject: (error: unknown) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (this.#isClosed) reject(closedError());
      else work(resolve, reject);
    });
  }

  #ended(): void {
    this.#fail(closedError());
    this.#close();
  }

  #close(): void {
    clearTimeout(this.#quitTimer);
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection?.close();
    this.#onClosed(this);
  }

  /** Whether bytes of the mail, and so its end, wait for the network. */
  #isHeldBack(): boolean {
    return (this.#socket()?.writableLength ?? 0) > 0;
  }

  #socket(): Socket | undefined {
    if (this.#connection === undefined) return undefined;
    const { _socket: socket } = this.#connection;
    return socket || undefined;
  }
}

/** What nodemailer says of a connection that broke off. */
function closedError(): Error {
  return Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' });
}

/** @param onRead the server has asked for the message */
function streamOf(raw: string, onRead: () => void): Readable {
  return new Readable({
    read() {
      onRead();
      this.push(raw);
      this.push(null);
    },
  });
}

/** Undefined where no proxy is wanted. Rejects with EPROXY. */
async function socketThroughProxy(options: SMTPPoolOptions): Promise<Socket | undefined> {
  const { proxy, host = 'localhost', secure, connectionTimeout, tls } = options;
  if (typeof proxy !== 'string' || proxy === '') return undefined;
  if (!/^https?:/i.test(proxy)) throw Object.assign(new Error('Unknown proxy'), { code: 'EPROXY' });
  const { default: connectThrough } = await import('nodemailer/lib/smtp-connection/http-proxy-client.js');
  const port = options.port ?? (secure === true ? 465 : 587);
  const timing = { ...tls, ...(connectionTimeout !== undefined && { timeout: connectionTimeout }) };
  return new Promise((resolve, reject) => {
    connectThrough(proxy, port, host, timing, (error, socket) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });
}
