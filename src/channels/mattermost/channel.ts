/** Mattermost by the URL of an incoming webhook: one attachment in Markdown. */
import { hookChannel } from '../hooks/hook-channel.ts';
import { CLOSED, codeAt, GONE, jsonOf } from '../answers.ts';
import { mattermostFormat, mattermostMentions, type MattermostMessage, plainMattermost } from './compose.ts';

export const mattermostChannel = hookChannel<MattermostMessage>({
  type: 'mattermost',
  title: { en: 'Mattermost', ja: 'Mattermost' },
  // By default, a server allows a sender ten messages per second.
  paceMs: 200,
  format: mattermostFormat,
  options: { mention_on_error: mattermostMentions },
  /** By an error's `id`; its `message` repeats the key of the webhook. */
  meanings: {
    'web.incoming_webhook.invalid.app_error': GONE,
    'web.incoming_webhook.disabled.app_error': GONE,
    403: CLOSED,
  },
  codeOf: (answer) => codeAt(jsonOf(answer), 'id'),
  warningOf: ({ pathname }) =>
    /\/hooks\/[a-z0-9]{26}$/.test(pathname)
      ? undefined
      : 'this is not the URL of an incoming webhook, which ends with /hooks/ and a key of 26 characters',
  receiptOf: ({ status, body }) => (status === 200 && body.trim() === 'ok' ? { answered: 'ok' } : undefined),
  plainOf: plainMattermost,
});
