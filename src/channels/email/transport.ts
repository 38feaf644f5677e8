/** Sends mails over nodemailer's pooled connections to one server: each before its deadline or never, and it knows how far each got. */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer';
import { SmtpFailure } from './smtp-errors.ts';

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

/** RFC 5321, 3.8: how servers limit connections. */
const ONE_TOO_MANY = 421;
const WAIT_MS = 200;
const MOST_WAITS = 5;

/** A connection that was one too many fails no mail, while another may come free for it. */
async function whereThereIsRoom(send: () => Promise<unknown>, waits = MOST_WAITS): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (waits === 0 || Reflect.get(Object(error), 'responseCode') !== ONE_TOO_MANY) throw error;
    await wait(WAIT_MS);
    await whereThereIsRoom(send, waits - 1);
  }
}

/** A connection begins to read a mail once the server has asked for it, and reads on as the network takes it. */
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
