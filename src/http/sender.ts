/** Who sent a request: the sender's address, and the check of a secret. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkFilter } from '../text/networks.ts';

/** Whose X-Forwarded-For is trusted: nobody's (false), everybody's (true), or that of proxies in networks (addresses or CIDRs). */
export type TrustedProxies = boolean | readonly string[];

/** The parts of a request that tell its sender. The only header used is X-Forwarded-For. */
export type SenderHead = Pick<IncomingMessage, 'socket' | 'headers'>;

/** @returns the sender's address; `unknown` where the proxy's entry is no address */
export type SenderReader = (request: SenderHead) => string;

/** An address with a port, as some proxies write it: 192.0.2.7:4711, [2001:db8::1]:4711. Also brackets without a port. */
const WITH_PORT = /^(?:\[(?<six>[^\]]*)\](?::\d+)?|(?<four>[^:]*):\d+)$/;

/**
 * Finds the sender of a request: the entry of X-Forwarded-For that the trusted proxy added. It is the rightmost entry or, if
 * the proxies' networks are configured, the rightmost one outside them. The client may have forged all entries before it.
 */
export function senderReader(trustProxy: TrustedProxies): SenderReader {
  const networks = typeof trustProxy === 'boolean' ? [] : trustProxy;
  const isProxy = networks.length > 0 ? networkFilter(networks) : () => false;
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const isForwarded = trustProxy === true || isProxy(direct);
    const named = isForwarded ? forwardedFor(request, isProxy) : undefined;
    return named ? (addressIn(named) ?? 'unknown') : direct;
  };
}

/** Undefined: the proxy added no entry. The size limit of the headers bounds their number. */
function forwardedFor({ headers }: SenderHead, isProxy: (address: string) => boolean): string | undefined {
  const forwarded = [headers['x-forwarded-for']].flat().join(',');
  const entries = forwarded.split(',').map((entry) => entry.trim());
  return entries.findLast((entry) => !isProxy(addressIn(entry) ?? '')) ?? entries[0];
}

function addressIn(entry: string): string | undefined {
  const { six, four } = WITH_PORT.exec(entry)?.groups ?? {};
  const address = six ?? four ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/** Whether a text is one of `secrets`. Compares it with all of them, so that the time taken reveals nothing. */
export function secretCheck(secrets: readonly string[]): (given: string) => boolean {
  const digestOf = (text: string) => hash('sha256', text, 'buffer');
  const digests = secrets.map(digestOf);
  return (given) => {
    const digest = digestOf(given);
    return digests.filter((each) => timingSafeEqual(digest, each)).length > 0;
  };
}
