/**
 * Who sent a request: the address that counts, the source that shares are given to, whether a network holds it, and
 * whether a secret is right.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/**
 * Whose word X-Forwarded-For is: nobody's, whoever connects, or that of the proxies in these networks (addresses or
 * CIDRs).
 */
export type TrustedProxies = boolean | readonly string[];

export interface Sender {
  /** Of the sender; that of the connection where a proxy says something that is no address. */
  readonly address: string;
  /** Whether it is the sender's own, not that of a proxy which does not say from whom it has the request. */
  readonly isKnown: boolean;
}

/** What of a request tells its sender; of the headers, X-Forwarded-For alone. */
export type SenderHead = Pick<IncomingMessage, 'socket' | 'headers'>;

export type SenderReader = (request: SenderHead) => Sender;

/** With a port, as some proxies write it: 192.0.2.7:4711, [2001:db8::1]:4711; brackets alone, too. */
const WITH_PORT = /^(?:\[(?<six>[^\]]*)\](?::\d+)?|(?<four>[^:]*):\d+)$/;

/** An IPv4 address that IPv6 has wrapped, as Node writes it. */
const WRAPPED = /^::ffff:(?<four>[\d.]+)$/;
const WRAPPING_BITS = 96;

/** IPv6 is given to subscribers in networks of this size or larger: one of them is one source. */
const IPV6_SOURCE_BITS = 64;
const IPV6_SOURCE_GROUPS = 4;

/**
 * Finds the sender of a request. Of X-Forwarded-For, the entry that the proxy itself added counts: the rightmost one, or,
 * where the proxies' networks are named, the rightmost one outside them; all others are the client's word.
 */
export function senderReader(trustProxy: TrustedProxies): SenderReader {
  const isTrusted = trustProxy === true || (trustProxy !== false && trustProxy.length > 0);
  if (!isTrusted) return (request) => ({ address: directAddress(request), isKnown: true });
  const isProxy = trustProxy === true ? () => false : networkFilter(trustProxy);
  return (request) => {
    const direct = directAddress(request);
    const entries = forwardedBy(request);
    const isForwarded = trustProxy === true || isProxy(direct);
    const named = isForwarded ? rightmostOutside(entries, isProxy) : undefined;
    if (named === undefined) return { address: direct, isKnown: true };
    const address = addressIn(named);
    return address === undefined ? { address: direct, isKnown: false } : { address, isKnown: true };
  };
}

/** Of the connection. */
export function directAddress({ socket }: Pick<SenderHead, 'socket'>): string {
  return socket.remoteAddress ?? '';
}

/** From the right; the headers' limit bounds how many. */
function forwardedBy({ headers }: SenderHead): readonly string[] {
  const forwarded = [headers['x-forwarded-for']].flat().join(',');
  return forwarded.split(',').toReversed();
}

/** Undefined where the proxy has added none. */
function rightmostOutside(
  entries: readonly string[],
  isProxy: (address: string) => boolean,
): string | undefined {
  const trimmed = entries.map((entry) => entry.trim());
  const outside = trimmed.find((entry) => !isProxy(addressIn(entry) ?? ''));
  return (outside ?? trimmed.at(-1)) || undefined;
}

function addressIn(entry: string): string | undefined {
  const { six, four } = WITH_PORT.exec(entry)?.groups ?? {};
  const address = six ?? four ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/** In one way of writing, unwrapped, and without the zone that a link-local one may name; undefined: no address. */
function plain(address: string): string | undefined {
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : undefined;
  const six = new SocketAddress({ address, family: 'ipv6' }).address;
  return WRAPPED.exec(six)?.groups?.['four'] ?? six;
}

/** What a share is given to: an IPv4 address, also one that IPv6 has wrapped, or the network of an IPv6 one. */
export function sourceOf(address: string): string {
  const found = plain(address);
  if (found === undefined) return address;
  return isIPv4(found) ? found : `${plain(`${firstGroups(found)}::`)}/${IPV6_SOURCE_BITS}`;
}

/** Those that name the source's network. */
function firstGroups(six: string): string {
  const [left = [], right = []] = six.split('::').map((half) => half.split(':'));
  const zeros = six.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : [];
  return [...left, ...zeros, ...right]
    .slice(0, IPV6_SOURCE_GROUPS)
    .map((group) => group || '0')
    .join(':');
}

/**
 * Each family has a list of its own: in one that holds both, `::/0` would hold every IPv4 address as well.
 * @throws {Error} a network that is neither an address nor a CIDR; the config's check has refused it before
 */
export function networkFilter(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const { address, bits, family } = parseNetwork(network);
    lists[family].addSubnet(address, bits, family);
  }
  return (address) => {
    const candidate = plain(address);
    if (candidate === undefined) return false;
    const family = isIPv4(candidate) ? 'ipv4' : 'ipv6';
    return lists[family].check(candidate, family);
  };
}

/** One that wraps IPv4 addresses is theirs. */
function parseNetwork(text: string) {
  const [address = '', length] = text.split('/');
  const four = plain(address);
  const wrappingBits = isIPv4(address) ? 0 : WRAPPING_BITS;
  const bits = length === undefined ? undefined : Number(length) - wrappingBits;
  if (four !== undefined && isIPv4(four) && (bits ?? 0) >= 0)
    return { address: four, bits: bits ?? 32, family: 'ipv4' } as const;
  return { address, bits: Number(length ?? 128), family: 'ipv6' } as const;
}

/** Whether `given` is one of `secrets`; looks at all of them whatever it finds. */
export function isOneOf(given: string, secrets: readonly string[]): boolean {
  return secretCheck(secrets)(given);
}

/** The same, for whoever asks often: the secrets are hashed once. */
export function secretCheck(secrets: readonly string[]): (given: string) => boolean {
  const digestOf = (text: string) => hash('sha256', text, 'buffer');
  const digests = secrets.map(digestOf);
  return (given) => {
    const digest = digestOf(given);
    return digests.filter((each) => timingSafeEqual(digest, each)).length > 0;
  };
}
