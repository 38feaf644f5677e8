/** Reads user and password from a URL. */

/** The header of Basic authentication (RFC 7617); empty when the URL has neither user nor password. */
export function loginOf(url: string): { readonly authorization?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** The decoded text, or the text itself when its percent-encoding is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
