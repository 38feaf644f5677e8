/** Through which proxy a remote over HTTP is reached: what a proxy's URL says, and which hosts go without. */
import { isIP } from 'node:net';
import { networkFilter } from '../text/networks.ts';
import { percentDecoded } from '../text/percent-decoded.ts';
import { loginOf } from './login.ts';

/** A forward proxy. */
export interface Proxy {
  /** `http://proxy.example.com:3128`: fit to be shown. */
  readonly origin: string;
  /** The value of a Proxy-Authorization; undefined: its URL has no user. */
  readonly authorization: string | undefined;
  /** What of its URL nobody may see, as it stands there and as it reads decoded. */
  readonly secrets: readonly string[];
}

/** By the scheme of the URL that is asked for; undefined: no proxy. */
export interface Proxies {
  readonly https: Proxy | undefined;
  readonly http: Proxy | undefined;
  /** As `NO_PROXY` has them: hosts, with their subdomains, addresses and CIDRs, each with or without a port; or `*`. */
  readonly exempt: readonly string[];
}

export const NO_PROXIES: Proxies = { https: undefined, http: undefined, exempt: [] };

/** `http://user:password@host:port` or `https://…`, user and password percent-encoded; undefined for anything else. */
export function parseProxy(text: string): Proxy | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username, password, pathname, search, hash } = new URL(text);
  if (pathname + search + hash !== '/') return undefined;
  // A user without a password is a token.
  const secret = password || username;
  const secrets = [secret, percentDecoded(secret)].filter((each) => each !== '');
  return { origin, authorization: loginOf(text).authorization, secrets: [...new Set(secrets)] };
}

/** @param noProxy the value of NO_PROXY */
export function exemptHosts(noProxy: string): string[] {
  return noProxy.split(/[\s,]+/).filter((entry) => entry !== '');
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * As curl decides: whatever is not exempt goes through the proxy, this machine included.
 * @param origin `https://slack.com`
 */
export function proxyFor(origin: string, { https, http, exempt }: Proxies): Proxy | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const remote = { host: bareHost(hostname), port: port || (DEFAULT_PORTS[protocol] ?? '') };
  if (exempt.some((entry) => exempts(entry, remote))) return undefined;
  return protocol === 'https:' ? https : http;
}

interface Remote {
  /** In lower case, without brackets. */
  readonly host: string;
  readonly port: string;
}

/** `host`, `host:port`, `[address]`, `[address]:port`; an IPv6 address without brackets has no port. */
const ENTRY = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d+))?$/;

function exempts(entry: string, remote: Remote): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, port] = ENTRY.exec(entry) ?? [];
  if (port !== undefined && Number(port) !== Number(remote.port)) return false;
  const host = bareHost(bracketed ?? plain ?? entry).replace(/^\*?\./, '');
  if (host === '') return false;
  if (isIP(remote.host) !== 0) return isWithin(remote.host, host);
  return remote.host === host || remote.host.endsWith(`.${host}`);
}

function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function isWithin(host: string, network: string): boolean {
  try {
    return networkFilter([network])(host);
  } catch {
    return false;
  }
}
