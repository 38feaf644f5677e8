/** The channels of a config, opened and closed together. */
import type { Channel, ChannelEnvironment, ChannelType } from './channel.ts';

interface ChannelSettings {
  readonly name: string;
  readonly type: string;
  readonly settings: unknown;
}

export interface OpeningOptions extends ChannelEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Names of those that somebody is told by; the others are not worth their client library. */
  readonly used: ReadonlySet<string>;
}

/** @returns those that are used, by their names */
export async function openChannels(
  all: ReadonlyMap<string, ChannelSettings>,
  { channelTypes, used, print }: OpeningOptions,
): Promise<Map<string, Channel>> {
  const channels = new Map<string, Channel>();
  for (const { name, type, settings } of all.values()) {
    const channel = used.has(name) ? await channelTypes.get(type)?.open(settings, { print }) : undefined;
    if (channel !== undefined) channels.set(name, channel);
  }
  return channels;
}

export async function closeAll(channels: ReadonlyMap<string, Channel>): Promise<void> {
  await Promise.all([...channels.values()].map((channel) => channel.close()));
}
