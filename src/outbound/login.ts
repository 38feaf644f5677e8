/** Reads user and password from a URL, and what else in it is secret. */
import { percentDecoded } from '../text/percent.ts';

/** The header of Basic authentication (RFC 7617); empty when the URL has neither user nor password. */
export function loginOf(url: string): { readonly authorization?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** What to do where a URL's login is not read as it was meant. */
export const LOGIN_RULE = 'percent-encode / : @ ? # % in the user name and password';

/** Whether a URL's login ends where it was meant to: else a part of a password would be taken for a host, and shown. */
export function hasWholeLogin(url: string): boolean {
  const [, authority = '', rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const login = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  return !rest.includes('@') && !login.includes('@');
}

/** A part of a path or a query that is a credential: a key, a token, an ID. Words are none, however long. */
function isKey(part: string): boolean {
  return part.length >= 8 && /\p{L}/u.test(part) && /\d/.test(part);
}

/** A query that authorises by itself: the path then holds IDs only, which people are shown. */
const AUTHORISES = /[?&](?:key|token|sig)=/;

/** Of a URL that authorises whoever knows it: the whole, and the keys in it, as written and decoded, since remotes repeat them. */
export function secretsOfUrl(text: string): readonly string[] {
  const { href, pathname, search, searchParams, password } = new URL(text);
  const path = AUTHORISES.test(search) ? [] : pathname.split('/');
  const query = search.split(/[?&]/).map((parameter) => parameter.replace(/^[^=]*=/, ''));
  const parts = [...path, ...path.map(percentDecoded), ...query, ...searchParams.values()];
  const passwords = password === '' ? [] : [password, percentDecoded(password)];
  return [text, href, ...passwords, ...parts.filter(isKey)];
}
