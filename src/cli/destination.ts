/** A destination as somebody writes it on a command line. */
import { targetsOf } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Config, Destination } from '../config/config.ts';
import { didYouMean } from '../text/nearest.ts';
import { CommandFailed } from './context.ts';

/** As the config would have it, however its address is written. @throws {CommandFailed} no such channel, or not an address of it */
export function destinationNamed(text: string, { channels }: Config): Destination {
  const [name = '', ...rest] = text.split(':');
  const channel = channels.get(name);
  const type = channel && channelTypes.get(channel.type);
  if (rest.length === 0 || type === undefined) {
    const known = [...channels.keys()].join(', ');
    throw new CommandFailed(`${text}: write <channel>:<address>; the channels are ${known}`);
  }
  try {
    const address = type.parseAddress(rest.join(':'), channel?.settings);
    return { destination: `${name}:${address}`, channel: name, address, options: {}, perJob: 'message' };
  } catch (error) {
    throw new CommandFailed(`${text}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws {CommandFailed} the config tells nobody there */
export function destinationIn(config: Config, text: string): string {
  const { destination } = destinationNamed(text, config);
  const known = [...targetsOf(config).keys()];
  if (known.includes(destination)) return destination;
  const hint = didYouMean(destination, known) || `: it tells ${known.join(', ')}`;
  throw new CommandFailed(`${destination}: the config tells nobody there${hint}`);
}
