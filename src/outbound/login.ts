/** Reads user and password from a URL, and what else in it is secret. */
import { percentDecoded } from '../text/clean.ts';
import { faultsOf } from '../text/fault.ts';

/** The header of Basic authentication (RFC 7617); empty when the URL has neither user nor password. */
export function loginOf(url: string): { readonly authorization?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/**
 * The secrets of a URL's login: the password, which PostgreSQL also takes as an option, or the user of an HTTP URL without a password,
 * which is then a token; as written, decoded, and as Basic authentication sends it. None for a text that is no URL.
 */
export function secretsOfLogin(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, username, password, searchParams } = new URL(url);
  const secret = password || searchParams.get('password') || (protocol.startsWith('http') ? username : '');
  if (secret === '') return [];
  const sent = loginOf(url).authorization?.slice('Basic '.length) ?? '';
  return [...new Set([secret, percentDecoded(secret), sent])];
}

/** The secrets in the header of Basic authentication, beside the header itself. A user with a password is one only if it looks like a key. */
export function secretsOfBasic(header: string): readonly string[] {
  const [, encoded] = /^Basic\s+([A-Za-z0-9+/_-]+=*)$/i.exec(header.trim()) ?? [];
  const [, user = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return [
    `${user}:${password}`,
    password,
    ...(password.length < 2 || (isKey(user) && !user.includes('@')) ? [user] : []),
  ];
}

/** What to do if a URL's login is not read as its author meant it. */
export const LOGIN_RULE = faultsOf({
  login: [
    'percent-encode / : @ ? # % in the user name and password',
    'ユーザー名とパスワードの / : @ ? # % はパーセントエンコードしてください',
  ],
})('login');

/** Whether a URL's login ends where its author meant it to: else a part of the password would be taken for the host, and shown. */
export function hasWholeLogin(url: string): boolean {
  const [, authority = '', rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const login = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  return !rest.includes('@') && !login.includes('@');
}

/** Whether a part of a path or query may be a credential: a key, a token, an ID. Words are none, however long. */
function isKey(part: string): boolean {
  return part.length >= 8 && /\p{L}/u.test(part) && /\d/.test(part);
}

/** Queries that authorise by themselves: the path then holds only IDs, which people may see. */
const AUTHORISES = /[?&](?:key|token|sig)=/;

/** The secrets of a URL that authorises whoever knows it: the whole, and the keys in it, as written and decoded, since remotes repeat them. */
export function secretsOfUrl(text: string): readonly string[] {
  const { href, pathname, search, searchParams } = new URL(text);
  const path = AUTHORISES.test(search) ? [] : pathname.split('/');
  const query = search.split(/[?&]/).map((parameter) => parameter.replace(/^[^=]*=/, ''));
  const written = [...path, ...query];
  // In a query, some programs read a plus sign as a plus sign, others as a blank.
  const parts = [...written, ...written.map(percentDecoded), ...searchParams.values()];
  return [text, href, ...secretsOfLogin(text), ...parts.filter(isKey)];
}
