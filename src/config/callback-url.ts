/** Where callbacks are posted to. */
import type { Config } from './config.ts';

/**
 * @param token in place of the config's
 * @param machine where the receiver listens on all addresses
 * @returns undefined where the system chooses the port
 */
export function callbackUrlOf(
  { listen: { host, port }, path, tokens: [first] }: Config['receiver'],
  token = first,
  machine = '127.0.0.1',
): string | undefined {
  if (port === 0) return undefined;
  const name = host === '0.0.0.0' || host === '::' ? machine : host;
  const url = `${originOf({ host: name, port })}${path}`;
  return first === undefined ? url : `${url}/${token}`;
}

export function originOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
