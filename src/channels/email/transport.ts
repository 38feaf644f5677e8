/** Sends mails over nodemailer's pooled connections to one server: each before its deadline or never, and it knows how far each got. */
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer';
import { isOneTooMany, SmtpFailure } from './smtp-errors.ts';

export interface MailTransport {
  /** @throws {SmtpFailure} as a rejection, at the time limit at the latest; what has not left by then never leaves */
  send(mail: SendMailOptions, timeoutMs: number): Promise<void>;
  /** Over a connection of its own. @throws {SmtpFailure} as a rejection, at the time limit at the latest */
  verify(timeoutMs: number): Promise<void>;
  /** To be called when nothing is under way. */
  close(): void;
}

/** What of a mail has not left would leave, were its connection ended and not destroyed. */
const DESTROYED_AT_ONCE = { socketCloseTimeout: 0 };

/** A connection that was one too many for the server fails no mail, while another may come free for it. */
const WAIT_MS = 200;
const MOST_WAITS = 5;

export function openTransport(options: SMTPPoolOptions): MailTransport {
  const transport = createTransport({ ...options, ...DESTROYED_AT_ONCE, pool: true });
  /** By their signals, which nodemailer hands on with the mails. */
  const handedOver = new WeakSet<AbortSignal>();
  transport.use('stream', ({ message, data: { signal } }, done) => {
    if (signal) message.processFunc((content) => watched(content, () => handedOver.add(signal)));
    done();
  });
  return {
    send: async (mail, timeoutMs) => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (let waits = 0; ; waits += 1) {
        try {
          await transport.sendMail({ ...mail, signal });
          return;
        } catch (error) {
          const isSent = handedOver.has(signal);
          if (isSent || waits === MOST_WAITS || !isOneTooMany(error)) throw new SmtpFailure(isSent, error);
          await setTimeout(WAIT_MS);
        }
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

/** A connection reads a mail once the server has asked for it, and reads on as the network takes it. */
function watched(content: Readable, onHandedOver: () => void): Readable {
  async function* chunks() {
    yield* content;
    onHandedOver();
  }
  return Readable.from(chunks(), { objectMode: false });
}

function expiry(ms: number): Promise<never> {
  const signal = AbortSignal.timeout(ms);
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
