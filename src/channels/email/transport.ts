/** Sends mails over nodemailer's pool: each before its deadline or never. A failure tells whether the mail was handed over. */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer';
import { SmtpFailure } from './smtp-errors.ts';

export interface MailTransport {
  /** Settles within the timeout; nothing is sent after it. @throws {SmtpFailure} as a rejection */
  send(mail: SendMailOptions, timeoutMs: number): Promise<void>;
  /** On a connection of its own, within the timeout. @throws {SmtpFailure} as a rejection */
  verify(timeoutMs: number): Promise<void>;
  /** Call it only when no mail is under way. */
  close(): void;
}

/** Destroys an aborted connection instead of ending it, which would still send what is buffered. */
const DESTROYED_AT_ONCE = { socketCloseTimeout: 0 };

export function openTransport(options: SMTPPoolOptions): MailTransport {
  const transport = createTransport({ ...options, ...DESTROYED_AT_ONCE, pool: true });
  /** The mails handed over, by their abort signals, which nodemailer passes to its plugins. */
  const handedOver = new WeakSet<AbortSignal>();
  transport.use('stream', ({ message, data: { signal } }, done) => {
    if (signal) message.processFunc((content) => watched(content, () => handedOver.add(signal)));
    done();
  });
  return {
    send: async (mail, timeoutMs) => {
      const abort = new AbortController();
      const { signal } = abort;
      const timer = setTimeout(() => abort.abort(late()), timeoutMs);
      try {
        await whereThereIsRoom(() => transport.sendMail({ ...mail, signal }));
      } catch (error) {
        throw new SmtpFailure(handedOver.has(signal), error);
      } finally {
        clearTimeout(timer);
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
function watched(content: Readable, onHandedOver: () => void): Readable {
  const output = new PassThrough();
  output.once('resume', () => pipeline(content, output, () => undefined));
  output.once('end', onHandedOver);
  return output;
}

async function expiry(ms: number): Promise<never> {
  await wait(ms, undefined, { ref: false });
  throw late();
}

function late(): DOMException {
  return new DOMException('The mail server did not answer in time', 'TimeoutError');
}
