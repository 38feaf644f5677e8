/** Classes the errors of a mail server, and says what an operator can do about each. */
import { DeliveryFailure, type FailureClass, type NetworkError, networkErrorOf } from '../failure.ts';

/**
 * How far a mail got: no connection was free for it, or its connection was being made (`connecting`), greeted and secured
 * (`greeting`), logged in (`login`); or it had one, and nothing more than sender and recipient was sent (`envelope`), or
 * the message but not its end (`transfer`), or all of it (`message`). `idle` is a connection without a mail.
 */
export type SmtpPhase =
  'waiting' | 'connecting' | 'greeting' | 'login' | 'idle' | 'envelope' | 'transfer' | 'message';

/** nodemailer's error, or a time limit, and how far the mail had got by then. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  readonly reached: SmtpPhase;

  constructor(reached: SmtpPhase, cause: unknown) {
    super('The mail could not be sent', { cause });
    this.reached = reached;
  }
}

/** What is read of nodemailer's errors. */
interface SmtpError {
  readonly code: string | undefined;
  readonly command: string;
  readonly response: string;
  readonly responseCode: number | undefined;
}

type ErrorMeaning = readonly [FailureClass, string];

const MAX_QUOTE_LENGTH = 200;

/** RFC 3463: class.subject.detail. */
const ENHANCED_CODE = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

/** RFC 4954 and RFC 5321: refusals that concern the login, whatever command they answer. */
const LOGIN_CODES: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** RFC 5321: "bad sequence of commands": a new session may succeed. */
const BAD_SEQUENCE = 503;
/** RFC 5321: "exceeded storage allocation", at MAIL FROM the announced size (RFC 1870). */
const TOO_LARGE = 552;

const CHECK_LOGIN = 'check the user name and password in the smtp URL';
const CHECK_SENDER = 'the server does not take mail from this sender; check "from" and the login';
const CHECK_SERVER = 'check host, port and TLS options in the smtp URL';

const MEANINGS_BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  EAUTH: ['config', `the login failed; ${CHECK_LOGIN}`],
  ENOAUTH: ['config', `the server wants a login; ${CHECK_LOGIN}`],
  EOAUTH2: ['config', `the login failed; ${CHECK_LOGIN}`],
  ETLS: [
    'config',
    'no encrypted connection; use a server with STARTTLS, smtps://, or ?ignoreTLS=true for a relay without TLS',
  ],
  EREQUIRETLS: [
    'config',
    'the server cannot promise TLS on the way; drop the requirement or use another server',
  ],
  ECONFIG: ['config', CHECK_SERVER],
  EPROXY: ['config', 'the proxy refused; check it in the smtp URL'],
  EPROTOCOL: ['config', `what answers there does not speak SMTP; ${CHECK_SERVER}`],
  EENVELOPE: ['permanent', 'the address cannot be written to; check it'],
  EMESSAGE: ['permanent', 'the server does not accept the message; it may be too large'],
  ESTREAM: ['permanent', 'the message could not be composed'],
};

/** What timed out. */
const TIMEOUT_WORDS: Readonly<Record<SmtpPhase, string>> = {
  waiting: 'no connection to it came free in time',
  connecting: 'there was no connection to it in time',
  greeting: 'it did not open the session in time',
  login: 'it did not answer the login in time',
  idle: 'it did not answer in time',
  envelope: 'it did not answer sender and recipient in time',
  transfer: 'it did not take the whole message in time',
  message: 'it did not confirm the message in time',
};

/** RFC 5321, 3.8: "service not available, closing transmission channel": how servers limit connections. */
const CLOSING = 421;

export function timeoutError(): DOMException {
  return new DOMException('The mail server did not answer in time', 'TimeoutError');
}

/** The server wants fewer connections, or no longer this one; it did not take what it answered so. */
export function isConnectionLimit(error: unknown): boolean {
  return readError(error).responseCode === CLOSING;
}

/** The server refused the mail and keeps the connection. */
export function isRefusedMail(error: unknown): boolean {
  const { code, responseCode } = readError(error);
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== CLOSING;
}

/** Not by a limit or an outage of its own: such a login is refused the next time, too. */
export function isLoginRefusal(error: unknown): boolean {
  const { code, responseCode } = readError(error);
  return code === 'EAUTH' && responseCode !== undefined && responseCode >= 500;
}

/** The connection broke off without an answer. */
export function isBrokenOff(error: unknown): boolean {
  const { code, responseCode } = readError(error);
  return code === 'ECONNECTION' && responseCode === undefined;
}

/**
 * What any error of sending or verifying means. Nothing of the original goes with it.
 * @param hide takes the secrets out of the server's words where these are quoted
 */
export function smtpFailureOf(error: unknown, hide: (words: string) => string): DeliveryFailure {
  if (error instanceof SmtpFailure) return failureAt(error.reached, error.cause, hide);
  // Nobody knows how far it got.
  return failureAt('message', error, hide);
}

function failureAt(reached: SmtpPhase, error: unknown, hide: (words: string) => string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const smtp = readError(error);
  if (smtp.responseCode !== undefined) return answerFailure(smtp, smtp.responseCode, hide);
  const network = networkErrorOf(error);
  if (network.isRefusal) return failure('config', network.code, `${network.words}; ${CHECK_SERVER}`);
  const { code = '' } = smtp;
  const meaning = Object.hasOwn(MEANINGS_BY_CODE, code) ? MEANINGS_BY_CODE[code] : undefined;
  if (meaning !== undefined) return failure(meaning[0], code, meaning[1]);
  const words = `${wordsOf(smtp.code, network, reached)}, so ${arrivalOf(reached)}`;
  return failure('transient', networkCodeOf(smtp.code, network.code), words);
}

/** RFC 5321, 4.2.5: the server may have taken the message once its end has been sent, and not before. */
function arrivalOf(reached: SmtpPhase): string {
  return reached === 'message' ? 'the message may have arrived' : 'nothing was sent';
}

/** The server answered: its code decides first, then the command that it answered. */
export function smtpMeaningOf(responseCode: number, command: string): ErrorMeaning {
  if (responseCode < 500 || responseCode === BAD_SEQUENCE)
    return ['transient', 'the next attempt may succeed'];
  if (LOGIN_CODES.has(responseCode) || command.startsWith('AUTH')) return ['config', CHECK_LOGIN];
  if (command === 'RCPT TO') return ['permanent', 'this address cannot be delivered to; check it'];
  if (command === 'DATA' || responseCode === TOO_LARGE)
    return ['permanent', 'the message was refused as it is'];
  return ['config', command === 'MAIL FROM' ? CHECK_SENDER : CHECK_SERVER];
}

function answerFailure(
  smtp: SmtpError,
  responseCode: number,
  hide: (words: string) => string,
): DeliveryFailure {
  const [failureClass, advice] = smtpMeaningOf(responseCode, smtp.command);
  const at = smtp.command === '' || smtp.command === 'CONN' ? '' : ` to ${smtp.command}`;
  const words = quotable(smtp, hide);
  const quote = words.startsWith('"') ? words.slice(1, -1) : words;
  return failure(failureClass, String(responseCode), `it answered ${words}${at}: ${advice}`, quote);
}

/**
 * The server's words, which tell an operator most; but after AUTH they may repeat the login, after DATA the message, so
 * there the codes alone.
 */
function quotable({ command, response, responseCode }: SmtpError, hide: (words: string) => string): string {
  const codes = `${responseCode ?? ''} ${ENHANCED_CODE.exec(response)?.[1] ?? ''}`.trim();
  if (command.startsWith('AUTH') || command === 'DATA') return codes;
  const line = response.replace(/[\p{C}\s]+/gu, ' ').trim();
  if (line === '') return codes;
  // Before it is cut: half a secret would not be recognised.
  return `"${hide(line).slice(0, MAX_QUOTE_LENGTH)}"`;
}

function failure(failureClass: FailureClass, code: string, words: string, quote?: string): DeliveryFailure {
  const quoted = quote === undefined ? {} : { quote };
  return new DeliveryFailure({ class: failureClass, code, message: `Mail server: ${words}.`, ...quoted });
}

/** nodemailer's own codes (ESOCKET) say less than the system's below them (ECONNREFUSED). */
function networkCodeOf(own: string | undefined, below: string): string {
  return below === 'network_error' ? (own ?? below) : below;
}

function wordsOf(own: string | undefined, { code, words }: NetworkError, reached: SmtpPhase): string {
  if (code === 'ETIMEDOUT') return TIMEOUT_WORDS[reached];
  if (own === 'EDNS') return 'its host name could not be resolved; check its spelling and the DNS';
  if (own === 'ECONNECTION') return 'the connection broke off';
  return words;
}

function readError(error: unknown): SmtpError {
  const read = (key: string): unknown => (error instanceof Error ? Reflect.get(error, key) : undefined);
  const textAt = (key: string): string | undefined => {
    const value = read(key);
    return typeof value === 'string' ? value : undefined;
  };
  const responseCode = read('responseCode');
  return {
    code: textAt('code'),
    command: textAt('command') ?? '',
    response: textAt('response') ?? '',
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
  };
}
