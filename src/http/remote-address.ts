/** Who sent a request: the address that counts, the source that shares are given to, and whether a network holds it. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

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

/** So many proxies stand behind each other at most; the rest of a header is a stranger's word, and may be long. */
const MOST_HOPS = 32;

/** With a port, as some proxies write it: 192.0.2.7:4711, [2001:db8::1]:4711; brackets alone, too. */
const WITH_PORT = /^(?:\[(?<six>[^\]]*)\](?::\d+)?|(?<four>[^:]*):\d+)$/;

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

/** As sockets tell it, also one that IPv6 has wrapped: to parse it takes twenty times as long. */
const IPV4 = new RegExp(String.raw`^(?:::ffff:)?(?<four>${OCTET}(?:\.${OCTET}){3})$`);

/** IPv6 is given to subscribers in networks of this size or larger: one of them is one source. */
const IPV6_SOURCE_BITS = 64;

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

function directAddress(request: SenderHead): string {
  return request.socket.remoteAddress ?? '';
}

/** The last ones, from the right. */
function forwardedBy({ headers }: SenderHead): readonly string[] {
  const forwarded = [headers['x-forwarded-for']].flat().join(',');
  return forwarded.split(',').slice(-MOST_HOPS).toReversed();
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
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isAddress ? address : undefined;
}

/** What a share is given to: an IPv4 address, also one that IPv6 has wrapped, or the network of an IPv6 one. */
export function sourceOf(address: string): string {
  const four = IPV4.exec(address)?.groups?.['four'];
  if (four !== undefined) return four;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${bare(parsed)}/${IPV6_SOURCE_BITS}`);
  return `${network.toString()}/${IPV6_SOURCE_BITS}`;
}

/** Without the zone that a link-local address may name. */
function bare(address: Address): string {
  return address.toNormalizedString().split('%', 1)[0] ?? '';
}

/** @throws {Error} a network that is neither an address nor a CIDR; the config's check has refused it before */
export function networkFilter(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const parsed = networks.map(parseNetwork);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const candidate = ipaddr.process(address);
    return parsed.some((network) => network[0].kind() === candidate.kind() && candidate.match(network));
  };
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
