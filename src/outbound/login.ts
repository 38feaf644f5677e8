/** User and password of a URL, as a header of HTTP. */
import { percentDecoded } from '../text/percent-decoded.ts';

/** RFC 7617; empty where the URL has neither. */
export function loginOf(url: string): { readonly authorization?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
