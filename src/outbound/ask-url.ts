/** Asks a URL whether it answers, such as a watcher's that waits for the heartbeat. */
import { exchange, type OpenPool } from './exchange.ts';
import { loginOf } from './login.ts';

/**
 * GET on a connection of its own. Follows no redirect.
 * @param url http or https; may hold a user and a password
 * @returns the answer's status @throws {Error} an error of the network or a proxy, or a timeout
 */
export async function askUrl(url: string, timeoutMs: number, open: OpenPool): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    return (await exchange(pool, { method: 'GET', path: pathname + search, headers, deadline })).status;
  } finally {
    void pool.destroy().catch(() => undefined);
  }
}
