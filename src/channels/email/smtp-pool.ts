/** Mails to one server over as many connections as it lets us have. */
import type { SMTPPoolOptions } from 'nodemailer';
import { ConnectionLimit, RateLimit } from './connection-limit.ts';
import {
  isLoginRefusal,
  isRefusedMail,
  isSilentEnd,
  isTooMany,
  lateError,
  type SmtpPhase,
  SmtpTrouble,
} from './smtp-errors.ts';
import { type Mail, SmtpSession } from './smtp-session.ts';

/** After a connection that came to nothing, while others carry the mails. */
const OPENING_PAUSE_MS = 1_000;

/**
 * Postfix slows a session down after ten errors without a mail that it took (smtpd_soft_error_limit), and ends it after
 * twenty. A refused recipient is two: RCPT, and DATA, which was sent along.
 */
const MOST_REFUSALS_IN_A_ROW = 4;

/** nodemailer's own. */
const MAX_MESSAGES = 100;
const IDLE_TIMEOUT_MS = 240_000;
const RATE_WINDOW_MS = 1_000;

/** Before the socket's own time limit, which would end the connection without a goodbye. */
const IDLE_SHARE = 0.9;

interface Job {
  readonly mail: Mail;
  readonly settle: (trouble?: SmtpTrouble) => void;
  /** That it is on now. */
  session: SmtpSession | undefined;
  /** A connection broke off without a word before it was sent: no second one may, unless it was old. */
  hasHadSecondChance: boolean;
}

export class SmtpPool {
  readonly #options: SMTPPoolOptions;
  readonly #limit: ConnectionLimit;
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #waiting: Job[] = [];
  /** Being connected or logged in, for nobody in particular: they outlive the mails that they were begun for. */
  readonly #opening = new Set<SmtpSession>();
  /** Logged in. */
  readonly #open = new Set<SmtpSession>();
  readonly #idle: SmtpSession[] = [];
  #pausedUntil = 0;
  #wakeUp: NodeJS.Timeout | undefined;
  #loginRefusal: unknown;
  #isClosed = false;

  /** @param now milliseconds, by a clock that nobody sets */
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

  /** @throws {SmtpTrouble} as a rejection, at the time limit at the latest */
  send(mail: Mail, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (trouble?: SmtpTrouble) => {
        clearTimeout(timer);
        if (trouble === undefined) resolve();
        else reject(trouble);
      };
      const job: Job = { mail, settle, session: undefined, hasHadSecondChance: false };
      const timer = setTimeout(() => this.#cutOff(job), timeoutMs);
      this.#waiting.push(job);
      this.#serve();
    });
  }

  /**
   * Over a connection of its own, so that no mail waits for it and none is cut short.
   * @throws {SmtpTrouble} as a rejection, at the time limit at the latest
   */
  async verify(timeoutMs: number): Promise<void> {
    const session = new SmtpSession(this.#options, () => undefined);
    const timer = setTimeout(() => session.abandon(lateError()), timeoutMs);
    try {
      await session.open();
    } catch (error) {
      // Whom the server lets in at this moment, it lets in.
      if (!isTooMany(error) || this.#open.size === 0) throw new SmtpTrouble(session.phase, error);
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
      if (waitMs > 0) return this.#serveIn(waitMs);
      // The one used last, so that what is not needed rests until it says goodbye.
      const [session, job] = [this.#idle.pop(), this.#waiting.shift()];
      if (session !== undefined && job !== undefined) void this.#carry(session, job);
    }
    while (this.#opening.size < this.#waiting.length && this.#count < this.#limit.current) {
      const pauseMs = this.#count === 0 ? 0 : this.#pausedUntil - this.#now();
      if (pauseMs > 0) return this.#serveIn(pauseMs);
      void this.#openAnother();
    }
  }

  #serveIn(ms: number): void {
    clearTimeout(this.#wakeUp);
    this.#wakeUp = setTimeout(() => this.#serve(), ms);
  }

  get #count(): number {
    return this.#open.size + this.#opening.size;
  }

  async #openAnother(): Promise<void> {
    const session = new SmtpSession(this.#options, (closed) => this.#forget(closed), this.#limit.generation);
    this.#opening.add(session);
    try {
      await session.open();
    } catch (error) {
      session.quit();
      // It may say only later that it is closed.
      this.#forget(session);
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
    if (isTooMany(error)) this.#halve(session);
    if (isLoginRefusal(error)) this.#loginRefusal = error;
    this.#pausedUntil = this.#now() + OPENING_PAUSE_MS;
    if (this.#count === 0) this.#failWaiting(new SmtpTrouble(session.phase, error), isSilentEnd(error));
    this.#serve();
  }

  #failWaiting(trouble: SmtpTrouble, isWorthAnother: boolean): void {
    for (const job of this.#waiting.splice(0)) {
      if (!isWorthAnother || job.hasHadSecondChance) {
        job.settle(trouble);
        continue;
      }
      job.hasHadSecondChance = true;
      this.#waiting.push(job);
    }
  }

  async #carry(session: SmtpSession, job: Job): Promise<void> {
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
    const trouble = new SmtpTrouble(session.phase, error);
    const isReusable = isRefusedMail(error) && !session.isClosed;
    if (!isReusable) session.abandon(error);
    if (isTooMany(error)) this.#halve(session);
    if (this.#mayMove(session, job, trouble)) this.#waiting.unshift(job);
    else job.settle(trouble);
    if (isReusable) void this.#reset(session);
    this.#serve();
  }

  /** What certainly was not taken may go another way: where there is one, where this one was merely old, or once. */
  #mayMove(session: SmtpSession, job: Job, { reached, cause }: SmtpTrouble): boolean {
    const wasOld = session.mailCount > 1;
    if (isTooMany(cause)) return wasOld || this.#count > 0;
    if (reached !== 'envelope' || isRefusedMail(cause)) return false;
    const mayMove = wasOld || !job.hasHadSecondChance;
    job.hasHadSecondChance = true;
    return mayMove;
  }

  async #reset(session: SmtpSession): Promise<void> {
    try {
      await session.reset();
      if (session.refusalsInARow >= MOST_REFUSALS_IN_A_ROW) session.quit();
    } catch (error) {
      session.abandon(error);
    }
    this.#release(session);
  }

  #release(session: SmtpSession): void {
    if (session.mailCount >= (this.#options.maxMessages || MAX_MESSAGES)) session.quit();
    if (!session.isClosed) {
      session.rest(restMsOf(this.#options));
      this.#idle.push(session);
    }
    this.#serve();
  }

  #cutOff(job: Job): void {
    const { session } = job;
    job.session = undefined;
    if (session === undefined) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      job.settle(this.#notBegun());
    } else {
      session.abandon(lateError());
      job.settle(new SmtpTrouble(session.phase, lateError()));
    }
    this.#serve();
  }

  /** Its time was over before it had a connection. A login that takes too long tells, in the end, what is wrong with it. */
  #notBegun(): SmtpTrouble {
    const reached = this.#furthest();
    return new SmtpTrouble(reached, (reached === 'login' && this.#loginRefusal) || lateError());
  }

  #furthest(): SmtpPhase {
    if (this.#open.size > 0) return 'waiting';
    const phases = new Set([...this.#opening].map(({ phase }) => phase));
    return (['login', 'greeting'] as const).find((phase) => phases.has(phase)) ?? 'connecting';
  }

  #halve(session: SmtpSession): void {
    this.#limit.refused(session.generation, this.#count + 1);
  }

  #forget(session: SmtpSession): void {
    this.#opening.delete(session);
    this.#open.delete(session);
    const index = this.#idle.indexOf(session);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}

/** How long a connection is kept for the next mail. */
function restMsOf({ idleTimeout = 0, socketTimeout = 0 }: SMTPPoolOptions): number {
  const wantedMs = idleTimeout > 0 ? idleTimeout : IDLE_TIMEOUT_MS;
  return socketTimeout > 0 ? Math.min(wantedMs, socketTimeout * IDLE_SHARE) : wantedMs;
}
