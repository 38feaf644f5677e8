/** The meanings of Slack's error codes, and what an operator can do about each. */
import { isJsonObject } from '../../text/json.ts';
import { type Answers, byCodes, codeAt, jsonOf, means, RATE_LIMITED, TRY_LATER } from '../answers.ts';

const NO_API = [
  'this is not how the Slack API answers; check api_url, and the proxy if there is one',
  'Slack APIの応答ではありません。api_url と、途中のプロキシがあればそれも確認してください',
] as const;

const OF_ADDRESS = { concerns: 'address' } as const;

/** docs/slack-app.md explains these codes, too; its test compares both. */
export const SLACK_MEANINGS = byCodes({
  'invalid_auth, not_authed, token_expired, token_revoked, account_inactive, not_allowed_token_type, as_user_not_supported, is_bot, metadata_must_be_sent_from_app':
    means.config(
      'the token is not valid, not of the right kind, or of an app that was removed; put the bot token (xoxb-…) of an installed app into the config',
      'トークンが無効か、種類が異なるか、アプリが削除されています。インストール済みのアプリのBotトークン（xoxb-…）を設定してください',
    ),
  missing_scope: means.config(
    'the app lacks a scope; add it (chat:write to post) and reinstall the app',
    'アプリに必要なスコープがありません。スコープ（投稿には chat:write）を追加し、アプリを再インストールしてください',
  ),
  'no_permission, access_denied, accesslimited, app_access_restricted, enterprise_is_restricted, team_access_not_granted, send_on_behalf_not_allowed, two_factor_setup_required, ekm_access_denied, message_limit_exceeded':
    means.config(
      'the workspace does not allow it; ask its administrators',
      'ワークスペースで許可されていません。ワークスペースの管理者に確認してください',
    ),
  'unknown_method, method_deprecated, deprecated_endpoint, 4xx': means.config(...NO_API),
  'channel_not_found, team_not_found, user_not_found': means.config(
    'no such channel or person, or a private channel the app was not invited to; check its name or ID, and /invite the app there',
    'チャンネルまたはユーザーが存在しないか、アプリが招待されていない非公開チャンネルです。名前またはIDを確認し、/invite でアプリをチャンネルに招待してください',
    OF_ADDRESS,
  ),
  not_in_channel: means.config(
    'the app is not a member of the channel; /invite it there',
    'アプリがチャンネルのメンバーではありません。/invite でアプリをチャンネルに招待してください',
    OF_ADDRESS,
  ),
  'is_archived, is_inactive': means.config(
    'the channel is archived or no longer in use; unarchive it or name another',
    'チャンネルがアーカイブされているか、使われていません。アーカイブを解除するか、別のチャンネルを指定してください',
    OF_ADDRESS,
  ),
  'messages_tab_disabled, posting_to_channel_denied, restricted_action, restricted_action_non_threadable_channel, restricted_action_read_only_channel, restricted_action_thread_locked, restricted_action_thread_only_channel':
    means.config(
      'posting there is restricted; ask an administrator to allow it (of a person, by the Messages tab in App Home)',
      '投稿が制限されています。管理者に許可を依頼してください（ダイレクトメッセージではApp Homeのメッセージタブを有効にします）',
      OF_ADDRESS,
    ),
  'slack_connect_canvas_sharing_blocked, slack_connect_file_link_sharing_blocked, slack_connect_lists_sharing_blocked, no_text, msg_too_long, msg_blocks_too_long, invalid_blocks, invalid_blocks_format, invalid_attachments, attachment_payload_limit_exceeded, too_many_attachments, too_many_contact_cards, markdown_text_conflict, metadata_too_large, invalid_metadata_format, invalid_metadata_schema, invalid_arg_name, invalid_arguments, invalid_array_arg, invalid_charset, invalid_form_data, invalid_json, invalid_post_type, missing_post_type':
    means.permanent(
      'Slack does not accept this message; check its template with botbell preview',
      'Slackがメッセージの内容を受け付けませんでした。テンプレートを preview コマンドで確認してください',
    ),
  'ratelimited, rate_limited': RATE_LIMITED,
  not_json: means.config(...NO_API, { mayHaveArrived: true }),
  'internal_error, fatal_error': means.transient('Slack is in trouble', 'Slackで障害が発生しています', {
    mayHaveArrived: true,
  }),
  '200': TRY_LATER,
});

const SCOPE = /^[a-z.:_-]{1,200}$/;
const JSON_POINTER = /\[json-pointer:((?:\/\w+)+)\]/;

function slackCodeOf(answer: Parameters<typeof jsonOf>[0]): string | undefined {
  return codeAt(jsonOf(answer), 'error');
}

/** Looks for `ok`, too, since a proxy's answer may also have an `error`. */
function isOfSlack(answer: Parameters<typeof jsonOf>[0]): boolean {
  return jsonOf(answer)['ok'] === false && slackCodeOf(answer) !== undefined;
}

/** A code outside the table is a fault of Slack's own, or new: the failure is `transient`. */
export const SLACK: Answers = {
  title: { en: 'Slack', ja: 'Slack' },
  meanings: SLACK_MEANINGS,
  concerns: 'channel',
  codeOf: slackCodeOf,
  kindOf: (answer) => (answer.status === 200 && !isOfSlack(answer) ? 'not_json' : undefined),
  detailOf: (answer) => {
    const { needed, response_metadata: metadata } = jsonOf(answer);
    if (typeof needed === 'string' && SCOPE.test(needed)) return ` (${needed})`;
    // Only Slack's pointer to the refused block is kept; the rest of the text may quote the message.
    const [, where] = JSON_POINTER.exec(JSON.stringify(isJsonObject(metadata) ? metadata : {})) ?? [];
    return where === undefined ? '' : ` at ${where}`;
  },
};
