/** The `smtp` setting of the email channel: nodemailer's connection URL, its options included. */
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import type { SMTPPoolOptions } from 'nodemailer';
import type { SettingWarning } from '../channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const SOCKET_TIMEOUT_MS = 10_000;
/** Mails at the same time; nodemailer's five cap the throughput at five by the server's latency. Fewer where the server says so. */
const MAX_CONNECTIONS = 10;

/** RFC 8314, 3.3 and 7.3: 465 is TLS from the first byte; 587 and 25 take STARTTLS. */
const TLS_PORT = 465;
const STARTTLS_PORT = 587;
const RELAY_PORT = 25;

const DEFAULTS: SMTPPoolOptions = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  dnsTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
};

/** What no URL may change: nothing is logged past our own logger. */
const FIXED = { logger: false, debug: false } as const;

/** Our limits where the URL does not set its own; TLS is required on smtp:// unless the URL says otherwise. */
export function poolOptionsOf(url: string): SMTPPoolOptions {
  const fromUrl = optionsIn(url);
  const requireTLS = fromUrl.secure !== true && !saysOtherwise(fromUrl);
  const maxConnections = isCount(fromUrl.maxConnections) ? fromUrl.maxConnections : MAX_CONNECTIONS;
  return { ...DEFAULTS, requireTLS, ...fromUrl, maxConnections, ...FIXED };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** `?service=gmail`: host, port and TLS of a server that nodemailer knows. */
export async function withService(options: SMTPPoolOptions): Promise<SMTPPoolOptions> {
  if (typeof options.service !== 'string') return options;
  const { default: wellKnown } = await import('nodemailer/lib/well-known');
  const known = wellKnown(options.service);
  return known === false ? options : { ...options, ...known };
}

export function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return false;
  try {
    const { host, service } = optionsIn(text);
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
  return [...warningsOfCount(url), ...warningsOfPort(url), ...warningsOfPassword(url)];
}

function warningsOfCount(url: string): SettingWarning[] {
  const { maxConnections } = optionsIn(url);
  if (maxConnections === undefined || isCount(maxConnections)) return [];
  return [warning(`maxConnections must be a whole number from 1; ${MAX_CONNECTIONS} is used instead`)];
}

/** Such a connection only ends by its time-out: each side waits for the other to begin. */
function warningsOfPort(url: string): SettingWarning[] {
  const { secure, port } = optionsIn(url);
  if (secure === true && (port === STARTTLS_PORT || port === RELAY_PORT)) {
    return [
      warning(
        `port ${port} begins without TLS and smtps:// with it: write smtp://…:${port}, or smtps://…:${TLS_PORT}`,
      ),
    ];
  }
  if (secure === true || port !== TLS_PORT) return [];
  return [
    warning(
      `port ${TLS_PORT} begins with TLS and smtp:// without it: write smtps://…:${TLS_PORT}, or smtp://…:${STARTTLS_PORT}`,
    ),
  ];
}

function warningsOfPassword(url: string): SettingWarning[] {
  if (passwordIn(url) === '') return [];
  const { secure, requireTLS, tls } = poolOptionsOf(url);
  if (secure !== true && requireTLS !== true) {
    return [
      warning(
        'the password may cross the network in clear: use smtps://, or smtp:// without TLS switched off',
      ),
    ];
  }
  if (tls?.rejectUnauthorized === false) {
    return [warning('the password is given to any server that answers: drop tls.rejectUnauthorized=false')];
  }
  return [];
}

function warning(message: string): SettingWarning {
  return { key: 'smtp', message };
}

function passwordIn(url: string): string {
  return optionsIn(url).auth?.pass ?? '';
}

/** Truthy values as nodemailer reads them: `true`, `1`. */
function saysOtherwise({ ignoreTLS, opportunisticTLS }: SMTPPoolOptions): boolean {
  return Boolean(ignoreTLS) || Boolean(opportunisticTLS);
}

function optionsIn(url: string): SMTPPoolOptions {
  return parseConnectionUrl(url);
}
