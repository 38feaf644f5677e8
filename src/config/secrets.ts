/** What of a config no log, answer, error or page may show, and the config without it. */
import { stringify } from 'yaml';
import { ObjectSchema } from 'yup';
import type { ChannelType } from '../channels/channel.ts';
import { percentDecoded } from '../outbound/login.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { isJsonObject } from '../text/json-object.ts';
import type { Config } from './config.ts';
import { type RootSection, rootSchema } from './schema.ts';

/** Passwords, tokens, and the URL of the heartbeat, of whatever length. */
export function secretsIn(
  checked: Pick<Config, 'receiver' | 'admin' | 'store' | 'heartbeat' | 'proxies' | 'channels'>,
  types: ReadonlyMap<string, ChannelType>,
): string[] {
  const { receiver, admin, store, heartbeat, proxies, channels } = checked;
  const secrets = [
    ...receiver.tokens,
    admin?.password ?? '',
    admin?.metricsToken ?? '',
    ...passwordsOf(store.url),
    ...[proxies.https, proxies.http].flatMap((proxy) => proxy?.secrets ?? []),
    ...(heartbeat === undefined ? [] : secretsOfHeartbeat(heartbeat.url)),
    ...[...channels.values()].flatMap(({ type, settings }) => types.get(type)?.secretsOf(settings) ?? []),
  ];
  return [...new Set(secrets.filter((secret) => secret !== ''))];
}

/** A URL's password as it stands there, and as it reads decoded. */
function passwordsOf(url: string): string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' };
  return [password, percentDecoded(password)];
}

/** Whoever knows the URL can report that all is well: no part of it is shown but its host. */
function secretsOfHeartbeat(url: string): string[] {
  const { href, pathname, search } = new URL(url);
  return [url, href, `${pathname}${search}`, pathname, ...passwordsOf(url)];
}

const HIDDEN = '***';

/** The password in a URL, which otherwise would be hidden with all of it. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\s]*?:)[^/?#\s]*(@)/i;

/**
 * A config as people may see it: with its defaults, and `***` for each secret.
 * @param secrets of whatever length: a short one is hidden where it is a whole value
 * @returns YAML
 */
export function shownConfig(sections: RootSection, secrets: readonly string[]): string {
  const hide = secretsHidden(secrets, HIDDEN);
  const hidden = (text: string) =>
    secrets.includes(text) && !USER_INFO.test(text) ? HIDDEN : hide(text.replace(USER_INFO, `$1${HIDDEN}$2`));
  // Every scalar is a text, which needs no quotes where it looks like a number.
  const options = { schema: 'failsafe', lineWidth: 0, aliasDuplicateObjects: false } as const;
  return stringify(shown(sections, rootSchema, hidden), options);
}

/** With its keys in the order of the documentation. */
function shown(value: unknown, schema: unknown, hidden: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => shown(item, undefined, hidden));
  if (!isJsonObject(value)) return hidden(String(value));
  const fields: Readonly<Record<string, unknown>> = schema instanceof ObjectSchema ? schema.fields : {};
  const keys = Object.keys({ ...fields, ...value }).filter((key) => (value[key] ?? '') !== '');
  return Object.fromEntries(keys.map((key) => [key, shown(value[key], fields[key], hidden)]));
}
