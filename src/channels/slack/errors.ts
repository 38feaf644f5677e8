/** Classes the errors of a call to Slack, and says what an operator can do about each. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { askedPause, DeliveryFailure, type FailureClass, networkErrorOf } from '../failure.ts';

type ErrorMeaning = readonly [FailureClass, string];

const NEW_TOKEN = 'put a valid bot token (xoxb-…) into the config';
const ASK_ADMIN = 'ask an administrator of the workspace to allow it';
const WRONG_MESSAGE = 'Slack does not accept this message; check its template with botbell preview';
const TRY_LATER = 'Slack could not handle it; the next attempt may succeed';

/** Slack: chat.postMessage and the errors common to all methods. */
const MEANINGS: Readonly<Record<string, ErrorMeaning>> = {
  ratelimited: ['rate_limited', 'Slack limits the rate'],
  rate_limited: ['rate_limited', 'Slack limits the rate'],

  internal_error: ['transient', TRY_LATER],
  fatal_error: ['transient', TRY_LATER],
  service_unavailable: ['transient', TRY_LATER],
  request_timeout: ['transient', TRY_LATER],
  team_added_to_org: ['transient', 'the workspace is being moved into an organisation; this ends by itself'],
  org_login_required: ['transient', 'the workspace is being moved into an organisation; this ends by itself'],
  external_channel_migrating: ['transient', 'the channel is being migrated; this ends by itself'],

  invalid_auth: ['config', `the token is not valid; ${NEW_TOKEN}`],
  not_authed: ['config', `the request had no token; ${NEW_TOKEN}`],
  token_expired: ['config', `the token has expired; ${NEW_TOKEN}`],
  token_revoked: ['config', `the token was revoked; ${NEW_TOKEN}`],
  account_inactive: ['config', `the app or its workspace was removed; reinstall the app and ${NEW_TOKEN}`],
  not_allowed_token_type: ['config', `this kind of token may not post; ${NEW_TOKEN}`],
  is_bot: ['config', `this kind of token may not do that; ${NEW_TOKEN}`],
  missing_scope: ['config', 'the app lacks a scope; add it (chat:write to post) and reinstall the app'],
  no_permission: ['config', `the token may not do that; ${ASK_ADMIN}`],
  access_denied: ['config', `the app may not do that; ${ASK_ADMIN}`],
  accesslimited: ['config', `the app's access is limited; ${ASK_ADMIN}`],
  app_access_restricted: ['config', `the app is restricted; ${ASK_ADMIN}`],
  two_factor_setup_required: ['config', 'the token’s owner must set up two-factor authentication'],
  ekm_access_denied: [
    'config',
    'the organisation’s key management suspended posting; ask its administrators',
  ],
  enterprise_is_restricted: ['config', `the app may not act in this organisation; ${ASK_ADMIN}`],
  team_access_not_granted: ['config', `the app has no access to this workspace; ${ASK_ADMIN}`],
  as_user_not_supported: ['config', `this kind of token may not post; ${NEW_TOKEN}`],
  send_on_behalf_not_allowed: ['config', `the app may not post for others; ${ASK_ADMIN}`],
  metadata_must_be_sent_from_app: ['config', `only an app's token may send this; ${NEW_TOKEN}`],
  unknown_method: ['config', 'the API does not know the method; check api_url'],
  method_deprecated: ['config', 'the API no longer has the method; update Botbell'],
  deprecated_endpoint: ['config', 'the API no longer has the method; update Botbell'],

  channel_not_found: [
    'config',
    'no such channel, or a private one the app was not invited to; check its name or ID, and /invite the app there',
  ],
  not_in_channel: ['config', 'the app is not a member of the channel; /invite it there'],
  is_archived: ['config', 'the channel is archived; unarchive it or name another'],
  is_inactive: ['config', 'the channel is no longer in use; name another'],
  messages_tab_disabled: ['config', 'the app takes no direct messages; enable its Messages tab in App Home'],
  team_not_found: ['config', 'the workspace was not found; give the channel by its ID'],
  posting_to_channel_denied: ['config', `posting to the channel is restricted; ${ASK_ADMIN}`],
  message_limit_exceeded: ['config', 'the workspace has reached its message limit; ask its administrators'],
  user_not_found: ['config', 'no such user; check the user ID'],

  no_text: ['permanent', 'the message is empty; check its template with botbell preview'],
  cannot_reply_to_message: ['permanent', 'the message may not be replied to'],
  cant_broadcast_message: ['permanent', 'the reply may not be shown in the channel'],
  message_not_found: ['permanent', 'the message is gone'],
  cant_update_message: ['permanent', 'the message may not be edited'],
  edit_window_closed: ['permanent', 'the message may no longer be edited'],
};

/** Of the message itself, whatever is wrong with it. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set(
  'msg_too_long msg_blocks_too_long metadata_too_large attachment_payload_limit_exceeded invalid_attachments markdown_text_conflict invalid_array_arg invalid_charset invalid_form_data invalid_json invalid_post_type missing_post_type block_mismatch'.split(
    ' ',
  ),
);

const MEANINGS_BY_PREFIX: readonly (readonly [string, ErrorMeaning])[] = [
  ['restricted_action', ['config', `posting to the channel is restricted; ${ASK_ADMIN}`]],
  ['invalid_blocks', ['permanent', WRONG_MESSAGE]],
  ['invalid_metadata', ['permanent', WRONG_MESSAGE]],
  ['invalid_arg', ['permanent', WRONG_MESSAGE]],
  ['too_many_', ['permanent', WRONG_MESSAGE]],
  ['slack_connect_', ['permanent', 'the channel is shared with others, who may not receive this']],
];

/** Every code, or beginning of codes (`…`), that has a meaning here: what docs/slack-app.md explains. */
export const SLACK_CODES: readonly string[] = [
  ...Object.keys(MEANINGS),
  ...OF_THE_MESSAGE,
  ...MEANINGS_BY_PREFIX.map(([prefix]) => `${prefix}…`),
];

/** Anything else in `error` is no code: the client puts a body that is not JSON there. */
const SLACK_CODE = /^[a-z][a-z_]{0,99}$/;
const SCOPE = /^[a-z.:_-]{1,200}$/;
const JSON_POINTER = /\[json-pointer:((?:\/\w+)+)\]/;

/** What any error of a call to Slack means. Nothing of the original goes with it: it may hold the token or the message. */
export function slackFailureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  if (error instanceof WebAPIRateLimitedError) return rateLimited('ratelimited', error.retryAfter);
  if (error instanceof WebAPIHTTPError) return httpFailure(error.statusCode);
  if (error instanceof WebAPIPlatformError) return platformFailure(error.data);
  return networkFailure(error);
}

/** The class and the advice for one of Slack's codes; one we do not know is worth another attempt. */
export function slackMeaningOf(code: string): ErrorMeaning {
  if (OF_THE_MESSAGE.has(code)) return ['permanent', WRONG_MESSAGE];
  if (Object.hasOwn(MEANINGS, code)) return MEANINGS[code] ?? UNKNOWN_ERROR;
  return MEANINGS_BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1] ?? UNKNOWN_ERROR;
}

const UNKNOWN_ERROR: ErrorMeaning = [
  'transient',
  'this code is unknown here; see api.slack.com/methods/chat.postMessage',
];

function platformFailure(data: WebAPIPlatformError['data']): DeliveryFailure {
  const code: unknown = data.error;
  if (typeof code !== 'string' || !SLACK_CODE.test(code)) return unreadableAnswer();
  const [failureClass, advice] = slackMeaningOf(code);
  if (failureClass === 'rate_limited') return rateLimited(code, data.response_metadata?.retryAfter);
  const where = pointerIn(data.response_metadata?.messages) ?? '';
  const needed = scopeIn(data);
  return new DeliveryFailure({
    class: failureClass,
    code,
    message: `Slack answered ${code}${where}: ${advice}${needed}.`,
  });
}

/** @param askedSeconds by the header, or whatever stands in the body */
function rateLimited(code: string, askedSeconds: unknown): DeliveryFailure {
  const { ms, overlongMs } = askedPause(askedSeconds, Date.now());
  const obeyed = overlongMs === undefined ? '' : `, of which ${seconds(ms)} are obeyed`;
  return new DeliveryFailure({
    class: 'rate_limited',
    code,
    message: `Slack limits the rate: it asked for a pause of ${seconds(overlongMs ?? ms)}${obeyed}.`,
    retryAfterMs: ms,
  });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

function httpFailure(status: number): DeliveryFailure {
  const isTransient = status >= 500 || status === 408 || status < 400;
  const advice = isTransient ? TRY_LATER : 'this is not how the Slack API answers; check api_url';
  return new DeliveryFailure({
    class: isTransient ? 'transient' : 'config',
    code: `http_${status}`,
    message: `Slack answered with HTTP status ${status}: ${advice}.`,
  });
}

function unreadableAnswer(): DeliveryFailure {
  return new DeliveryFailure({
    class: 'transient',
    code: 'not_json',
    message: 'The answer did not come from the Slack API: check api_url, and the proxy if there is one.',
  });
}

function networkFailure(error: unknown): DeliveryFailure {
  const { code, words, isRefusal, mayHaveArrived } = networkErrorOf(error);
  const arrival = mayHaveArrived ? ', so the message may have arrived' : '';
  return new DeliveryFailure({
    class: isRefusal ? 'config' : 'transient',
    code,
    message: `No answer from Slack: ${words}${arrival}.`,
  });
}

/** Slack points at the block that it refuses; the rest of its words may quote the message. */
function pointerIn(messages: readonly string[] | undefined): string | undefined {
  for (const message of messages ?? []) {
    const pointer = JSON_POINTER.exec(message)?.[1];
    if (pointer !== undefined) return ` at ${pointer}`;
  }
  return undefined;
}

function scopeIn(data: object): string {
  const needed: unknown = Reflect.get(data, 'needed');
  return typeof needed === 'string' && SCOPE.test(needed) ? ` (missing: ${needed})` : '';
}
