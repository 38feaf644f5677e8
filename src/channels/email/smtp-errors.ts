/** Classes the errors of a mail server and tells the operator what to do about each. */
import { type Meaning, meaning, type Meanings } from '../answers.ts';
import { DeliveryFailure, failureOf, type Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';

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

/** The fields of nodemailer's errors that are used here. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number;
}

const MAX_QUOTE_LENGTH = 200;

/** RFC 3463: class.subject.detail. */
const ENHANCED_CODE = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

/** Refusals that concern the login, whichever command they answer (RFC 4954, RFC 5321). */
const LOGIN_CODES: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** "Bad sequence of commands" (RFC 5321); a new session may succeed. */
const BAD_SEQUENCE = 503;
/** "Exceeded storage allocation" (RFC 5321); in answer to MAIL FROM, the announced size is too large (RFC 1870). */
const TOO_LARGE = 552;

const MAIL_SERVER: Words = { en: 'the mail server', ja: 'メールサーバー' };

const LOGIN = meaning(
  'config',
  'the login failed; check the user name and password in the smtp URL',
  'ログインに失敗しました。SMTP URLのユーザー名とパスワードを確認してください',
);
const SENDER = meaning(
  'config',
  'the server does not take mail from this sender; check "from" and the login',
  'サーバーがこの差出人を受け付けません。from とログインを確認してください',
);
const SERVER = meaning(
  'config',
  'this is not how a mail server answers; check host, port, proxy and TLS options in the smtp URL',
  'メールサーバーの応答ではありません。SMTP URLのホスト、ポート、プロキシ、TLSの設定を確認してください',
);
const RECIPIENT = meaning(
  'permanent',
  'this address cannot be delivered to; check it',
  'この宛先には配送できません。アドレスを確認してください',
  { concerns: 'address' },
);
const MESSAGE = meaning(
  'permanent',
  'the message was refused as it is; it may be too large',
  'メールの内容が受け付けられませんでした。大きすぎる可能性があります',
);
const LATER = meaning('transient', 'the next attempt may succeed', '次回の送信で成功する可能性があります');

/** nodemailer's codes of errors without an answer of the server. */
const MEANINGS: Meanings = {
  EAUTH: LOGIN,
  ETLS: meaning(
    'config',
    'no encrypted connection; use a server with STARTTLS, smtps://, or ?ignoreTLS=true for a relay without TLS',
    '暗号化した接続ができません。STARTTLSまたは smtps:// に対応したサーバーを使うか、TLSのない中継サーバーなら ?ignoreTLS=true を付けてください',
  ),
  EPROXY: SERVER,
  EPROTOCOL: SERVER,
  EENVELOPE: RECIPIENT,
  EMESSAGE: MESSAGE,
};

/**
 * The failure for any error of sending or verifying. It does not hold the original error.
 * @param hide removes secrets from the server's words that are quoted
 */
export function smtpFailureOf(error: unknown, hide: (words: string) => string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const { isHandedOver, cause } = error instanceof SmtpFailure ? error : { isHandedOver: true, cause: error };
  const { code = '', command, response, responseCode } = (cause instanceof Error ? cause : {}) as SmtpError;
  if (typeof responseCode === 'number') return answerFailure({ command, response, responseCode }, hide);
  const network = networkErrorOf(cause);
  const means = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  if (network.isRefusal || means === undefined) return networkFailureOf(MAIL_SERVER, network, isHandedOver);
  const { words, ...details } = means;
  return failureOf(
    { ...details, code },
    { en: `Mail server: ${words.en}`, ja: `${MAIL_SERVER.ja}: ${words.ja}` },
  );
}

/** The meaning of a server's answer: its code decides first, then the command that it answers. */
function meaningOf(responseCode: number, command: string): Meaning {
  if (responseCode < 500 || responseCode === BAD_SEQUENCE) return LATER;
  if (LOGIN_CODES.has(responseCode) || command.startsWith('AUTH')) return LOGIN;
  if (command === 'RCPT TO') return RECIPIENT;
  if (command === 'DATA' || responseCode === TOO_LARGE) return MESSAGE;
  return command === 'MAIL FROM' ? SENDER : SERVER;
}

function answerFailure(
  { command = '', response = '', responseCode }: SmtpError & { readonly responseCode: number },
  hide: (words: string) => string,
): DeliveryFailure {
  const { words, ...details } = meaningOf(responseCode, command);
  const isNamed = command !== '' && command !== 'CONN';
  // Quotes the server's words, except after AUTH and DATA, where they may repeat the login or the message.
  const isQuoted = !command.startsWith('AUTH') && command !== 'DATA';
  const line = isQuoted ? response.replace(/[\p{C}\s]+/gu, ' ').trim() : '';
  const codes = `${responseCode} ${ENHANCED_CODE.exec(response)?.[1] ?? ''}`.trim();
  // Hidden before the cut: half a secret would not be recognised.
  const answer = line === '' ? codes : `"${hide(line).slice(0, MAX_QUOTE_LENGTH)}"`;
  return failureOf(
    { ...details, code: String(responseCode) },
    {
      en: `Mail server: it answered ${answer}${isNamed ? ` to ${command}` : ''}: ${words.en}`,
      ja: `メールサーバーの応答 ${answer}${isNamed ? `（${command}）` : ''}: ${words.ja}`,
    },
  );
}
