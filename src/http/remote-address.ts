/** Who sent a request, and whether that address is one of a list of networks. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Behind a proxy, the entry that the proxy itself added: the rightmost one; all others are the client's word. */
export function remoteAddressOf(request: IncomingMessage, isProxyTrusted: boolean): string {
  const direct = request.socket.remoteAddress ?? '';
  if (!isProxyTrusted) return direct;
  const forwarded = [request.headers['x-forwarded-for']].flat().join(',');
  return forwarded.split(',').at(-1)?.trim() || direct;
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
