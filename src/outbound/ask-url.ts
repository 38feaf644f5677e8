/** Asks a URL whether it takes a message that is in the asking alone. */
import { loginOf } from './login.ts';
import type { OpenPool } from './open-pool.ts';
import { get } from './post.ts';

/** It answered, and not that it is taken. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * GET, on a connection of its own. The status is the answer, and no redirect is followed.
 * @param url http or https; with a user and a password where the server asks for them
 * @throws {NotTaken} the answer is not 2xx
 * @throws {Error} of the network or a proxy, or that there was no answer in time
 */
export async function askUrl(url: string, timeoutMs: number, open: OpenPool): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    const { status } = await get(pool, { path: `${pathname}${search}`, headers, deadline });
    if (status < 200 || status > 299) throw new NotTaken(`it answered ${status}`);
  } finally {
    void pool.destroy().catch(() => undefined);
  }
}
