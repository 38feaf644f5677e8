/** Tests whether an address is in one of the networks of a config, and is this machine's. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** The parts that Node adds to an address: the prefix of an IPv4-mapped IPv6 address, and the zone of a link-local one. */
const WRAPPING_OR_ZONE = /^::ffff:(?=[\d.]+$)|%.*$/i;

/** Where IPv4 lies in IPv6. A list that has only networks within it compares both spellings of an address. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * Each family has its own list: in a common one, `::/0` would include every IPv4 address as well.
 * @param networks addresses and CIDRs; an empty list matches every address
 * @throws {Error} a network is neither an address nor a CIDR
 */
export function networkFilter(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const [four, six] = [new BlockList(), new BlockList()];
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const bits = Number(length ?? 128);
    if (isIPv4(address)) four.addSubnet(address, Number(length ?? 32), 'ipv4');
    else (bits >= 96 && MAPPED.check(address, 'ipv6') ? four : six).addSubnet(address, bits, 'ipv6');
  }
  return (text) => {
    const address = text.replace(WRAPPING_OR_ZONE, '');
    if (isIPv4(address)) return four.check(address, 'ipv4');
    return isIPv6(address) && (MAPPED.check(address, 'ipv6') ? four : six).check(address, 'ipv6');
  };
}

/** What a sender cannot change at will: an IPv4 address, or the /64 of an IPv6 one, in which it may use any address. */
export function networkOf(text: string): string {
  const address = text.replace(WRAPPING_OR_ZONE, '');
  if (!isIPv6(address) || MAPPED.check(address, 'ipv6')) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':'));
  const left = 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, left)).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':');
}

const isLoopbackAddress = networkFilter(['127.0.0.0/8', '::1']);

/** Whether the host is this machine: a loopback address, or a name under `localhost` (RFC 6761, 6.3). */
export function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/i.test(host) : isLoopbackAddress(host);
}
