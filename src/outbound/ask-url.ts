/** Asks a URL whether it takes a message that is in the asking alone. */
import { loginOf } from './login.ts';
import type { OpenPool } from './open-pool.ts';
import type { HttpPool, HttpRequest } from './pool.ts';

/** It answered, and not that it is taken. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * GET, on a connection of its own. The status is the answer: no redirect is followed, and nothing else is read.
 * @param url http or https; with a user and a password where the server asks for them
 * @throws {NotTaken} the answer is not 2xx
 * @throws {Error} of the network or a proxy, or the signal's reason
 */
export async function askUrl(url: string, signal: AbortSignal, open: OpenPool): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    const request = { method: 'GET', path: `${pathname}${search}`, headers, body: '' } as const;
    const status = await statusOf(request, pool, signal);
    if (status >= 200 && status <= 299) return;
    throw pool.errorOf?.(status) ?? new NotTaken(wordsOf(status));
  } finally {
    // Whoever asks has waited long enough.
    pool.destroy().catch(() => undefined);
  }
}

function wordsOf(status: number): string {
  const isRedirect = status >= 300 && status <= 399;
  const hint = isRedirect ? '; redirects are not followed: give the URL that it leads to' : '';
  return `it answered ${status}${hint}`;
}

async function statusOf(request: HttpRequest, pool: HttpPool, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  let leave = () => undefined as void;
  try {
    return await new Promise<number>((resolve, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave);
      pool.dispatch(request, {
        // Without it, undici takes this for a handler of its older interface.
        onRequestStart: () => undefined,
        onResponseStart(_controller, status) {
          // What is below only says that the answer is being made.
          if (status >= 200) resolve(status);
        },
        onResponseError: (_controller, error) => reject(error),
      });
    });
  } finally {
    // A signal that is made of others is kept for as long as somebody listens to it.
    signal.removeEventListener('abort', leave);
  }
}
