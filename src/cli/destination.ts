/** Parses destinations given on the command line. */
import { targetsOf } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Config, Destination } from '../config/config.ts';
import { didYouMean } from '../text/nearest.ts';
import { CommandFailed } from './context.ts';

/** @returns the destination with its canonical address. @throws {CommandFailed} for an unknown channel or an invalid address */
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

/** @returns the destination's key. @throws {CommandFailed} as above, or if the config does not use the destination */
export function destinationIn(config: Config, text: string): string {
  const { destination } = destinationNamed(text, config);
  const known = [...targetsOf(config).keys()];
  if (known.includes(destination)) return destination;
  const hint = didYouMean(destination, known) || `: it tells ${known.join(', ')}`;
  throw new CommandFailed(`${destination}: the config tells nobody there${hint}`);
}
