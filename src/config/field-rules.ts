/** What single values of the config must look like: each rule says what is wrong with a text, or nothing. */
import { ALL_STATUSES } from '../callback/callback.ts';
import { parseProxy } from '../outbound/proxy.ts';
import { didYouMean } from '../text/nearest.ts';
import { isTimezone } from '../time/display.ts';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** What is wrong, to be read after the value's path; undefined: nothing. None of them repeats a secret. */
export type Rule = (text: string) => string | undefined;

/** Names of channels, groups and template sets: they stand in destinations, metrics and folders. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** RFC 3986, unreserved: what stands in a URL as it is; a lone dot or two would be resolved away. */
const TOKEN = /^(?!\.{1,2}$)[A-Za-z0-9._~-]*$/;
const PATH = /^\/$|^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+\/?$/;
const HEALTH_PATH = '/healthz';
const HOST = /^[A-Za-z0-9.-]+$/;

const IN_MEMORY = 'sqlite::memory:';

/** For what is looked up later. */
export function anyText(): undefined {
  return undefined;
}

function matching(pattern: RegExp, rule: string): Rule {
  return (text) => (pattern.test(text) ? undefined : rule);
}

export const nameRule = matching(NAME, 'must be a name of letters, digits, ".", "_" and "-"');

export const hostRule = matching(HOST, 'must be a host name without port, such as botbell.internal');

export const folderRule = matching(/./s, 'must name a folder');

export const statusRule: Rule = (text) => memberRule(text, ALL_STATUSES);

export function listenRule(text: string): string | undefined {
  if (parseListenAddress(text)) return undefined;
  const port = /^:(\d+)$/.exec(text)?.[1];
  if (port !== undefined)
    return `must name a host: write 0.0.0.0:${port} or [::]:${port} for every interface`;
  return 'must be host:port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080';
}

export function adminListenRule(text: string): string | undefined {
  if (text === 'off') return undefined;
  const problem = listenRule(text);
  return problem && `${problem}; or off`;
}

export function pathRule(text: string): string | undefined {
  if (!text.startsWith('/')) return 'must begin with a slash, such as /callbacks';
  if (!PATH.test(text)) {
    return 'must be a path such as /callbacks: letters, digits, ".", "_", "~" and "-" between single slashes';
  }
  const isHealthPath = text.replace(/\/$/, '') === HEALTH_PATH;
  return isHealthPath ? `must not be ${HEALTH_PATH}, which answers the health check` : undefined;
}

/** The empty token is none, so that `${TOKEN:-}` turns it off. */
export const tokenRule = matching(
  TOKEN,
  'must hold only letters, digits, ".", "_", "~" and "-", since it is a part of the URL',
);

export function cidrRule(text: string): string | undefined {
  if (parseCidr(text) !== undefined) return undefined;
  return 'must be an address or a CIDR, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32';
}

/** RFC 6750, 2.1; the empty one is none. */
export const bearerRule = matching(
  /^(?:[A-Za-z0-9._~+/-]+=*)?$/,
  'must hold only letters, digits, "-", ".", "_", "~", "+" and "/", since it is sent as a bearer token',
);

/** Never repeats the URL, which may hold a password. */
export function storeUrlRule(text: string): string | undefined {
  if (text === IN_MEMORY) return undefined;
  if (text.startsWith('sqlite://')) return 'must be written without slashes, such as sqlite:data/botbell.db';
  if (/^sqlite:./.test(text)) return undefined;
  const isPostgres = /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
  return isPostgres
    ? undefined
    : 'must be sqlite:PATH, such as sqlite:data/botbell.db, or postgres://user:password@host/name';
}

/** Never repeats the URL, which says by itself who reports. The empty one is none. */
export function heartbeatUrlRule(text: string): string | undefined {
  const isUrl = text === '' || (/^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text));
  return isUrl ? undefined : 'must be an http:// or https:// URL, such as https://hc-ping.com/<uuid>';
}

export const PROXY_RULE =
  'must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128, user and password percent-encoded';

/** Never repeats the URL, which may hold a password; the empty one is that of the environment. */
export function proxyRule(text: string): string | undefined {
  if (text === '' || text === 'off' || parseProxy(text) !== undefined) return undefined;
  return `${PROXY_RULE}; or off`;
}

export function timezoneRule(text: string): string | undefined {
  if (isTimezone(text)) return undefined;
  const meant = didYouMean(text, Intl.supportedValuesOf('timeZone'));
  return `must be an IANA time zone such as UTC or Asia/Tokyo${meant}`;
}

/** Whether `text` is one of `names`. */
export function memberRule(text: string, names: readonly string[]): string | undefined {
  if (names.includes(text)) return undefined;
  const list = names.map((name) => `"${name}"`);
  const known = list.length > 1 ? `${list.slice(0, -1).join(', ')} or ${list.at(-1)}` : list.join('');
  return `must be ${known}${didYouMean(text, names)}`;
}

export const FOREIGN_QUOTES = 'stands in quotes that YAML does not know: write "…"';

/** Whether a text bears the quotes of a word processor or an input method, which YAML takes for a part of it. */
export function isInForeignQuotes(text: string): boolean {
  return /^(?:“.*”|‘.*’|„.*“|「.*」|『.*』|＂.*＂|＇.*＇)$/su.test(text);
}

/** A Liquid template of a URL; only its fixed beginning can be judged here. */
export function linkRule(text: string): string | undefined {
  const isUrl = /^https?:\/\/./.test(text) && URL.canParse(text.replaceAll(/\{\{.*?\}\}|\{%.*?%\}/g, 'x'));
  return isUrl ? undefined : 'must be an http:// or https:// URL, with {{ … }} where values go in';
}

const ADDRESS = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** RFC 1123, 2.1; what has only digits and dots must be an address. */
const HOST_NAME =
  /^(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/**
 * `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; port 0 lets the system choose.
 * `:8080` is no address: every interface is asked for in so many words, as `0.0.0.0:8080` or `[::]:8080`.
 */
export function parseListenAddress(text: string) {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain ?? '';
  const isHost = bracketed === undefined ? isIPv4(host) || HOST_NAME.test(host) : isIPv6(host);
  return isHost && port <= MAX_PORT ? { host, port } : undefined;
}

/** It finds an IPv4 address that IPv6 has wrapped, too. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach it, or is reached by it (RFC 6761, 6.3). */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return /^(?:.+\.)?localhost$/i.test(host);
  return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** A CIDR, or an address as the CIDR of itself alone; undefined for anything else. */
export function parseCidr(text: string): string | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const maxLength = version === 6 ? 128 : 32;
  if (version === 0 || rest.length > 0) return undefined;
  if (length === undefined) return `${address}/${maxLength}`;
  return /^\d{1,3}$/.test(length) && Number(length) <= maxLength ? text : undefined;
}
