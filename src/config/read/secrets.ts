/** The strings of a config that no log, answer, error or page may show. */
import type { ChannelType } from '../../channels/channel.ts';
import { secretsOfBasic, secretsOfLogin, secretsOfUrl } from '../../outbound/login.ts';
import { percentDecoded } from '../../text/clean.ts';
import { isLongEnough } from '../../text/hide-secrets.ts';
import type { Config } from '../config.ts';
import type { Interpolated } from './interpolate.ts';
import { parsePath } from '../path.ts';

/**
 * Passwords, tokens, the heartbeat's URL, and what was put into a hook or that URL from the environment or a file, but none
 * that are too short to hide.
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
    ...secretsOfLogin(store.url),
    ...[proxies.https, proxies.http].flatMap((proxy) => proxy?.secrets ?? []),
    ...(heartbeat === undefined ? [] : secretsOfUrl(heartbeat.url)),
    ...[...channels.values()].flatMap(({ type, settings }) => types.get(type)?.secretsOf(settings) ?? []),
    ...[...values].flatMap(([place, put]) => (isSentSecretly(place) ? put : [])).flatMap(inUrl),
  ];
  return [...new Set([...secrets, ...secrets.flatMap(secretsOfBasic)].filter(isLongEnough))];
}

/** @param place as `pathText` writes it */
function isSentSecretly(place: string): boolean {
  const [section, , setting] = parsePath(place);
  return section === 'heartbeat' || (section === 'channels' && setting === 'hooks');
}

/** As written and, since it may have been encoded for a URL, decoded. */
function inUrl(put: string): string[] {
  return [put, percentDecoded(put)];
}
