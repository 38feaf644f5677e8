/** Turns errors of a mail server, and of the connection to it, into failures, in words for operators. */
import { moreInWords, quoted } from '../answers.ts';
import { DeliveryFailure, failureOf, type Words } from '../failure.ts';
import { notLetIn } from '../login-pause.ts';
import { type NetworkError, networkErrorOf, networkFailureOf } from '../network-error.ts';
import { meaningAt, meaningOf } from './smtp-meanings.ts';

/** nodemailer's error or a timeout, and whether the mail had been handed over by then. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** Whether the end of the message was sent: only then may the server have accepted it (RFC 5321, 4.2.5). */
  readonly isHandedOver: boolean;

  constructor(isHandedOver: boolean, cause: unknown) {
    super('The mail could not be sent', { cause });
    this.isHandedOver = isHandedOver;
  }
}

/** What an error of nodemailer's may have. */
export interface SmtpError {
  readonly code?: string;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number;
}

/** The first characters of a reply, in which telling words are looked for. */
const MOST_READ = 1000;

const MAIL_SERVER: Words = { en: 'the mail server', ja: 'メールサーバー' };

/**
 * The failure for any error of sending or verifying. It does not hold the original error.
 * @param hide removes secrets from what is quoted of the server's answer
 * @param loginPauseMs the pause after a refused login
 */
export function smtpFailureOf(
  error: unknown,
  hide: (words: string) => string,
  loginPauseMs?: number,
): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const { isHandedOver, cause } = error instanceof SmtpFailure ? error : { isHandedOver: true, cause: error };
  // There was no token for the login; the cause of nodemailer's error is the reason.
  if (cause instanceof Error && cause.cause instanceof DeliveryFailure) return cause.cause;
  const { responseCode, ...given } = (cause instanceof Error ? cause : {}) as SmtpError;
  if (typeof responseCode === 'number') return answerFailure({ ...given, responseCode }, hide, loginPauseMs);
  const { code = '', command } = given;
  const network = networkOf(cause);
  const means = code === 'ETLS' && command === 'CONN' ? undefined : meaningAt(code);
  if (network.isRefusal || means === undefined) return networkFailureOf(MAIL_SERVER, network, isHandedOver);
  const { words, ...details } = means;
  const { en, ja } = moreInWords(undefined, isHandedOver);
  return failureOf(
    { ...details, code, mayHaveArrived: isHandedOver },
    { en: `Mail server: ${words.en}${en}`, ja: `${MAIL_SERVER.ja}: ${words.ja}${ja}` },
  );
}

const BROKEN_HANDSHAKE: Words = {
  en: 'the connection broke off in the TLS handshake',
  ja: 'TLSハンドシェイクの途中で接続が切れました',
};

function networkOf(cause: unknown): NetworkError {
  const network = networkErrorOf(cause);
  // `ETLS` is nodemailer's error if the server hangs up in the TLS handshake after STARTTLS.
  return network.code === 'ETLS' ? { ...network, code: 'ECONNRESET', words: BROKEN_HANDSHAKE } : network;
}

type Answer = SmtpError & { readonly responseCode: number };

function answerFailure(
  { command = '', response = '', responseCode }: Answer,
  hide: (words: string) => string,
  loginPauseMs: number | undefined,
): DeliveryFailure {
  const reply = response === '' ? `${responseCode} ` : response.slice(0, MOST_READ);
  const means = meaningOf(reply, response, command);
  const isLogin = command.startsWith('AUTH') && means.class === 'config';
  const { words, ...details } = isLogin ? notLetIn(means, loginPauseMs) : means;
  // Secrets are hidden before the cut: half a secret would not be recognised.
  const said = quoted(hide(response)) || String(responseCode);
  const at = command === 'CONN' ? '' : command;
  return failureOf(
    { code: String(responseCode), ...details },
    {
      en: `Mail server: it answered ${said}${at && ` to ${at}`}: ${words.en}`,
      ja: `メールサーバーの応答 ${said}${at && `（${at}）`}: ${words.ja}`,
    },
  );
}
