/** Finds every string of a config that no log, answer, error or page may show. */
import type { ChannelType } from '../channels/channel.ts';
import type { AdminConfig, ChannelConfig, ReceiverConfig, StoreConfig } from './config.ts';

export interface SecretHolders {
  readonly receiver: ReceiverConfig;
  readonly admin: AdminConfig | undefined;
  readonly store: StoreConfig;
  readonly channels: readonly ChannelConfig[];
}

/** Where interpolation may have brought in a secret, or a part of one. */
const SECRET_PLACES = /^(receiver\.token|admin\.password|store\.url|channels[.[])/;

/** @param interpolated what came from variables and files, by the path of the string that it went into */
export function secretsIn(
  { receiver, admin, store, channels }: SecretHolders,
  types: ReadonlyMap<string, ChannelType>,
  interpolated: ReadonlyMap<string, readonly string[]>,
): string[] {
  const secrets = [
    ...receiver.tokens,
    ...(admin?.password === undefined ? [] : [admin.password]),
    ...passwordsOf(store.url),
    ...channels.flatMap(({ type, settings }) => types.get(type)?.secretsOf(settings) ?? []),
  ];
  const filled = secrets.filter((secret) => secret !== '');
  const sources = [...interpolated]
    .filter(([path]) => SECRET_PLACES.test(path))
    .flatMap(([, values]) => values);
  return [...new Set([...filled, ...sources.filter((value) => isPartOfAny(value, filled))])];
}

/** A URL's password as it stands there, and as it reads decoded. */
function passwordsOf(url: string): string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' };
  return [password, decoded(password)];
}

function isPartOfAny(value: string, secrets: readonly string[]): boolean {
  const forms = [value, decoded(value)].filter((form) => form !== '');
  return forms.some((form) => secrets.some((secret) => secret.includes(form) || form.includes(secret)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
