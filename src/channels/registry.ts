/** Every channel type there is: the one place that knows their names. */
import type { ChannelType } from './channel.ts';
import { emailChannel } from './email/channel.ts';
import { outboxOf } from './outbox/channel.ts';
import { slackChannel } from './slack/channel.ts';

const REMOTE: readonly ChannelType[] = [slackChannel, emailChannel];

const ALL: readonly ChannelType[] = [...REMOTE, outboxOf(REMOTE)];

/** By `type:` in the config. */
export const channelTypes: ReadonlyMap<string, ChannelType> = new Map(ALL.map((type) => [type.type, type]));
