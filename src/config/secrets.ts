/** What of a config no log, answer, error or page may show, and the config without it. */
import { stringify } from 'yaml';
import { ObjectSchema } from 'yup';
import type { ChannelType } from '../channels/channel.ts';
import { percentDecoded } from '../outbound/login.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { isJsonObject } from '../text/json-object.ts';
import type { Config } from './config.ts';
import { rootSchema } from './schema.ts';

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
 * @param sections as the config's file names them; undefined and empty ones are left out
 * @param secrets of whatever length: a short one is hidden where it is a whole value
 * @returns YAML
 */
export function shownConfig(sections: Readonly<Record<string, unknown>>, secrets: readonly string[]): string {
  const hide = secretsHidden(secrets, HIDDEN);
  const hidden = (text: string) =>
    secrets.includes(text) && !USER_INFO.test(text) ? HIDDEN : hide(text.replace(USER_INFO, `$1${HIDDEN}$2`));
  const names = Object.keys(rootSchema.fields).filter((name) => (sections[name] ?? '') !== '');
  const inOrder = names.map((name) => [name, shown(withKeysInOrder(sections[name], name), hidden)]);
  return stringify(Object.fromEntries(inOrder), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** As the documentation has them. */
function withKeysInOrder(section: unknown, name: string): unknown {
  const schema: unknown = Reflect.get(rootSchema.fields, name);
  if (!isJsonObject(section) || !(schema instanceof ObjectSchema)) return section;
  const known = Object.keys(schema.fields).filter((key) => key in section);
  return { ...Object.fromEntries(known.map((key) => [key, section[key]])), ...section };
}

function shown(value: unknown, hidden: (text: string) => string): unknown {
  if (typeof value === 'string') return hidden(value);
  if (Array.isArray(value)) return value.map((item) => shown(item, hidden));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, hidden)]));
}
