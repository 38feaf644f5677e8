/**
 * Sends mails over nodemailer's pool, each before its deadline or never. Once a mail was handed over, waits for the answer, which a
 * server may give minutes later (RFC 5321, 4.5.3.2.6).
 */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer';
import { dnsCache } from 'nodemailer/lib/shared';
import { LONGEST_ANSWER_MS, type Outgoing } from '../channel.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { type SmtpError, SmtpFailure } from './smtp-errors.ts';
import { IDLE_TIMEOUT_MS } from './smtp-url.ts';

/** Destroys an aborted connection instead of ending it, which would still send what is buffered. */
const DESTROYED_AT_ONCE = { socketCloseTimeout: 0 };

/** The time of an attempt that no POST waits for. Any mail may wait so long for its answer; on half of the connections, longer. */
const ANY_WAITS_MS = 30_000;

/** `send` and `verify` reject with `SmtpFailure`. */
export function openTransport(
  options: SMTPPoolOptions & { readonly maxConnections: number },
  clock: Pick<Clock, 'startTimer'> = systemClock,
) {
  const transport = createTransport({ ...options, ...DESTROYED_AT_ONCE, pool: true });
  const waiting = { now: 0, most: Math.max(1, Math.floor(options.maxConnections / 2)) };
  /** When the last mail was sent: its connection may still be open. */
  let sentAt = -Infinity;
  /** The mails under way, by the abort signals that nodemailer passes to its plugins. */
  const underWay = new WeakMap<AbortSignal, MailUnderWay>();
  transport.use('stream', ({ message, data: { signal } }, done) => {
    const mail = signal && underWay.get(signal);
    if (mail) message.processFunc((content) => watched(content, () => mail.handOver()));
    const envelope = notPipelined(message.getEnvelope());
    message.getEnvelope = () => envelope;
    done();
  });
  return {
    /**
     * Sends nothing after the time limit. Without `onHandedOver`, settles by then; with it, waits up to ten minutes for the answer to a
     * mail that was handed over.
     */
    send: async (mail: SendMailOptions, limits: Limits): Promise<void> => {
      const sending = mailUnderWay(limits, waiting, clock);
      const { signal } = sending;
      underWay.set(signal, sending);
      const send = () => transport.sendMail({ ...mail, signal });
      try {
        await send().catch((error: unknown) => {
          if (sending.isHandedOver() || performance.now() - sentAt > IDLE_TIMEOUT_MS || !isOfSession(error))
            throw error;
          return send();
        });
        sentAt = performance.now();
      } catch (error) {
        // nodemailer keeps an address for five minutes, whatever its name's TTL; the server may have another one by now.
        dnsCache.clear();
        throw new SmtpFailure(sending.isHandedOver(), error);
      } finally {
        sending.end();
      }
    },
    /** Uses a connection of its own; settles within the timeout. */
    verify: async (timeoutMs: number): Promise<void> => {
      try {
        const expiry = wait(timeoutMs, undefined, { ref: false });
        await Promise.race([transport.verify(), expiry.then(() => Promise.reject(late()))]);
      } catch (error) {
        throw new SmtpFailure(false, error);
      }
    },
    close: () => transport.close(),
  };
}

type Limits = Pick<Outgoing, 'timeoutMs' | 'onHandedOver'>;

/** How many mails of a transport wait longer than `ANY_WAITS_MS`, and how many may. */
interface Waiting {
  now: number;
  readonly most: number;
}

type MailUnderWay = ReturnType<typeof mailUnderWay>;

/** Aborts a mail at its time limit; if it was handed over by then, when the longer wait for its answer is over. */
function mailUnderWay(
  { timeoutMs, onHandedOver }: Limits,
  waiting: Waiting,
  clock: Pick<Clock, 'startTimer'>,
) {
  const abort = new AbortController();
  let [isHandedOver, isWaiting] = [false, false];
  const giveUp = () => abort.abort(late());
  const waitLonger = () => {
    isWaiting = waiting.now < waiting.most;
    if (!isWaiting) return giveUp();
    waiting.now += 1;
    stopTimer = clock.startTimer(LONGEST_ANSWER_MS, giveUp);
  };
  let stopTimer = clock.startTimer(timeoutMs, () => {
    if (!isHandedOver || onHandedOver === undefined) return giveUp();
    stopTimer = clock.startTimer(Math.max(0, ANY_WAITS_MS - timeoutMs), waitLonger);
  });
  return {
    signal: abort.signal,
    isHandedOver: () => isHandedOver,
    handOver: () => {
      if (onHandedOver?.() === false) return giveUp();
      isHandedOver = true;
    },
    end: () => {
      stopTimer();
      if (isWaiting) waiting.now -= 1;
    },
  };
}

/**
 * Whether the server refuses to go on with a connection, which may be a kept one: by 421 (RFC 5321, 3.8), or by 503 because it has
 * forgotten who the client is. On a new connection it may take the mail.
 */
function isOfSession(error: unknown): boolean {
  const { command, responseCode } = Object(error) as SmtpError;
  return (command === 'MAIL FROM' || command === 'RCPT TO') && (responseCode === 421 || responseCode === 503);
}

/**
 * Has each command sent when the one before it is answered: of answers that come together, nodemailer may lose all but the first if the
 * server hangs up behind them, as Exim does by `drop` and others by 421. No option of nodemailer's says so; `pipelined` is its own mark.
 */
function notPipelined<T extends object>(envelope: T): T {
  return Object.defineProperty(envelope, 'pipelined', { get: () => false, set() {} });
}

/** nodemailer starts to read the stream when the server asks for the message, and reads at the network's pace. */
function watched(content: Readable, onEnd: () => void): Readable {
  const output = new PassThrough();
  output.once('resume', () => pipeline(content, output, () => undefined));
  output.once('end', onEnd);
  return output;
}

function late(): DOMException {
  return new DOMException('The mail server did not answer in time', 'TimeoutError');
}
