/** Slack messages: drawn from a card, or written by a template; and how they look. */
import type { MessageFormat } from '../channel.ts';
import { composeSlack } from './compose.ts';

import type { SlackMessage } from './message.ts';
import { slackMessages } from './own-messages.ts';
import { SLACK_THEMES, slackAsHtml, slackAsText } from './preview.ts';

export const slackFormat = {
  name: 'slack',
  compose: composeSlack,
  own: slackMessages,
  asText: slackAsText,
  asHtml: slackAsHtml,
  themes: SLACK_THEMES,
} satisfies MessageFormat<SlackMessage>;
