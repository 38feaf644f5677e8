/** Slack by the URL of an incoming webhook, for people who may not install an app: the same messages, but without their IDs. */
import { CLOSED, GONE, HOURLY } from '../answers.ts';
import { chat } from '../chat/chat.ts';
import { hooks } from '../chat/hooks.ts';
import { jsonCall } from '../chat/remote.ts';
import { slackFormat } from '../slack/format.ts';
import type { SlackMessage } from '../slack/message.ts';

export const slackWebhookChannel = chat({
  type: 'slack_webhook',
  title: { en: 'Slack', ja: 'Slack' },
  about: {
    en: { from: 'an incoming webhook of a Slack app', mentions: 'as for Slack' },
    ja: { from: 'SlackアプリのIncoming Webhook', mentions: 'Slackと同じ' },
  },
  /** "1 per second per webhook" (docs.slack.dev/apis/web-api/rate-limits). */
  pace: { addressMs: 1000, channelMs: 0 },
  format: slackFormat,
  address: hooks<SlackMessage>({
    whole: {
      is: ({ pathname }) => /^\/services\/T\w+\/B\w+\/\w+$/.test(pathname),
      like: 'hooks.slack.com/services/T…/B…/…',
      host: /\.slack(?:-gov)?\.com$/,
    },
    request: (url, { message: { text, blocks } }) =>
      jsonCall(url, { text: text.toWellFormed(), blocks, unfurl_links: false, unfurl_media: false }),
  }),
  /** docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, "Handling errors": codes that say more than the status. */
  meanings: {
    404: { ...GONE, ...HOURLY },
    user_not_found: GONE,
    action_prohibited: CLOSED,
    posting_to_general_channel_denied: CLOSED,
    channel_not_found: CLOSED,
    channel_is_archived: CLOSED,
  },
  codeOf: ({ body }) => /^\w{1,60}$/.exec(body.trim())?.[0],
  receiptOf: ({ status, body }) => (status === 200 && body.trim() === 'ok' ? { answered: 'ok' } : undefined),
});
