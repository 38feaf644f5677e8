/** Asks a URL whether it takes a message that is in the asking alone. */
import type { Dispatcher } from 'undici';
import { percentDecoded } from '../text/percent-decoded.ts';

/** Of an answer that nobody reads; what is longer is cut off. */
const MOST_ANSWER_BYTES = 16_384;

/** It answered, and not that it is taken. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * GET, on a connection of its own. Follows no redirect.
 * @param url http or https; with a user and a password where the server asks for them
 * @param dispatcher default: undici's own, which connects directly
 * @throws {NotTaken} the answer is not 2xx
 * @throws {Error} undici's or Node's, or the signal's reason
 */
export async function askUrl(
  url: string,
  { signal, dispatcher }: { readonly signal: AbortSignal; readonly dispatcher?: Dispatcher | undefined },
): Promise<void> {
  // Nobody else may need it.
  const { request } = await import('undici');
  const { statusCode, body } = await request(withoutLogin(url), {
    headers: { 'user-agent': 'botbell', ...loginOf(url) },
    signal,
    reset: true,
    ...(dispatcher !== undefined && { dispatcher }),
  });
  // Whether it was taken is said already.
  await body.dump({ limit: MOST_ANSWER_BYTES, signal }).catch(() => undefined);
  if (statusCode >= 200 && statusCode <= 299) return;
  const isRedirect = statusCode >= 300 && statusCode <= 399;
  const hint = isRedirect ? '; redirects are not followed: give the URL that it leads to' : '';
  throw new NotTaken(`it answered ${statusCode}${hint}`);
}

function withoutLogin(url: string): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** RFC 7617. */
function loginOf(url: string): { readonly authorization?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
