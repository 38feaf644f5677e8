/** The strings of a config that no log, answer, error or page may show. */
import type { ChannelType } from '../channels/channel.ts';
import { secretsOfUrl } from '../outbound/login.ts';
import { percentDecoded } from '../text/percent.ts';
import { isLongEnough } from '../text/hide-secrets.ts';
import type { Config } from './config.ts';
import type { Interpolated } from './interpolate.ts';
import { parsePath } from './path.ts';

/**
 * Passwords, tokens, the heartbeat's URL, and what was put into the headers and the body of a hook from the environment or a
 * file, but none that are too short to hide.
 */
export function secretsIn(
  checked: Pick<Config, 'receiver' | 'admin' | 'store' | 'heartbeat' | 'proxies' | 'channels'>,
  types: ReadonlyMap<string, ChannelType>,
  values: Interpolated['values'],
): string[] {
  const { receiver, admin, store, heartbeat, proxies, channels } = checked;
  const secrets = [
    ...receiver.tokens,
    admin?.password ?? '',
    admin?.metricsToken ?? '',
    ...passwordsOf(store.url),
    ...[proxies.https, proxies.http].flatMap((proxy) => proxy?.secrets ?? []),
    ...(heartbeat === undefined ? [] : secretsOfUrl(heartbeat.url)),
    ...[...channels.values()].flatMap(({ type, settings }) => types.get(type)?.secretsOf(settings) ?? []),
    ...[...values].flatMap(([place, put]) => (isSentByHook(place) ? put : [])),
  ];
  return [...new Set(secrets.filter(isLongEnough))];
}

/** @param place as `pathText` writes it */
function isSentByHook(place: string): boolean {
  const [section, , setting, , part = ''] = parsePath(place);
  return section === 'channels' && setting === 'hooks' && ['headers', 'body'].includes(String(part));
}

/** A URL's password, percent-encoded and decoded. */
function passwordsOf(url: string): string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' };
  return [password, percentDecoded(password)];
}
