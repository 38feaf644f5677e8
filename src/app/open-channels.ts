/** Opens the channels of a config. One that is as it was, and reaches its remotes as it did, is not opened again, but shared. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelType } from '../channels/channel.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import { destinationsOf } from '../route/router.ts';

/** What is open, by the channels' names. */
export type OpenChannels = ReadonlyMap<string, Channel>;

/** What was open before, by the config that it was opened for. */
export interface ChannelsBefore {
  readonly config: Pick<Config, 'channels' | 'proxies'>;
  readonly open: OpenChannels;
}

interface Environment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
}

/**
 * Those that somebody is told by: the others are not worth their client library.
 * @throws {Error} a channel that cannot be opened; nothing that was opened stays open
 */
export async function openChannels(
  config: Config,
  { channelTypes, print }: Environment,
  before: ChannelsBefore | undefined,
): Promise<OpenChannels> {
  const used = new Set(destinationsOf(config).map(({ channel }) => channel));
  const openPool = poolsThrough(config.proxies);
  const channels = new Map<string, Channel>();
  const opened: Channel[] = [];
  try {
    for (const each of [...config.channels.values()].filter(({ name }) => used.has(name))) {
      const known = sameChannel(each, config, before);
      const channel = known ?? (await channelTypes.get(each.type)?.open(each.settings, { print, openPool }));
      if (channel === undefined) continue;
      channels.set(each.name, channel);
      if (known === undefined) opened.push(channel);
    }
  } catch (error) {
    await Promise.allSettled(opened.map((channel) => channel.close()));
    throw error;
  }
  return channels;
}

function sameChannel(
  channel: ChannelConfig,
  { proxies }: Config,
  before: ChannelsBefore | undefined,
): Channel | undefined {
  const isSame =
    isDeepStrictEqual(channel, before?.config.channels.get(channel.name)) &&
    isDeepStrictEqual(proxies, before?.config.proxies);
  return isSame ? before?.open.get(channel.name) : undefined;
}
