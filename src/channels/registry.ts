/** The list of all channel types; no other module has one. */
import type { ChannelType } from './channel.ts';
import { chatworkChannel } from './chatwork/channel.ts';
import { discordChannel } from './discord/channel.ts';
import { emailChannel } from './email/channel.ts';
import { googleChatChannel } from './google-chat/channel.ts';
import { lineworksChannel } from './lineworks/channel.ts';
import { mattermostChannel } from './mattermost/channel.ts';
import { outboxOf } from './outbox/channel.ts';
import { slackChannel } from './slack/channel.ts';
import { slackWebhookChannel } from './slack-webhook/channel.ts';
import { teamsChannel } from './teams/channel.ts';
import { webhookChannel } from './webhook/channel.ts';

const REMOTE: readonly ChannelType[] = [
  slackChannel,
  emailChannel,
  slackWebhookChannel,
  teamsChannel,
  googleChatChannel,
  chatworkChannel,
  lineworksChannel,
  discordChannel,
  mattermostChannel,
  webhookChannel,
];

const OUTBOX = outboxOf(REMOTE);

/** By `type:` in the config. */
export const channelTypes: ReadonlyMap<string, ChannelType> = new Map(
  [...REMOTE, OUTBOX as ChannelType].map((type) => [type.type, type]),
);

/** Whether channels of this type print messages instead of sending them. */
export function printsOnly(type: string | undefined): boolean {
  return type === OUTBOX.type;
}
