/** Settings that are http or https URLs: their rules, and a warning about unencrypted HTTP. */
import { string } from 'yup';
import { faultsOf } from '../text/fault.ts';
import type { SettingWarning } from './channel.ts';

// prettier-ignore
const fault = faultsOf({
  url: ['must be an http:// or https:// URL without user, query or fragment', 'http:// か https:// のURLにしてください。ユーザー名、クエリー（?）、フラグメント（#）はつけられません'],
  origin: ['must be an origin, without a path: https://www.example.com', 'パスのないURLにしてください（例：https://www.example.com）'],
  clear: ['the token crosses the network in clear: use https://', 'トークンが暗号化されずにネットワークを流れます。https:// にしてください'],
});

export function apiUrl() {
  return string().test(
    'url',
    () => fault('url'),
    (text) => text === undefined || (isHttpUrl(text) && !text.includes('?')),
  );
}

/** A URL without a path, for a service whose paths begin at the root. */
export function originUrl() {
  return apiUrl().test(
    'origin',
    () => fault('origin'),
    (text) => text === undefined || !URL.canParse(text) || new URL(text).pathname === '/',
  );
}

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + hash === '';
}

/** The URL with a trailing slash, so that relative paths resolve below it. */
export function baseUrl(text: string): URL {
  return new URL(text.endsWith('/') ? text : `${text}/`);
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether requests cross a network unencrypted: http, except to loopback addresses. */
export function isInClear({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK_HOST.test(hostname);
}

/** @param urls by the key of the setting that holds each */
export function warningsOfApi(urls: Readonly<Record<string, string | undefined>>): readonly SettingWarning[] {
  return Object.entries(urls).flatMap(([key, url]) =>
    url !== undefined && isInClear(new URL(url)) ? [{ key, fault: fault('clear') }] : [],
  );
}
