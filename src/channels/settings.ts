/** Rules that the settings and templates of channels share, those for http and https URLs, and a warning about unencrypted HTTP. */
import { mixed, object, type ObjectShape, string } from 'yup';
import { type Fault, faultSaid, faultsOf } from '../text/fault.ts';
import type { SettingWarning } from './channel.ts';

// prettier-ignore
const fault = faultsOf({
  url: ['must be an http:// or https:// URL without user, query or fragment', 'http:// か https:// のURLにしてください。ユーザー名、クエリー（?）、フラグメント（#）はつけられません'],
  origin: ['must be an origin, without a path: https://www.example.com', 'パスのないURLにしてください（例：https://www.example.com）'],
  clear: ['the token crosses the network in clear: use https://', 'トークンが暗号化されずにネットワークを流れます。https:// にしてください'],
});

/** The schema of settings that have these fields and no others. */
export function settingsOf<Fields extends ObjectShape>(fields: Fields) {
  return object(fields).noUnknown().strict();
}

/** A rule for a schema's `test`. @param fault what a value that fails is reported with */
export function rule<Value>(fault: Fault, test: (value: Value) => boolean) {
  return { message: () => fault, test };
}

/** The placeholder for secrets that are not set when a config is checked. */
export const NOT_SET = 'not-set-here';

/** A required text. @param en what it is, such as `the client ID of the app` */
export function textSetting(en: string, ja: string, example = NOT_SET) {
  return string()
    .strict()
    .typeError(() => faultSaid(`must be ${en}`, `${ja}を書いてください`))
    .required(() => faultSaid(`is missing: ${en}`, `${ja}を書いてください`))
    .meta({ example });
}

/** A text in a template. yup's own `string` would take a number, too. */
export const TEMPLATE_TEXT = mixed({
  type: 'string',
  check: (value): value is string => typeof value === 'string',
});

export function apiUrl() {
  const isRight = (text?: string) => text === undefined || (isHttpUrl(text) && !text.includes('?'));
  return string().test(rule(fault('url'), isRight));
}

/** A URL without a path, for a service whose paths begin at the root. */
export function originUrl() {
  const isRight = (text?: string) =>
    text === undefined || !URL.canParse(text) || new URL(text).pathname === '/';
  return apiUrl().test(rule(fault('origin'), isRight));
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
