/** A message as a format would compose it, for tests of the code that sends it. */
import type { Composed } from '../../src/channels/channel.ts';

export function composedOf<Message>(message: Message): Composed<Message> {
  return { message, asText: () => JSON.stringify(message), asHtml: () => '' };
}
