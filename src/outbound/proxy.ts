/** Chooses the proxy for a remote over HTTP: parses proxy URLs and NO_PROXY, and classes a proxy's errors. */
import { isIP } from 'node:net';
import { networkFilter } from '../text/networks.ts';
import { loginOf, secretsOfLogin } from './login.ts';

export interface Proxy {
  /** `http://proxy.example.com:3128`, without secrets. */
  readonly origin: string;
  /** The value of the Proxy-Authorization header; undefined: the URL has neither user nor password. */
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/** The proxies by the scheme of the requested URL; undefined: no proxy. */
export interface Proxies {
  readonly https: Proxy | undefined;
  readonly http: Proxy | undefined;
  /** The entries of `NO_PROXY`: hosts (which include subdomains), addresses and CIDRs, each with or without a port; or `*`. */
  readonly exempt: readonly string[];
}

export const NO_PROXIES: Proxies = { https: undefined, http: undefined, exempt: [] };

/** `http://user:password@host:port` or `https://…`, user and password percent-encoded; undefined for anything else. */
export function parseProxy(text: string): Proxy | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash } = new URL(text);
  if (pathname + search + hash !== '/') return undefined;
  return { origin, authorization: loginOf(text).authorization, secrets: secretsOfLogin(text) };
}

/** @param noProxy the value of NO_PROXY */
export function exemptHosts(noProxy: string): string[] {
  return noProxy.split(/[\s,]+/).filter((entry) => entry !== '');
}

/** As in curl, requests to this machine go through the proxy, too, unless they are exempt. */
export function proxyFor(origin: string, { https, http, exempt }: Proxies): Proxy | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const remote = { host: bareHost(hostname), port: port || (isSecure ? '443' : '80') };
  if (exempt.some((entry) => exempts(entry, remote))) return undefined;
  return isSecure ? https : http;
}

/** `host`, `host:port`, `[address]`, `[address]:port`; an IPv6 address without brackets has no port. */
const ENTRY = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d+))?$/;

function exempts(entry: string, remote: { readonly host: string; readonly port: string }): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, port = remote.port] = ENTRY.exec(entry) ?? [];
  const host = bareHost(bracketed ?? plain ?? entry).replace(/^\*?\./, '');
  if (port !== remote.port || host === '') return false;
  return isIP(remote.host) === 0 ? `.${remote.host}`.endsWith(`.${host}`) : isWithin(remote.host, host);
}

/** In lower case, without the brackets of an address or the trailing dot of a name. */
function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

function isWithin(host: string, network: string): boolean {
  try {
    return networkFilter([network])(host);
  } catch {
    return false;
  }
}

/** The proxy did not make the connection; it forwarded nothing of the request. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** The proxy's origin, without user and password. */
  readonly proxy: string;
  /** The status of its answer; undefined: it did not answer, for the reason in `cause`. */
  readonly status: number | undefined;

  constructor({ origin }: Proxy, { status, cause }: { readonly status?: number; readonly cause?: unknown }) {
    super(`The proxy ${origin} made no connection`, { cause });
    this.proxy = origin;
    this.status = status;
  }
}

/** The proxy's answer in words, and what to do about it. */
export function answerInWords({ proxy }: ProxyError, status: number) {
  if (isLastingAnswer(status))
    return {
      en: `the proxy ${proxy} refused to connect (${status}): check the user name and password of \`proxy\` (or HTTPS_PROXY, HTTP_PROXY), ask whoever runs it to allow this host, or name the host in NO_PROXY`,
      ja: `プロキシ ${proxy} が接続を拒否しました（${status}）。proxy（または環境変数 HTTPS_PROXY、HTTP_PROXY）のユーザー名とパスワードを確認し、プロキシの管理者に許可を依頼するか、送信先を NO_PROXY に加えてください`,
    };
  return {
    en: `the proxy ${proxy} could not connect (${status})`,
    ja: `プロキシ ${proxy} が送信先に接続できませんでした（${status}）`,
  };
}

/** Whether the next attempt would get the same answer. */
export function isLastingAnswer(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
