/** Who sent a request: the address that counts, and whether a secret is right. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkFilter } from '../text/networks.ts';

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

/** Whether a text is one of `secrets`, which are hashed once; looks at all of them whatever it finds. */
export function secretCheck(secrets: readonly string[]): (given: string) => boolean {
  const digestOf = (text: string) => hash('sha256', text, 'buffer');
  const digests = secrets.map(digestOf);
  return (given) => {
    const digest = digestOf(given);
    return digests.filter((each) => timingSafeEqual(digest, each)).length > 0;
  };
}
