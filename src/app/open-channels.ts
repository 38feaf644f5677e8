/** Opens the channels of a config. One that is as it was, and reaches its remotes as it did, is not opened again, but shared. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelType } from '../channels/channel.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import { type Proxies, proxyFor } from '../outbound/proxy.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import { destinationsOf } from '../route/router.ts';

export interface OpenChannel {
  readonly channel: Channel;
  /** What it has asked for connections to. */
  readonly origins: ReadonlySet<string>;
}

/** What was open before, by the config that it was opened for. */
export interface ChannelsBefore {
  readonly config: Pick<Config, 'channels' | 'proxies'>;
  readonly open: ReadonlyMap<string, OpenChannel>;
}

interface Environment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
}

/**
 * Those that somebody is told by, by their names: the others are not worth their client library.
 * @throws {Error} a channel that cannot be opened; nothing that was opened stays open
 */
export async function openChannels(
  config: Config,
  environment: Environment,
  before: ChannelsBefore | undefined,
): Promise<ReadonlyMap<string, OpenChannel>> {
  const used = new Set(destinationsOf(config).map(({ channel }) => channel));
  const channels = new Map<string, OpenChannel>();
  const opened: Channel[] = [];
  try {
    for (const each of [...config.channels.values()].filter(({ name }) => used.has(name))) {
      const known = before && sameChannel(each, config.proxies, before);
      const open = known ?? (await openChannel(each, config.proxies, environment));
      if (open === undefined) continue;
      channels.set(each.name, open);
      if (known === undefined) opened.push(open.channel);
    }
  } catch (error) {
    await Promise.allSettled(opened.map((channel) => channel.close()));
    throw error;
  }
  return channels;
}

function sameChannel(
  channel: ChannelConfig,
  proxies: Proxies,
  { config, open }: ChannelsBefore,
): OpenChannel | undefined {
  const { name } = channel;
  if (!isDeepStrictEqual(channel, config.channels.get(name))) return undefined;
  const known = open.get(name);
  const isReachedOtherwise = (origin: string) =>
    !isDeepStrictEqual(proxyFor(origin, proxies), proxyFor(origin, config.proxies));
  return [...(known?.origins ?? [])].some(isReachedOtherwise) ? undefined : known;
}

async function openChannel(
  { type, settings }: ChannelConfig,
  proxies: Proxies,
  { channelTypes, print }: Environment,
): Promise<OpenChannel | undefined> {
  const origins = new Set<string>();
  const openPool = poolsThrough(proxies);
  const channel = await channelTypes.get(type)?.open(settings, {
    print,
    openPool: (origin) => {
      origins.add(origin);
      return openPool(origin);
    },
  });
  return channel && { channel, origins };
}
