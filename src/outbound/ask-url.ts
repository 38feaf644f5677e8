/** Asks a URL whether it answers, such as a watcher's that waits for the heartbeat. */
import { exchange, type OpenPool } from './exchange.ts';
import { loginOf } from './login.ts';

/** The answer's status is not 2xx. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * GET on a connection of its own. Follows no redirect.
 * @param url http or https; may hold a user and a password
 * @throws {NotTaken} the answer is not 2xx
 * @throws {Error} an error of the network or a proxy, or a timeout
 */
export async function askUrl(url: string, timeoutMs: number, open: OpenPool): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    const { status } = await exchange(pool, {
      method: 'GET',
      path: `${pathname}${search}`,
      headers,
      deadline,
    });
    if (status < 200 || status > 299) throw new NotTaken(`it answered ${status}`);
  } finally {
    void pool.destroy().catch(() => undefined);
  }
}
