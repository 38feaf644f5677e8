/** The URL of a service's API in the settings of a channel, and what is wrong with one that works. */
import { string } from 'yup';
import type { SettingWarning } from './channel.ts';

/** With or without a slash at its end. */
export function apiUrl() {
  return string()
    .typeError('${path} must be a string')
    .test('url', '${path} must be an http:// or https:// URL without user, query or fragment', isApiUrl);
}

function isApiUrl(text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

/** What is asked there is found behind it. */
export function baseUrl(text: string): URL {
  return new URL(text.endsWith('/') ? text : `${text}/`);
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether what is sent there can be read on the way. */
export function isInClear({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK_HOST.test(hostname);
}

/** @param urls by the keys of the settings that hold them */
export function warningsOfApi(urls: Readonly<Record<string, string | undefined>>): readonly SettingWarning[] {
  return Object.entries(urls).flatMap(([key, url]) =>
    url !== undefined && isInClear(new URL(url))
      ? [{ key, message: 'the token crosses the network in clear: use https://' }]
      : [],
  );
}
