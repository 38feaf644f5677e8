/** Addresses to listen on, as `host:port`. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { ListenAddress } from './config.ts';

const ADDRESS = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** RFC 1123, 2.1; what has only digits and dots must be an address. */
const HOST_NAME =
  /^(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/**
 * `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; port 0 lets the system choose.
 * `:8080` is no address: every interface is asked for in so many words, as `0.0.0.0:8080` or `[::]:8080`.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain ?? '';
  const isHost = bracketed === undefined ? isIPv4(host) || HOST_NAME.test(host) : isIPv6(host);
  return isHost && port <= MAX_PORT ? { host, port } : undefined;
}

/** It finds an IPv4 address that IPv6 has wrapped, too. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach it, or is reached by it (RFC 6761, 6.3). */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return /^(?:.+\.)?localhost$/i.test(host);
  return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** A CIDR, or an address as the CIDR of itself alone; undefined for anything else. */
export function parseCidr(text: string): string | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const maxLength = version === 6 ? 128 : 32;
  if (version === 0 || rest.length > 0) return undefined;
  if (length === undefined) return `${address}/${maxLength}`;
  return /^\d{1,3}$/.test(length) && Number(length) <= maxLength ? text : undefined;
}
