/** Mattermost by the URL of an incoming webhook: one attachment in Markdown. */
import { shownBy } from '../html-text.ts';
import { type HookChat, hookChannel, URL_ALONE } from '../hooks/hook-channel.ts';
import { codeAt, jsonOf, meaning, type Meanings } from '../answers.ts';
import { composeMattermost, mattermostMentions, type MattermostMessage, plainMattermost } from './compose.ts';
import { mattermostAsHtml } from './preview.ts';

const GONE = meaning(
  'config',
  'the webhook was removed or switched off; make a new one and put its URL into the config',
  'Webhookが削除されたか、無効になっています。新しく作成し、そのURLを設定してください',
);
const LOCKED = meaning(
  'config',
  'the webhook may not post in its channel; check its settings',
  'Webhookがチャンネルに投稿できません。Webhookの設定を確認してください',
);

/** The `id` of an error, of which the `message` repeats the key of the webhook. */
const MEANINGS: Meanings = {
  'web.incoming_webhook.invalid.app_error': GONE,
  'web.incoming_webhook.disabled.app_error': GONE,
  'web.incoming_webhook.permissions.app_error': LOCKED,
  'web.incoming_webhook.channel_locked.app_error': LOCKED,
  403: LOCKED,
};

const mattermost: HookChat<MattermostMessage> = {
  type: 'mattermost',
  title: { en: 'Mattermost', ja: 'Mattermost' },
  // Ten a second is what a server allows a sender unless it is set otherwise.
  paceMs: 200,
  format: {
    name: 'mattermost',
    compose: composeMattermost,
    ...shownBy(mattermostAsHtml),
  },
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
