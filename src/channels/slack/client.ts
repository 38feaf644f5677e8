/** Posts, replies to and edits Slack messages with one token. Loaded when a Slack channel opens. */
import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { failureOfAnswer } from '../answers.ts';
import { type JobMessages, type Receipt, ROOT_GONE } from '../channel.ts';
import type { Call } from '../chat/chat.ts';
import { type Remote, VERIFY_TIMEOUT_MS } from '../chat/remote.ts';
import { DeliveryFailure } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import type { Sending } from '../open-channel.ts';
import { SLACK } from './answers.ts';
import { type SlackCall, slackCalls } from './calls.ts';
import type { SlackSettings } from './channel.ts';
import type { SlackMessage } from './message.ts';

export function openSlackClient(
  settings: SlackSettings,
  api: URL,
  remote: Remote,
): Sending<Call<SlackMessage>> {
  const { token, username, icon_emoji } = settings;
  const call = slackCalls(remote, token, api);
  const needed = ['chat:write', ...((username ?? icon_emoji) ? ['chat:write.customize'] : [])];
  return {
    send: (sent) => tell(call, settings, sent),
    verify: async () => {
      const tested: Tested = await call('auth.test', undefined, performance.now() + VERIFY_TIMEOUT_MS);
      const scopes = tested.response_metadata?.scopes;
      const missing = scopes && needed.find((scope) => !scopes.includes(scope));
      if (missing !== undefined) throw failureIn({ ok: false, error: 'missing_scope', needed: missing });
    },
    free: remote.free,
    failureOf: slackFailureOf,
  };
}

/** The answer of `auth.test`, in which the client names the token's scopes if Slack does. */
interface Tested {
  readonly response_metadata?: { readonly scopes?: readonly string[] };
}

/** The failure for any error of a call to Slack, without the error itself, which may hold the token or the message. */
export function slackFailureOf(error: unknown): DeliveryFailure {
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  if (cause instanceof DeliveryFailure) return cause;
  if (cause instanceof WebAPIPlatformError) return failureIn(cause.data);
  return networkFailureOf(SLACK.title, networkErrorOf(cause));
}

function failureIn(answer: object): DeliveryFailure {
  return failureOfAnswer({ status: 200, headers: {}, body: JSON.stringify(answer) }, SLACK);
}

interface Reply {
  readonly thread_ts?: string;
  readonly reply_broadcast?: boolean;
}

function tell(
  call: SlackCall,
  { username, icon_emoji }: Pick<SlackSettings, 'username' | 'icon_emoji'>,
  { address, message, perJob, deadline, onHandedOver }: Call<SlackMessage>,
): Promise<Receipt> {
  const { blocks } = message;
  // Slack takes no lone surrogates.
  const text = message.text.toWellFormed();
  const say = (method: string, args: object) =>
    call(method, args, deadline, onHandedOver).then((answer) => receiptOf(address, answer));
  // Foreign text must never become a mention or a link.
  const post = ({ thread_ts, reply_broadcast }: Reply = {}) =>
    say('chat.postMessage', {
      channel: address,
      thread_ts,
      reply_broadcast,
      username,
      icon_emoji,
      unfurl_links: false,
      unfurl_media: false,
      parse: 'none',
      link_names: false,
      text,
      blocks,
    });
  const edit = ({ channel, ts }: Receipt) =>
    say('chat.update', { channel, ts, parse: 'none', link_names: false, text, blocks });
  return perJob?.root === undefined ? post() : tellOfJob(perJob, perJob.root, post, edit);
}

/** The codes that say that a root takes no reply or edit any more, so that the message is posted on its own. */
const GONE: ReadonlySet<string> = new Set(
  (
    'thread_not_found message_not_found cannot_reply_to_message restricted_action_thread_locked ' +
    'restricted_action_non_threadable_channel cant_broadcast_message ' +
    'cant_update_message edit_window_closed block_mismatch'
  ).split(' '),
);

async function tellOfJob(
  { mode, isLoud }: JobMessages,
  root: Receipt,
  post: (reply?: Reply) => Promise<Receipt>,
  edit: (root: Receipt) => Promise<Receipt>,
): Promise<Receipt> {
  const { channel, ts } = root;
  // The root is no Slack message; an outbox printed it, for example.
  if (channel === undefined || ts === undefined) return { [ROOT_GONE]: 'no_ts', ...(await post()) };
  // If the root's message was sent again, as a reply, its receipt has the `thread_ts` of the thread.
  const { thread_ts = ts } = root;
  try {
    if (mode === 'thread') return { thread_ts, ...(await post({ thread_ts, reply_broadcast: isLoud })) };
    const edited = await edit({ channel, ts });
    return isLoud ? await post() : edited;
  } catch (error) {
    const { code, class: kind } = slackFailureOf(error);
    // An edit notifies nobody: an error does not wait for one that Slack refuses.
    const isRefused = error instanceof WebAPIPlatformError && kind !== 'rate_limited';
    if (!GONE.has(code) && !(mode === 'update' && isLoud && isRefused)) throw error;
    return { [ROOT_GONE]: code, ...(await post()) };
  }
}

/** The message's channel and `ts`; if the answer lacks them, the address that it was sent to. */
function receiptOf(address: string, answer: object): Receipt {
  const { channel, ts } = answer as { readonly channel?: unknown; readonly ts?: unknown };
  return typeof channel === 'string' && typeof ts === 'string' ? { channel, ts } : { channel: address };
}
