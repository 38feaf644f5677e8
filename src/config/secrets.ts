/** What of a config no log, answer, error or page may show. */
import type { ChannelType } from '../channels/channel.ts';
import { percentDecoded } from '../text/percent-decoded.ts';
import type { Config } from './config.ts';

/** Where interpolation may have brought in a secret, or a part of one. */
const SECRET_PLACES =
  /^(receiver\.token|admin\.(?:password|metrics_token)|store\.url|heartbeat\.url|proxy$|channels[.[])/;

/** @param interpolated what came from variables and files, by the path of the string that it went into */
export function secretsIn(
  checked: Pick<Config, 'receiver' | 'admin' | 'store' | 'heartbeat' | 'proxies' | 'channels'>,
  types: ReadonlyMap<string, ChannelType>,
  interpolated: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { receiver, admin, store, heartbeat, proxies, channels } = checked;
  const secrets = [
    ...receiver.tokens,
    ...[admin?.password, admin?.metricsToken].filter((secret) => secret !== undefined),
    ...passwordsOf(store.url),
    ...[proxies.https, proxies.http].flatMap((proxy) => proxy?.secrets ?? []),
    ...(heartbeat === undefined ? [] : secretsOfHeartbeat(heartbeat.url)),
    ...[...channels.values()].flatMap(({ type, settings }) => types.get(type)?.secretsOf(settings) ?? []),
  ];
  const filled = secrets.filter((secret) => secret !== '');
  const sources = [...interpolated]
    .filter(([path]) => SECRET_PLACES.test(path))
    .flatMap(([path, values]) => (path === 'heartbeat.url' ? values.filter(isLongEnough) : values));
  return [...new Set([...filled, ...sources.filter((value) => isPartOfAny(value, filled))])];
}

/** A URL's password as it stands there, and as it reads decoded. */
function passwordsOf(url: string): string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' };
  return [password, percentDecoded(password)];
}

/** Shorter parts of a URL stand in other texts, too. */
const SHORTEST_SECRET_PART = 8;

function isLongEnough(part: string): boolean {
  return part.length >= SHORTEST_SECRET_PART;
}

/** Whoever knows the URL can report that all is well: no part of it is shown but its host. */
function secretsOfHeartbeat(url: string): string[] {
  const { href, pathname, search } = new URL(url);
  const parts = [`${pathname}${search}`, pathname].filter(isLongEnough);
  return [url, href, ...parts, ...passwordsOf(url)];
}

function isPartOfAny(value: string, secrets: readonly string[]): boolean {
  const forms = [value, percentDecoded(value)].filter((form) => form !== '');
  return forms.some((form) => secrets.some((secret) => secret.includes(form) || form.includes(secret)));
}
