/** Through which proxy a remote over HTTP is reached: what a proxy's URL says, and which hosts go without. */
import { BlockList, isIP, isIPv6 } from 'node:net';

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
  const [user, secret] = [decoded(username), decoded(password)];
  if (pathname + search + hash !== '/' || user === undefined || secret === undefined) return undefined;
  if (username + password === '') return { origin, authorization: undefined, secrets: [] };
  return {
    origin,
    // RFC 7617
    authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
    // A user without a password is a token.
    secrets: [...new Set(secret === '' ? [username, user] : [password, secret])],
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
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
  const [address = '', length] = host.split('/');
  if (isIP(remote.host) !== 0) return isIP(address) !== 0 && isWithin(remote.host, address, length);
  return remote.host === host || remote.host.endsWith(`.${host}`);
}

function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** @param length of the network's prefix; undefined: all of the address */
function isWithin(host: string, address: string, length: string | undefined): boolean {
  const familyOf = (each: string) => (isIPv6(each) ? 'ipv6' : 'ipv4');
  const network = new BlockList();
  try {
    if (length === undefined) network.addAddress(address, familyOf(address));
    else network.addSubnet(address, Number(length), familyOf(address));
  } catch {
    return false;
  }
  return network.check(host, familyOf(host));
}
