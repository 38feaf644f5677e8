/** Sends mails to one server over as many connections as it allows. */
import type { SMTPPoolOptions } from 'nodemailer';
import { ConnectionLimit, RateLimit } from './connection-limit.ts';
import {
  isLoginRefusal,
  isRefusedMail,
  isBrokenOff,
  isConnectionLimit,
  timeoutError,
  type SmtpPhase,
  SmtpFailure,
} from './smtp-errors.ts';
import { type Mail, SmtpSession } from './smtp-session.ts';

/** After a connection that came to nothing, while others carry the mails. */
const OPENING_PAUSE_MS = 1_000;

/**
 * Postfix slows a session down after ten errors without a mail that it took (smtpd_soft_error_limit), and ends it after
 * twenty. A refused recipient is two: RCPT, and DATA, which was sent along.
 */
const MAX_REFUSED_IN_A_ROW = 4;

/** nodemailer's own. */
const MAX_MESSAGES = 100;
const IDLE_TIMEOUT_MS = 240_000;
const RATE_WINDOW_MS = 1_000;

/** Before the socket's own time limit, which would end the connection without a QUIT. */
const IDLE_SHARE = 0.9;

interface Job {
  readonly mail: Mail;
  readonly settle: (failure?: SmtpFailure) => void;
  /** That it is on now. */
  session: SmtpSession | undefined;
  /** Its connection broke off before it was sent; where that happens again it fails, unless the connection was old. */
  isRequeued: boolean;
}

export class SmtpPool {
  readonly #options: SMTPPoolOptions;
  readonly #limit: ConnectionLimit;
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #waiting: Job[] = [];
  /** Being connected or logged in. Not tied to a mail: they outlive those that they were begun for. */
  readonly #opening = new Set<SmtpSession>();
  /** Logged in. */
  readonly #open = new Set<SmtpSession>();
  readonly #idle: SmtpSession[] = [];
  #pausedUntil = 0;
  #wakeUp: NodeJS.Timeout | undefined;
  #loginRefusal: unknown;
  #isClosed = false;

  /** @param now milliseconds, by a monotonic clock */
  constructor(options: SMTPPoolOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#limit = new ConnectionLimit(options.maxConnections ?? 1, now);
    this.#rate = new RateLimit(
      Number(options.rateLimit) || 0,
      Number(options.rateDelta) || RATE_WINDOW_MS,
      now,
    );
  }

  /** @throws {SmtpFailure} as a rejection, at the time limit at the latest */
  send(mail: Mail, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure?: SmtpFailure) => {
        clearTimeout(timer);
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const job: Job = { mail, settle, session: undefined, isRequeued: false };
      const timer = setTimeout(() => this.#timeOut(job), timeoutMs);
      this.#waiting.push(job);
      this.#serve();
    });
  }

  /**
   * Over a connection of its own, so that no mail waits for it and none is cut short.
   * @throws {SmtpFailure} as a rejection, at the time limit at the latest
   */
  async verify(timeoutMs: number): Promise<void> {
    const session = new SmtpSession(this.#options, () => undefined);
    const timer = setTimeout(() => session.abandon(timeoutError()), timeoutMs);
    try {
      await session.open();
    } catch (error) {
      // With a connection open, the server does accept the login.
      if (!isConnectionLimit(error) || this.#open.size === 0) throw new SmtpFailure(session.phase, error);
    } finally {
      clearTimeout(timer);
      session.quit();
    }
  }

  /** To be called when nothing is under way. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#wakeUp);
    for (const session of [...this.#open, ...this.#opening]) session.quit();
  }

  #serve(): void {
    if (this.#isClosed) return;
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const waitMs = this.#rate.take();
      if (waitMs > 0) return this.#serveAfter(waitMs);
      // The one used last, so that those not needed stay idle until they are closed.
      const [session, job] = [this.#idle.pop(), this.#waiting.shift()];
      if (session !== undefined && job !== undefined) void this.#deliver(session, job);
    }
    while (this.#opening.size < this.#waiting.length && this.#count < this.#limit.current) {
      const pauseMs = this.#count === 0 ? 0 : this.#pausedUntil - this.#now();
      if (pauseMs > 0) return this.#serveAfter(pauseMs);
      void this.#openAnother();
    }
  }

  #serveAfter(ms: number): void {
    clearTimeout(this.#wakeUp);
    this.#wakeUp = setTimeout(() => this.#serve(), ms);
  }

  get #count(): number {
    return this.#open.size + this.#opening.size;
  }

  async #openAnother(): Promise<void> {
    const session = new SmtpSession(this.#options, (closed) => this.#remove(closed), this.#limit.generation);
    this.#opening.add(session);
    try {
      await session.open();
    } catch (error) {
      session.quit();
      // It may say only later that it is closed.
      this.#remove(session);
      this.#notOpened(session, error);
      return;
    }
    this.#opening.delete(session);
    this.#loginRefusal = undefined;
    if (!session.isClosed) this.#open.add(session);
    this.#release(session);
  }

  /** As long as another connection may carry them, no mail fails for one that came to nothing. */
  #notOpened(session: SmtpSession, error: unknown): void {
    if (isConnectionLimit(error)) this.#halve(session);
    if (isLoginRefusal(error)) this.#loginRefusal = error;
    this.#pausedUntil = this.#now() + OPENING_PAUSE_MS;
    if (this.#count === 0) this.#failWaiting(new SmtpFailure(session.phase, error), isBrokenOff(error));
    this.#serve();
  }

  #failWaiting(failure: SmtpFailure, isWorthAnother: boolean): void {
    for (const job of this.#waiting.splice(0)) {
      if (!isWorthAnother || job.isRequeued) {
        job.settle(failure);
        continue;
      }
      job.isRequeued = true;
      this.#waiting.push(job);
    }
  }

  async #deliver(session: SmtpSession, job: Job): Promise<void> {
    job.session = session;
    try {
      await session.deliver(job.mail);
    } catch (error) {
      if (job.session === session) this.#notDelivered(session, job, error);
      return;
    }
    job.session = undefined;
    job.settle();
    this.#release(session);
  }

  #notDelivered(session: SmtpSession, job: Job, error: unknown): void {
    job.session = undefined;
    const failure = new SmtpFailure(session.phase, error);
    const isReusable = isRefusedMail(error) && !session.isClosed;
    if (!isReusable) session.abandon(error);
    if (isConnectionLimit(error)) this.#halve(session);
    if (this.#mayRequeue(session, job, failure)) this.#waiting.unshift(job);
    else job.settle(failure);
    if (isReusable) void this.#reset(session);
    this.#serve();
  }

  /** What the server certainly did not take may go over another connection: where one is open, where this one was old, or once. */
  #mayRequeue(session: SmtpSession, job: Job, { reached, cause }: SmtpFailure): boolean {
    const wasOld = session.mailCount > 1;
    if (isConnectionLimit(cause)) return wasOld || this.#count > 0;
    if (reached !== 'envelope' || isRefusedMail(cause)) return false;
    const mayRequeue = wasOld || !job.isRequeued;
    job.isRequeued = true;
    return mayRequeue;
  }

  async #reset(session: SmtpSession): Promise<void> {
    try {
      await session.reset();
      if (session.refusedInARow >= MAX_REFUSED_IN_A_ROW) session.quit();
    } catch (error) {
      session.abandon(error);
    }
    this.#release(session);
  }

  #release(session: SmtpSession): void {
    if (session.mailCount >= (this.#options.maxMessages || MAX_MESSAGES)) session.quit();
    if (!session.isClosed) {
      session.quitAfter(idleMsOf(this.#options));
      this.#idle.push(session);
    }
    this.#serve();
  }

  #timeOut(job: Job): void {
    const { session } = job;
    job.session = undefined;
    if (session === undefined) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      job.settle(this.#notBegun());
    } else {
      session.abandon(timeoutError());
      job.settle(new SmtpFailure(session.phase, timeoutError()));
    }
    this.#serve();
  }

  /** It timed out before it had a connection; where logins are refused meanwhile, that is why. */
  #notBegun(): SmtpFailure {
    const reached = this.#furthest();
    return new SmtpFailure(reached, (reached === 'login' && this.#loginRefusal) || timeoutError());
  }

  #furthest(): SmtpPhase {
    if (this.#open.size > 0) return 'waiting';
    const phases = new Set([...this.#opening].map(({ phase }) => phase));
    return (['login', 'greeting'] as const).find((phase) => phases.has(phase)) ?? 'connecting';
  }

  #halve(session: SmtpSession): void {
    this.#limit.refused(session.generation, this.#count + 1);
  }

  #remove(session: SmtpSession): void {
    this.#opening.delete(session);
    this.#open.delete(session);
    const index = this.#idle.indexOf(session);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}

/** How long a connection is kept for the next mail. */
function idleMsOf({ idleTimeout = 0, socketTimeout = 0 }: SMTPPoolOptions): number {
  const wantedMs = idleTimeout > 0 ? idleTimeout : IDLE_TIMEOUT_MS;
  return socketTimeout > 0 ? Math.min(wantedMs, socketTimeout * IDLE_SHARE) : wantedMs;
}
