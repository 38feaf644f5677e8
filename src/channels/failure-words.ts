/** Why a delivery failed and what to do about it, in the language of the display. */
import type { FailureClass } from './failure.ts';
import type { Language } from '../time/display.ts';

/** What is read of a failure. */
export interface FailureToExplain {
  readonly class: FailureClass;
  readonly code: string;
  /** In English. */
  readonly message: string;
}

const NEW_TOKEN = '有効なBotトークン（xoxb-…）を設定してください';
const ASK_ADMIN = 'ワークスペースの管理者に許可を依頼してください';
const INVITE = '/invite でアプリをチャンネルに招待してください';
const WRONG_MESSAGE =
  'メッセージの内容が受け付けられませんでした。テンプレートを preview コマンドで確認してください';
const CHECK_LOGIN = 'SMTP URLのユーザー名とパスワードを確認してください';
const CHECK_SERVER = 'SMTP URLのホスト、ポート、TLSの設定を確認してください';
const TLS_REFUSED = '接続先のTLS証明書またはTLSバージョンを検証できませんでした';

/** English is written where a failure is classed; these are the same codes. */
const JAPANESE: Readonly<Record<string, string>> = {
  invalid_auth: `トークンが無効です。${NEW_TOKEN}`,
  not_authed: `リクエストにトークンがありません。${NEW_TOKEN}`,
  token_expired: `トークンの有効期限が切れています。${NEW_TOKEN}`,
  token_revoked: `トークンが取り消されています。${NEW_TOKEN}`,
  account_inactive: `アプリまたはワークスペースが削除されています。アプリを再インストールし、${NEW_TOKEN}`,
  not_allowed_token_type: `この種類のトークンでは投稿できません。${NEW_TOKEN}`,
  is_bot: `この種類のトークンでは実行できません。${NEW_TOKEN}`,
  as_user_not_supported: `この種類のトークンでは投稿できません。${NEW_TOKEN}`,
  metadata_must_be_sent_from_app: `アプリのトークンでなければ送信できません。${NEW_TOKEN}`,
  missing_scope:
    'アプリに必要なスコープがありません。スコープ（投稿には chat:write）を追加し、アプリを再インストールしてください',
  no_permission: `トークンの権限が足りません。${ASK_ADMIN}`,
  access_denied: `アプリに許可がありません。${ASK_ADMIN}`,
  accesslimited: `アプリのアクセスが制限されています。${ASK_ADMIN}`,
  app_access_restricted: `アプリが制限されています。${ASK_ADMIN}`,
  enterprise_is_restricted: `アプリはこの組織で利用できません。${ASK_ADMIN}`,
  team_access_not_granted: `アプリはこのワークスペースを利用できません。${ASK_ADMIN}`,
  send_on_behalf_not_allowed: `アプリは代理で投稿できません。${ASK_ADMIN}`,
  two_factor_setup_required: 'トークンの所有者が2要素認証を設定する必要があります',
  ekm_access_denied: '組織の鍵管理により投稿が停止されています。組織の管理者に確認してください',
  unknown_method: 'APIにないメソッドです。api_url を確認してください',
  method_deprecated: 'APIから廃止されたメソッドです。Botbellを更新してください',
  deprecated_endpoint: 'APIから廃止されたメソッドです。Botbellを更新してください',
  channel_not_found: `チャンネルが存在しないか、アプリが招待されていない非公開チャンネルです。名前またはIDを確認し、${INVITE}`,
  not_in_channel: `アプリがチャンネルのメンバーではありません。${INVITE}`,
  is_archived: 'チャンネルがアーカイブされています。アーカイブを解除するか、別のチャンネルを指定してください',
  is_inactive: 'チャンネルは使われていません。別のチャンネルを指定してください',
  messages_tab_disabled:
    'アプリがダイレクトメッセージを受け付けていません。App Homeのメッセージタブを有効にしてください',
  team_not_found: 'ワークスペースが見つかりません。チャンネルをIDで指定してください',
  posting_to_channel_denied: `チャンネルへの投稿が制限されています。${ASK_ADMIN}`,
  restricted_action: `チャンネルへの投稿が制限されています。${ASK_ADMIN}`,
  message_limit_exceeded:
    'ワークスペースのメッセージ数が上限に達しています。ワークスペースの管理者に確認してください',
  user_not_found: 'ユーザーが存在しません。ユーザーIDを確認してください',
  no_text: 'メッセージが空です。テンプレートを preview コマンドで確認してください',
  cannot_reply_to_message: 'このメッセージには返信できません',
  cant_broadcast_message: '返信をチャンネルに表示できません',
  message_not_found: 'メッセージが存在しません',
  cant_update_message: 'メッセージを編集できません',
  edit_window_closed: 'メッセージを編集できる期間が過ぎています',
  slack_connect: '社外と共有しているチャンネルのため、送信できません',
  team_added_to_org: 'ワークスペースを組織に移行中です。移行が終わると解消します',
  org_login_required: 'ワークスペースを組織に移行中です。移行が終わると解消します',
  external_channel_migrating: 'チャンネルを移行中です。移行が終わると解消します',
  not_json: '応答がAPIのものではありません。api_url と、途中のプロキシを確認してください',

  proxy_407:
    'プロキシがユーザー名とパスワードを受け付けません。proxy（または環境変数 HTTPS_PROXY、HTTP_PROXY）のユーザー名とパスワードを確認してください',

  EAUTH: `ログインに失敗しました。${CHECK_LOGIN}`,
  EOAUTH2: `ログインに失敗しました。${CHECK_LOGIN}`,
  ENOAUTH: `サーバーがログインを求めています。${CHECK_LOGIN}`,
  530: `サーバーがログインを求めています。${CHECK_LOGIN}`,
  534: `ログインに失敗しました。${CHECK_LOGIN}`,
  535: `ログインに失敗しました。${CHECK_LOGIN}`,
  538: `ログインに失敗しました。${CHECK_LOGIN}`,
  552: 'メールが大きすぎるか、宛先の容量が足りません',
  ETLS: '暗号化した接続ができません。STARTTLSまたは smtps:// に対応したサーバーを使うか、TLSのない中継サーバーなら ?ignoreTLS=true を付けてください',
  EREQUIRETLS: 'サーバーが配送経路のTLSを保証できません。別のサーバーを使ってください',
  ECONFIG: CHECK_SERVER,
  EPROXY: 'プロキシに拒否されました。SMTP URLのプロキシの設定を確認してください',
  EPROTOCOL: `接続先がSMTPで応答していません。${CHECK_SERVER}`,
  EENVELOPE: 'この宛先には送信できません。アドレスを確認してください',
  EMESSAGE: 'メールの内容が受け付けられませんでした。大きすぎる可能性があります',
  ESTREAM: 'メールを組み立てられませんでした',
  EFILEACCESS: 'メールがファイルを参照しており、許可されていません',
  EURLACCESS: 'メールがURLを参照しており、許可されていません',
  EABORT: 'メールの送信がタイムアウトしました（届いている可能性があります）',
  EDNS: 'ホスト名を解決できません。綴りとDNSを確認してください',
  ECONNECTION: '接続が途中で切れました（届いている可能性があります）',

  ECONNREFUSED: '接続が拒否されました。ホスト、ポート、ファイアウォールを確認してください',
  ECONNRESET: '応答の途中で接続が切れました（届いている可能性があります）',
  ETIMEDOUT: '応答がないままタイムアウトしました（届いている可能性があります）',
  ENOTFOUND: 'ホスト名が存在しません。綴りとDNSを確認してください',
  EAI_AGAIN: 'DNSの応答がありません',
  EHOSTUNREACH: 'ホストに到達できません',
  ENETUNREACH: 'ネットワークに到達できません',

  not_routed:
    'この通知の宛先は、現在の設定のどのルートにも含まれていません。ルートの削除、bot_id や on の変更がないか確認してください。give_up_after のうちにルートを元に戻せば送信されます',
  unknown_channel: '設定にこの名前の通知チャネルがありません。channels と宛先を確認してください',
};

/** What holds for whole families of codes. */
const JAPANESE_BY_FORM: readonly (readonly [RegExp, string])[] = [
  [/^restricted_action/, JAPANESE['restricted_action'] ?? ''],
  [/^slack_connect_/, JAPANESE['slack_connect'] ?? ''],
  [/CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_SSL|^ERR_TLS|^HOSTNAME_MISMATCH/, TLS_REFUSED],
  [/^proxy_(?:408|429|5\d\d)$/, 'プロキシが送信先に接続できませんでした'],
  [
    /^proxy_/,
    'プロキシが接続を拒否しました。プロキシの管理者に許可を依頼するか、送信先を NO_PROXY に加えてください',
  ],
  [/^http_[45]08$|^http_5/, '送信先のサービスで障害が発生しています'],
  [/^http_/, 'APIの応答ではありません。api_url を確認してください'],
];

const JAPANESE_BY_CLASS: Readonly<Record<FailureClass, string>> = {
  transient: '一時的な障害が続きました',
  rate_limited: '送信先のレート制限を受けました',
  permanent: WRONG_MESSAGE,
  config: '現在の設定では送信先に受け付けられません。設定を確認してください',
};

/** SMTP: an address that the server does not know, as RCPT TO is answered. */
const REFUSED_ADDRESS = 'この宛先には配送できません。アドレスを確認してください';

/** One or two sentences. In Japanese nothing of the English message is in them. */
export function failureInWords(failure: FailureToExplain, language: Language): string {
  return language === 'ja' ? `${inJapanese(failure)}。` : failure.message;
}

function inJapanese({ class: failureClass, code }: FailureToExplain): string {
  if (Object.hasOwn(JAPANESE, code)) return JAPANESE[code] ?? '';
  const ofItsForm = JAPANESE_BY_FORM.find(([form]) => form.test(code));
  if (ofItsForm !== undefined) return ofItsForm[1];
  if (failureClass === 'permanent' && /^5\d\d$/.test(code)) return REFUSED_ADDRESS;
  if (failureClass === 'config' && /^5\d\d$/.test(code)) return CHECK_SERVER;
  return JAPANESE_BY_CLASS[failureClass];
}
