/** The `smtp` setting of the email channel: nodemailer's connection URL, its options included. */
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import type { SMTPPoolOptions } from 'nodemailer';
import type { SettingWarning } from '../channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const SOCKET_TIMEOUT_MS = 10_000;

/** RFC 8314, 3.3 and 7.3: 465 is TLS from the first byte; 587 and 25 take STARTTLS. */
const TLS_PORT = 465;
const STARTTLS_PORTS: ReadonlySet<unknown> = new Set([587, 25]);

/** Few servers take fewer. */
const MOST_CONNECTIONS = 3;

const DEFAULTS: SMTPPoolOptions = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  dnsTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // A connection that the server had closed meanwhile.
  maxRequeues: 1,
};

/** What no URL may change: nothing is logged past our own logger, and no mail reads files or addresses. */
const FIXED = { logger: false, debug: false, disableFileAccess: true, disableUrlAccess: true } as const;

/** Our limits where the URL does not set its own; TLS is required on smtp:// unless it says `ignoreTLS`. */
export function poolOptionsOf(url: string): SMTPPoolOptions {
  const fromUrl = parseConnectionUrl(url);
  const requireTLS = fromUrl.secure !== true && fromUrl.ignoreTLS !== true;
  const asked = Number(fromUrl.maxConnections) || MOST_CONNECTIONS;
  const maxConnections = Math.min(Math.max(1, asked), MOST_CONNECTIONS);
  return { ...DEFAULTS, ...fromUrl, requireTLS, maxConnections, ...FIXED };
}

export function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return false;
  try {
    const { host, service } = parseConnectionUrl(text);
    return host !== undefined || service !== undefined;
  } catch {
    return false;
  }
}

/** The password in both its spellings, and the URL that holds it. */
export function secretsInSmtpUrl(url: string): string[] {
  const raw = new URL(url).password;
  const decoded = passwordIn(url);
  return [...new Set([raw, decoded, raw === '' ? '' : url])].filter((secret) => secret !== '');
}

export function warningsOfSmtpUrl(url: string): SettingWarning[] {
  const { secure = false, requireTLS = false, port, tls } = poolOptionsOf(url);
  const doubts: string[] = [];
  // Such a connection only ends by its time-out: each side waits for the other to begin.
  if (secure ? STARTTLS_PORTS.has(port) : port === TLS_PORT)
    doubts.push(`port ${port} goes with ${secure ? 'smtp' : 'smtps'}://`);
  if (passwordIn(url) !== '' && !secure && !requireTLS)
    doubts.push(
      'the password may cross the network in clear: use smtps://, or smtp:// without TLS switched off',
    );
  if (passwordIn(url) !== '' && tls?.rejectUnauthorized === false)
    doubts.push('the password is given to any server that answers: drop tls.rejectUnauthorized=false');
  return doubts.map((message) => ({ key: 'smtp', message }));
}

function passwordIn(url: string): string {
  return parseConnectionUrl(url).auth?.pass ?? '';
}
