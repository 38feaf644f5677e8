/** Parses and checks the email channel's `smtp` setting: nodemailer's connection URL, with options in its query. */
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import type { SMTPPoolOptions } from 'nodemailer';
import { type Fault, faultSaid } from '../../text/fault.ts';
import { faultOfOptions } from '../../text/nearest.ts';
import { LONGEST_ANSWER_MS, type SettingWarning } from '../channel.ts';
import type { TurnLimits } from '../turns.ts';

/** Shorter than an attempt that no POST waits for; one within a POST ends at its own deadline, which is sooner. */
const CONNECT_TIMEOUT_MS = 25_000;
/** How long an idle connection is kept; QUIT then ends it. */
export const IDLE_TIMEOUT_MS = 30_000;
/** For a server that no longer answers, even to QUIT; a mail ends at its own deadline, which is sooner. */
const SOCKET_TIMEOUT_MS = LONGEST_ANSWER_MS + 60_000;

/** Port 465 has TLS from the first byte, 587 and 25 STARTTLS (RFC 8314, 3.3 and 7.3). */
const TLS_PORT = 465;
const STARTTLS_PORTS: ReadonlySet<unknown> = new Set([587, 25]);

/** Connections at a time; few servers allow fewer. */
export const MOST_CONNECTIONS = 3;

const DEFAULTS: SMTPPoolOptions = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  idleTimeout: IDLE_TIMEOUT_MS,
  // One retry, since the server may have closed a pooled connection.
  maxRequeues: 1,
};

/** Options that no URL may change: nodemailer logs nothing, and no mail reads files or URLs. */
const FIXED = { logger: false, debug: false, disableFileAccess: true, disableUrlAccess: true } as const;

/** Requires TLS on smtp:// unless the URL has `ignoreTLS`. Drops `rateLimit`, which would use up a mail's time limit: see `turnLimitsOf`. */
export function poolOptionsOf(url: string): SMTPPoolOptions & { readonly maxConnections: number } {
  const { rateLimit: _limit, rateDelta: _delta, ...fromUrl } = parseConnectionUrl(url) as SMTPPoolOptions;
  const requireTLS = fromUrl.secure !== true && fromUrl.ignoreTLS !== true;
  const asked = Number(fromUrl.maxConnections) || MOST_CONNECTIONS;
  const maxConnections = Math.min(Math.max(1, asked), MOST_CONNECTIONS);
  return { ...DEFAULTS, ...fromUrl, requireTLS, maxConnections, ...FIXED };
}

/** How many mails at a time, and how fast: nodemailer's `maxConnections`, `rateLimit` and `rateDelta`. */
export function turnLimitsOf(url: string): TurnLimits {
  const { rateLimit, rateDelta } = parseConnectionUrl(url) as SMTPPoolOptions;
  const { maxConnections: connections } = poolOptionsOf(url);
  return { connections, mails: Math.max(0, Number(rateLimit) || 0), perMs: Number(rateDelta) || 1000 };
}

export function hasLogin(url: string): boolean {
  return parseConnectionUrl(url).auth !== undefined;
}

export function isSmtpUrl(text: string | undefined): boolean {
  if (text === undefined || !/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return false;
  try {
    const { host, service } = parseConnectionUrl(text);
    return host !== undefined || service !== undefined;
  } catch {
    return false;
  }
}

/** nodemailer's options that a URL may have, by their values; '': any value. */
const OPTIONS = {
  'true false':
    'secure ignoreTLS requireTLS opportunisticTLS allowInternalNetworkInterfaces pool logger debug disableFileAccess disableUrlAccess',
  // More milliseconds no timer takes.
  '0…2147483647':
    'connectionTimeout greetingTimeout socketTimeout dnsTimeout idleTimeout maxConnections maxMessages maxRequeues rateLimit rateDelta',
  '0…65535': 'port',
  '': 'host service name localAddress tls. authMethod',
};

/** @returns what is wrong with the URL's options; undefined if nothing is */
export function faultOfSmtpOptions(url: string | undefined): Fault | undefined {
  return url === undefined ? undefined : faultOfOptions(url, OPTIONS);
}

/** The password, percent-encoded, decoded and as AUTH LOGIN and PLAIN send it (RFC 4616), and the URL that holds it. */
export function secretsInSmtpUrl(url: string): string[] {
  const { user = '', pass = '' } = parseConnectionUrl(url).auth ?? {};
  if (pass === '') return [];
  const sent = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'));
  return [...new Set([new URL(url).password, pass, url, ...sent])];
}

/** @param hasToken whether the login is by OAuth instead of a password */
export function warningsOfSmtpUrl(url: string, hasToken = false): SettingWarning[] {
  const options = poolOptionsOf(url);
  const { secure = false, port } = options;
  const doubts = hasToken || hasLogin(url) ? doubtsOfLogin(options) : [];
  // Such a connection times out: each side waits for the other to begin.
  if (secure ? STARTTLS_PORTS.has(port) : port === TLS_PORT)
    doubts.push(
      faultSaid(
        `port ${port} goes with ${secure ? 'smtp' : 'smtps'}://`,
        `ポート${port}は ${secure ? 'smtp' : 'smtps'}:// で使います`,
      ),
    );
  return doubts.map((fault) => ({ key: 'smtp', fault }));
}

function doubtsOfLogin({ secure = false, requireTLS = false, tls }: SMTPPoolOptions): Fault[] {
  const doubts: Fault[] = [];
  if (!secure && !requireTLS)
    doubts.push(
      faultSaid(
        'the login may cross the network in clear: use smtps://, or smtp:// without TLS switched off',
        'ユーザー名とパスワードが暗号化されずに流れることがあります。smtps:// にするか、smtp:// のTLSを無効にしないでください',
      ),
    );
  if (tls?.rejectUnauthorized === false)
    doubts.push(
      faultSaid(
        'the login is given to any server that answers: drop tls.rejectUnauthorized=false',
        'どのサーバーにもユーザー名とパスワードを渡してしまいます。tls.rejectUnauthorized=false を外してください',
      ),
    );
  return doubts;
}
