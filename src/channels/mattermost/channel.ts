/** Mattermost by the URL of an incoming webhook: one attachment in Markdown. */
import { type HookChat, hookChannel, URL_ALONE } from '../hooks/hook-channel.ts';
import { CLOSED, codeAt, GONE, jsonOf, type Meanings } from '../answers.ts';
import { mattermostFormat, mattermostMentions, type MattermostMessage, plainMattermost } from './compose.ts';

/** The `id` of an error, of which the `message` repeats the key of the webhook. */
const MEANINGS: Meanings = {
  'web.incoming_webhook.invalid.app_error': GONE,
  'web.incoming_webhook.disabled.app_error': GONE,
  'web.incoming_webhook.permissions.app_error': CLOSED,
  'web.incoming_webhook.channel_locked.app_error': CLOSED,
  403: CLOSED,
};

const mattermost: HookChat<MattermostMessage> = {
  type: 'mattermost',
  title: { en: 'Mattermost', ja: 'Mattermost' },
  // Ten a second is what a server allows a sender unless it is set otherwise.
  paceMs: 200,
  format: mattermostFormat,
  options: { mention_on_error: mattermostMentions },
  hook: URL_ALONE,
  meanings: MEANINGS,
  limits: 'address',
  codeOf: (answer) => codeAt(jsonOf(answer), 'id'),
  warningOf: ({ pathname }) =>
    /\/hooks\/[a-z0-9]+$/.test(pathname)
      ? undefined
      : 'this is not the URL of an incoming webhook, which ends with /hooks/ and a key',
  receiptOf: ({ status, body }) => (status === 200 && body.trim() === 'ok' ? { answered: 'ok' } : undefined),
  plainOf: plainMattermost,
};

export const mattermostChannel = hookChannel(mattermost);
