/** Slack by the URL of an incoming webhook, for whoever may not install an app: the same messages, no receipt. */
import { CLOSED, GONE, type Meanings, REFUSED } from '../answers.ts';
import { type HookChat, hookChannel, jsonCall, URL_ALONE } from '../hooks/hook-channel.ts';
import { slackFormat } from '../slack/format.ts';
import { slackMentions } from '../slack/mentions.ts';
import type { SlackMessage } from '../slack/message.ts';

/** docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, "Handling errors". */
const MEANINGS: Meanings = {
  invalid_token: GONE,
  no_service: GONE,
  no_service_id: GONE,
  no_active_hooks: GONE,
  no_team: GONE,
  team_disabled: GONE,
  user_not_found: GONE,
  action_prohibited: CLOSED,
  posting_to_general_channel_denied: CLOSED,
  channel_not_found: CLOSED,
  channel_is_archived: CLOSED,
  invalid_payload: REFUSED,
  no_text: REFUSED,
  too_many_attachments: REFUSED,
};

const HOST = /^hooks\.slack(?:-gov)?\.com$/;

const slackWebhook: HookChat<SlackMessage> = {
  type: 'slack_webhook',
  title: { en: 'Slack', ja: 'Slack' },
  /** "1 per second per webhook" (docs.slack.dev/apis/web-api/rate-limits). */
  paceMs: 1000,
  format: slackFormat,
  options: { mention_on_error: slackMentions },
  hook: URL_ALONE,
  meanings: MEANINGS,
  limits: 'address',
  codeOf: ({ body }) => /^\w{1,60}$/.exec(body.trim())?.[0],
  warningOf: ({ hostname, pathname }) =>
    HOST.test(hostname) && !/^\/services\/T\w+\/B\w+\/\w+$/.test(pathname)
      ? 'this is not the whole URL of an incoming webhook: https://hooks.slack.com/services/T…/B…/…'
      : undefined,
  callOf: (url, { message: { text, blocks } }) =>
    jsonCall(url, { text: text.toWellFormed(), blocks, unfurl_links: false, unfurl_media: false }),
  receiptOf: ({ status, body }) => (status === 200 && body.trim() === 'ok' ? { answered: 'ok' } : undefined),
  plainOf: ({ text, blocks }) => (blocks === undefined || text.trim() === '' ? undefined : { text }),
};

export const slackWebhookChannel = hookChannel(slackWebhook);
