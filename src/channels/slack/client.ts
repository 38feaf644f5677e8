/** Posts, replies to and edits Slack messages with one token over one connection pool. Loaded when a Slack channel opens. */
import { type Channel, type Outgoing, type PerJob, type Receipt, ROOT_GONE } from '../channel.ts';
import { DeliveryFailure } from '../failure.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { type SlackCall, slackCalls } from './calls.ts';
import { slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';

const VERIFY_TIMEOUT_MS = 5_000;

/** Foreign text must never become a mention or a link. */
const LITERAL = { parse: 'none', link_names: false } as const;

const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

/**
 * Connects at the first call.
 * @param pool to the origin of the API; destroyed when the channel is closed
 */
export function openSlackClient(token: string, api: URL, pool: HttpPool): Channel {
  const call = slackCalls(pool, token, api);
  return openedChannel({
    send: (outgoing) => tell(call, outgoing),
    verify: async () => void (await call('auth.test', undefined, VERIFY_TIMEOUT_MS)),
    free: () => pool.destroy(),
    failureOf: slackFailureOf,
  });
}

function tell(call: SlackCall, { address, message, perJob, timeoutMs }: Outgoing): Promise<Receipt> {
  const until = performance.now() + timeoutMs;
  const { text: words, blocks } = message as SlackMessage;
  // Slack takes no lone surrogates.
  const text = words.toWellFormed();
  const isPlain = blocks === undefined || text.trim() === '';
  const say = (method: string, args: object) =>
    sendOrPlain(
      async (parts) => {
        try {
          const said = { ...LITERAL, ...args, ...parts };
          return receiptOf(address, await call(method, said, until - performance.now()));
        } catch (error) {
          throw slackFailureOf(error);
        }
      },
      { text, blocks },
      isPlain ? undefined : { text },
    );
  const post = (more: object = {}) => say('chat.postMessage', { ...NO_PREVIEWS, channel: address, ...more });
  const edit = (root: object) => say('chat.update', root);
  return perJob?.root === undefined ? post() : tellOfJob(perJob, perJob.root, post, edit);
}

/** The codes that say that a root takes no reply or edit any more, so that the message is posted on its own. */
const GONE: ReadonlySet<string> = new Set(
  (
    'thread_not_found message_not_found cannot_reply_to_message restricted_action_thread_locked ' +
    'restricted_action_non_threadable_channel cant_update_message edit_window_closed block_mismatch'
  ).split(' '),
);

async function tellOfJob(
  { mode, isLoud }: PerJob,
  root: Receipt,
  post: (more?: object) => Promise<Receipt>,
  edit: (root: object) => Promise<Receipt>,
): Promise<Receipt> {
  const { channel, ts } = root;
  // The root is no Slack message; an outbox printed it, for example.
  if (channel === undefined || ts === undefined) return { ...(await post()), [ROOT_GONE]: 'no_ts' };
  // The root's receipt is a reply's if its own message has been sent again.
  const { thread_ts = ts } = root;
  try {
    if (mode === 'thread') return { ...(await post({ thread_ts, reply_broadcast: isLoud })), thread_ts };
    const edited = await edit({ channel, ts });
    return isLoud ? await post() : edited;
  } catch (error) {
    if (!(error instanceof DeliveryFailure && GONE.has(error.code))) throw error;
    return { ...(await post()), [ROOT_GONE]: error.code };
  }
}

/** The message's channel and `ts`; if the answer lacks them, the address that it was sent to. */
function receiptOf(address: string, answer: object): Receipt {
  const { channel, ts } = answer as { readonly channel?: unknown; readonly ts?: unknown };
  return typeof channel === 'string' && typeof ts === 'string' ? { channel, ts } : { channel: address };
}
