/** Every channel type there is: the one place that knows their names. */
import type { ChannelType } from './channel.ts';
import { emailChannel } from './email/channel.ts';
import { outboxOf } from './outbox/channel.ts';
import { slackChannel } from './slack/channel.ts';

const REMOTE: readonly ChannelType[] = [slackChannel, emailChannel];

const OUTBOX = outboxOf(REMOTE);

const ALL: readonly ChannelType[] = [...REMOTE, OUTBOX];

/** By `type:` in the config. */
export const channelTypes: ReadonlyMap<string, ChannelType> = new Map(ALL.map((type) => [type.type, type]));

/** Whether channels of this type tell nobody. */
export function printsOnly(type: string | undefined): boolean {
  return type === OUTBOX.type;
}
