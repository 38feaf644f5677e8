/** Reads the destinations that people name. */
import { AddressError, type ChannelType } from '../channels/channel.ts';
import type { Config } from '../config/config.ts';
import type { Destination } from '../config/destination.ts';
import type { Planning } from '../deliver/settings.ts';
import { type Fault, faultSaid } from '../text/fault.ts';
import { nearestOrAll } from '../text/nearest.ts';
import { Refused } from './outcomes.ts';

/** @returns the destination with its canonical address. @throws {Refused} an unknown channel, or no address of it */
export function destinationTyped(
  text: string,
  { channels }: Pick<Config, 'channels'>,
  channelTypes: ReadonlyMap<string, ChannelType>,
): Destination {
  const [name = '', ...rest] = text.split(':');
  const channel = channels.get(name);
  const type = channel && channelTypes.get(channel.type);
  if (rest.length === 0 || type === undefined) {
    const known = [...channels.keys()].join(', ');
    const hint = faultSaid(
      `: write <channel>:<address>; the channels are ${known}`,
      `。<チャネル>:<宛先> の形で指定してください。チャネルは ${known} です`,
    );
    throw unknown(text, hint);
  }
  try {
    const address = type.parseAddress(rest.join(':'), channel?.settings);
    return { destination: `${name}:${address}`, channel: name, address, options: {}, perJob: 'message' };
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw unknown(text, faultSaid(`: ${error.message}`, `。${error.fault.in('ja')}`));
  }
}

/** @returns the name of a destination that the config uses. @throws {Refused} the config does not use it; names the nearest one */
export function destinationOf(
  text: string,
  { config, destinations }: Pick<Planning, 'config' | 'destinations'>,
  channelTypes: ReadonlyMap<string, ChannelType>,
): string {
  const { destination } = destinationTyped(text, config, channelTypes);
  if (destinations.has(destination)) return destination;
  throw unknown(destination, nearestOrAll(destination, [...destinations.keys()]));
}

function unknown(destination: string, hint: Fault): Refused {
  return new Refused({ name: 'destination unknown', values: { destination, hint } });
}
