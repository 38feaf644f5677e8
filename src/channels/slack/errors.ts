/** Classes the errors of a call to Slack, and says what an operator can do about each. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { DeliveryFailure, failureOf, type FailureDetails, type Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { askedPause } from '../retry-after.ts';

type Meaning = Pick<FailureDetails, 'class' | 'concerns'> & { readonly words: Words };

const TRY_LATER: Words = {
  en: 'Slack could not handle it; the next attempt may succeed',
  ja: 'Slackで障害が発生しています。次回の送信で成功する可能性があります',
};
const NO_API: Words = {
  en: 'this is not how the Slack API answers; check api_url, and the proxy if there is one',
  ja: 'Slack APIの応答ではありません。api_url と、途中のプロキシがあればそれも確認してください',
};

/** By codes with a blank between two, `…` at the end of what they begin with. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...meanings(
    { class: 'config' },
    {
      'invalid_auth not_authed token_expired token_revoked account_inactive not_allowed_token_type as_user_not_supported is_bot metadata_must_be_sent_from_app':
        {
          en: 'the token is not valid, not of the right kind, or of an app that was removed; put the bot token (xoxb-…) of an installed app into the config',
          ja: 'トークンが無効か、種類が異なるか、アプリが削除されています。インストール済みのアプリのBotトークン（xoxb-…）を設定してください',
        },
      missing_scope: {
        en: 'the app lacks a scope; add it (chat:write to post) and reinstall the app',
        ja: 'アプリに必要なスコープがありません。スコープ（投稿には chat:write）を追加し、アプリを再インストールしてください',
      },
      'no_permission access_denied accesslimited app_access_restricted enterprise_is_restricted team_access_not_granted send_on_behalf_not_allowed two_factor_setup_required ekm_access_denied message_limit_exceeded':
        {
          en: 'the workspace does not allow it; ask its administrators',
          ja: 'ワークスペースで許可されていません。ワークスペースの管理者に確認してください',
        },
      'unknown_method method_deprecated deprecated_endpoint': NO_API,
    },
  ),
  ...meanings(
    { class: 'config', concerns: 'address' },
    {
      'channel_not_found team_not_found user_not_found': {
        en: 'no such channel or person, or a private channel the app was not invited to; check its name or ID, and /invite the app there',
        ja: 'チャンネルまたはユーザーが存在しないか、アプリが招待されていない非公開チャンネルです。名前またはIDを確認し、/invite でアプリをチャンネルに招待してください',
      },
      not_in_channel: {
        en: 'the app is not a member of the channel; /invite it there',
        ja: 'アプリがチャンネルのメンバーではありません。/invite でアプリをチャンネルに招待してください',
      },
      'is_archived is_inactive': {
        en: 'the channel is archived or no longer in use; unarchive it or name another',
        ja: 'チャンネルがアーカイブされているか、使われていません。アーカイブを解除するか、別のチャンネルを指定してください',
      },
      'messages_tab_disabled posting_to_channel_denied restricted_action…': {
        en: 'posting there is restricted; ask an administrator to allow it (of a person, by the Messages tab in App Home)',
        ja: '投稿が制限されています。管理者に許可を依頼してください（ダイレクトメッセージではApp Homeのメッセージタブを有効にします）',
      },
    },
  ),
  ...meanings(
    { class: 'permanent', concerns: 'address' },
    {
      'slack_connect_…': {
        en: 'the channel is shared with others, who may not receive this',
        ja: '社外と共有しているチャンネルのため、送信できません',
      },
    },
  ),
  ...meanings(
    { class: 'permanent' },
    {
      'no_text msg_too_long msg_blocks_too_long metadata_too_large attachment_payload_limit_exceeded invalid_attachments markdown_text_conflict invalid_array_arg invalid_charset invalid_form_data invalid_json invalid_post_type missing_post_type invalid_blocks… invalid_metadata… invalid_arg… too_many_…':
        {
          en: 'Slack does not accept this message; check its template with botbell preview',
          ja: 'Slackがメッセージの内容を受け付けませんでした。テンプレートを preview コマンドで確認してください',
        },
    },
  ),
]);

function meanings(
  details: Omit<Meaning, 'words'>,
  table: Readonly<Record<string, Words>>,
): [string, Meaning][] {
  return Object.entries(table).flatMap(([codes, words]) =>
    codes.split(' ').map((code): [string, Meaning] => [code, { ...details, words }]),
  );
}

/** Every code, or beginning of codes (`…`), that has a meaning here: what docs/slack-app.md explains. */
export const SLACK_CODES: readonly string[] = [...MEANINGS.keys()];

/** Slack is in trouble, or says what nobody foresaw. */
const ANY_OTHER: Meaning = {
  class: 'transient',
  words: {
    en: 'the next attempt may succeed; see api.slack.com/methods/chat.postMessage',
    ja: '次回の送信で成功する可能性があります。コードの意味は api.slack.com/methods/chat.postMessage を参照してください',
  },
};

export function slackMeaningOf(code: string): Meaning {
  const begun = SLACK_CODES.find((known) => known.endsWith('…') && code.startsWith(known.slice(0, -1)));
  return MEANINGS.get(code) ?? MEANINGS.get(begun ?? '') ?? ANY_OTHER;
}

/** Anything else in `error` is no code: the client puts a body that is not JSON there. */
const SLACK_CODE = /^[a-z][a-z_]{0,99}$/;
const RATE_LIMITS: ReadonlySet<string> = new Set(['ratelimited', 'rate_limited']);
const SCOPE = /^[a-z.:_-]{1,200}$/;
const JSON_POINTER = /\[json-pointer:((?:\/\w+)+)\]/;

const SLACK: Words = { en: 'Slack', ja: 'Slack' };

/** What any error of a call to Slack means. Nothing of the original goes with it: it may hold the token or the message. */
export function slackFailureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  if (error instanceof WebAPIRateLimitedError) return rateLimited('ratelimited', error.retryAfter);
  if (error instanceof WebAPIHTTPError) return withoutCode(error.statusCode);
  if (error instanceof WebAPIPlatformError) return platformFailure(error.data);
  return networkFailureOf(SLACK, networkErrorOf(error));
}

function platformFailure(data: WebAPIPlatformError['data']): DeliveryFailure {
  const code: unknown = data.error;
  if (typeof code !== 'string' || !SLACK_CODE.test(code)) return notJson();
  if (RATE_LIMITS.has(code)) return rateLimited(code, data.response_metadata?.retryAfter);
  const { words, ...meaning } = slackMeaningOf(code);
  const where = pointerIn(data.response_metadata?.messages);
  const scope = scopeIn(data);
  return failureOf(
    { ...meaning, code },
    {
      en: `Slack answered ${code}${where && ` at ${where}`}: ${words.en}${scope && ` (missing: ${scope})`}`,
      ja: `Slackの応答 ${code}${where && `（${where}）`}: ${words.ja}${scope && `（不足: ${scope}）`}`,
    },
  );
}

/** @param askedSeconds by the header, or whatever stands in the body */
function rateLimited(code: string, askedSeconds: unknown): DeliveryFailure {
  const { ms, overlongMs } = askedPause(askedSeconds, Date.now());
  const asked = Math.ceil((overlongMs ?? ms) / 1000);
  const obeyed = overlongMs === undefined ? undefined : Math.ceil(ms / 1000);
  return failureOf(
    { class: 'rate_limited', code, retryAfterMs: ms },
    {
      en: `Slack limits the rate: it asked for a pause of ${asked} s${obeyed === undefined ? '' : `, of which ${obeyed} s are obeyed`}`,
      ja: `Slackのレート制限を受けました。${asked}秒の待機を求められています${obeyed === undefined ? '' : `（${obeyed}秒待機します）`}`,
    },
  );
}

/** What redirects is not the API, and goes on redirecting until somebody mends it. */
function withoutCode(status: number): DeliveryFailure {
  const isTransient = status >= 500 || status === 408 || status < 300;
  const advice = isTransient ? TRY_LATER : NO_API;
  return failureOf(
    { class: isTransient ? 'transient' : 'config', code: `http_${status}` },
    {
      en: `Slack answered with HTTP status ${status}: ${advice.en}`,
      ja: `Slackの応答 HTTP ${status}: ${advice.ja}`,
    },
  );
}

function notJson(): DeliveryFailure {
  const words = { en: `Slack: ${NO_API.en}`, ja: `Slack: ${NO_API.ja}` };
  return failureOf({ class: 'transient', code: 'not_json' }, words);
}

/** Slack points at the block that it refuses; the rest of its words may quote the message. */
function pointerIn(messages: readonly string[] = []): string {
  return messages.map((message) => JSON_POINTER.exec(message)?.[1] ?? '').find((found) => found !== '') ?? '';
}

function scopeIn(data: object): string {
  const needed: unknown = Reflect.get(data, 'needed');
  return typeof needed === 'string' && SCOPE.test(needed) ? needed : '';
}
