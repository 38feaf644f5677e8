/** Which addresses the networks of a config hold. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** An IPv4 address that IPv6 has wrapped, as Node writes it, and the zone that a link-local one may name. */
const WRAPPING_OR_ZONE = /^::ffff:(?=[\d.]+$)|%.*$/i;

/**
 * Each family has a list of its own: in one that holds both, `::/0` would hold every IPv4 address as well.
 * @param networks addresses and CIDRs; none hold everybody
 * @throws {Error} a network that is neither
 */
export function networkFilter(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const [four, six] = [new BlockList(), new BlockList()];
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    if (isIPv4(address)) four.addSubnet(address, Number(length ?? 32), 'ipv4');
    else six.addSubnet(address, Number(length ?? 128), 'ipv6');
  }
  return (text) => {
    const address = text.replace(WRAPPING_OR_ZONE, '');
    if (isIPv4(address)) return four.check(address, 'ipv4');
    return isIPv6(address) && six.check(address, 'ipv6');
  };
}
