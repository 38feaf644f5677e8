/**
 * Sends mails over nodemailer's pool: each before its deadline or never. A server may keep a mail and answer minutes later (RFC 5321,
 * 4.5.3.2.6), so the answer to a mail that was handed over is waited for. A failure tells whether the mail was handed over.
 */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer';
import { LONGEST_ANSWER_MS, type Outgoing } from '../channel.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SmtpFailure } from './smtp-errors.ts';

export interface MailTransport {
  /**
   * Nothing is sent after the time limit. Without `onHandedOver` it settles by then; with it, a mail that was handed over is waited
   * for up to ten minutes. @throws {SmtpFailure} as a rejection
   */
  send(mail: SendMailOptions, limits: Limits): Promise<void>;
  /** On a connection of its own, within the timeout. @throws {SmtpFailure} as a rejection */
  verify(timeoutMs: number): Promise<void>;
  /** Call it only when no mail is under way. */
  close(): void;
}

/** Destroys an aborted connection instead of ending it, which would still send what is buffered. */
const DESTROYED_AT_ONCE = { socketCloseTimeout: 0 };

/** As long as an attempt of Botbell's own takes: any connection may wait so long for its answer, and half of them longer. */
const ANY_WAITS_MS = 30_000;

export function openTransport(
  options: SMTPPoolOptions & { readonly maxConnections: number },
  clock: Pick<Clock, 'startTimer'> = systemClock,
): MailTransport {
  const transport = createTransport({ ...options, ...DESTROYED_AT_ONCE, pool: true });
  const waiting = { now: 0, most: Math.max(1, Math.floor(options.maxConnections / 2)) };
  /** By their abort signals, which nodemailer passes to its plugins. */
  const underWay = new WeakMap<AbortSignal, MailUnderWay>();
  transport.use('stream', ({ message, data: { signal } }, done) => {
    const mail = signal && underWay.get(signal);
    if (mail) message.processFunc((content) => watched(content, () => mail.handOver()));
    done();
  });
  return {
    send: async (mail, limits) => {
      const sending = new MailUnderWay(limits, waiting, clock);
      const { signal } = sending;
      underWay.set(signal, sending);
      try {
        await whereThereIsRoom(() => transport.sendMail({ ...mail, signal }));
      } catch (error) {
        throw new SmtpFailure(sending.isHandedOver, error);
      } finally {
        sending.end();
      }
    },
    verify: async (timeoutMs) => {
      try {
        await Promise.race([transport.verify(), expiry(timeoutMs)]);
      } catch (error) {
        throw new SmtpFailure(false, error);
      }
    },
    close: () => transport.close(),
  };
}

type Limits = Pick<Outgoing, 'timeoutMs' | 'onHandedOver'>;

/** Aborts a mail at its time limit, or, if it was handed over by then, when its answer has been waited for. */
class MailUnderWay {
  isHandedOver = false;
  readonly #limits: Limits;
  /** Shared by the mails of a transport. */
  readonly #waiting: { now: number; readonly most: number };
  readonly #abort = new AbortController();
  #isWaiting = false;
  readonly #clock: Pick<Clock, 'startTimer'>;
  #stopTimer: () => void;

  constructor(
    limits: Limits,
    waiting: { now: number; readonly most: number },
    clock: Pick<Clock, 'startTimer'>,
  ) {
    this.#limits = limits;
    this.#waiting = waiting;
    this.#clock = clock;
    this.#stopTimer = clock.startTimer(limits.timeoutMs, () => this.#onLimit());
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  handOver(): void {
    this.isHandedOver = true;
    this.#limits.onHandedOver?.();
  }

  end(): void {
    this.#stopTimer();
    if (this.#isWaiting) this.#waiting.now -= 1;
  }

  #onLimit(): void {
    const { timeoutMs, onHandedOver } = this.#limits;
    if (!this.isHandedOver || onHandedOver === undefined) return this.#abort.abort(late());
    const ms = Math.max(0, ANY_WAITS_MS - timeoutMs);
    this.#stopTimer = this.#clock.startTimer(ms, () => this.#waitLonger());
  }

  #waitLonger(): void {
    this.#isWaiting = this.#waiting.now < this.#waiting.most;
    if (!this.#isWaiting) return this.#abort.abort(late());
    this.#waiting.now += 1;
    this.#stopTimer = this.#clock.startTimer(LONGEST_ANSWER_MS, () => this.#abort.abort(late()));
  }
}

/** The code by which servers refuse a connection too many (RFC 5321, 3.8). */
const ONE_TOO_MANY = 421;
const WAIT_MS = 200;
const MOST_WAITS = 5;

/** Retries a mail that got no connection because of the server's limit; another connection may become free. */
async function whereThereIsRoom(send: () => Promise<unknown>, waits = MOST_WAITS): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (waits === 0 || Reflect.get(Object(error), 'responseCode') !== ONE_TOO_MANY) throw error;
    await wait(WAIT_MS);
    await whereThereIsRoom(send, waits - 1);
  }
}

/** nodemailer starts to read the stream when the server asks for the message, and reads at the network's pace. */
function watched(content: Readable, onEnd: () => void): Readable {
  const output = new PassThrough();
  output.once('resume', () => pipeline(content, output, () => undefined));
  output.once('end', onEnd);
  return output;
}

async function expiry(ms: number): Promise<never> {
  await wait(ms, undefined, { ref: false });
  throw late();
}

function late(): DOMException {
  return new DOMException('The mail server did not answer in time', 'TimeoutError');
}
