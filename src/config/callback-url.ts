/** Where callbacks are posted to. */
import type { Config } from './config.ts';

/** @param token in place of the config's @returns undefined where the system chooses the port */
export function callbackUrlOf(
  { listen: { host, port }, path, tokens: [first] }: Config['receiver'],
  token = first,
): string | undefined {
  if (port === 0) return undefined;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
  return first === undefined ? url : `${url}/${token}`;
}
