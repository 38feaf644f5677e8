/** Which kind of message each channel of a config speaks. */
import type { ChannelType } from '../channels/channel.ts';
import type { MessageFormat } from '../channels/format.ts';
import type { Config } from './config.ts';

/** By the channel's name. */
export function formatsOf(
  { channels }: Pick<Config, 'channels'>,
  channelTypes: ReadonlyMap<string, ChannelType>,
): ReadonlyMap<string, MessageFormat> {
  const formats = new Map<string, MessageFormat>();
  for (const { name, type, settings } of channels.values()) {
    const format = channelTypes.get(type)?.formatOf(settings);
    if (format !== undefined) formats.set(name, format);
  }
  return formats;
}
