/** The format of Slack messages, which are drawn from a card or written by a template. */
import type { MessageFormat } from '../channel.ts';
import { composeSlack } from './compose.ts';
import type { SlackMessage } from './message.ts';
import { slackMessages } from './own-messages.ts';

export const slackFormat = {
  name: 'slack',
  compose: composeSlack,
  own: slackMessages,
} satisfies MessageFormat<SlackMessage>;
