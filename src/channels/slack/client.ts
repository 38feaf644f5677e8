/** Talks to Slack: one token, messages that are posted, replied to and edited, over one connection pool. Loaded only where a route names such a channel. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { type Channel, type Outgoing, type PerJob, type Receipt, ROOT_GONE } from '../channel.ts';
import { DeliveryFailure } from '../failure.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import { post } from '../../outbound/post.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { failureOfAnswer } from '../answers.ts';
import { SLACK, slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';

const VERIFY_TIMEOUT_MS = 5_000;

/** Foreign text must never become a mention or a link. */
const LITERAL = { parse: 'none', link_names: false } as const;

const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

/** When the call that is being made has to be answered by: the client has one time limit for all of its calls. */
const deadlines = new AsyncLocalStorage<number>();

/**
 * Connects only when first asked.
 * @param pool to the origin of the API; destroyed when the channel is closed
 */
export function openSlackClient(token: string, api: URL, pool: HttpPool): Channel {
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: fetchOver(pool),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool has its own limit, and what waits there keeps its deadline.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
  const within = <T>(ms: number, work: () => Promise<T>) => deadlines.run(performance.now() + ms, work);
  return openedChannel({
    send: (outgoing) => within(outgoing.timeoutMs, () => tell(client, outgoing)),
    verify: async () => void (await within(VERIFY_TIMEOUT_MS, () => client.apiCall('auth.test'))),
    free: () => pool.destroy(),
    failureOf: slackFailureOf,
  });
}

function fetchOver(pool: HttpPool): FetchFunction {
  return async (address, { headers = {}, body: form } = {}) => {
    const { pathname, search } = new URL(address);
    const body = typeof form === 'string' ? form : '';
    const deadline = deadlines.getStore() ?? performance.now();
    const answer = await post(pool, { path: pathname + search, headers, body, deadline });
    // The client would fail without a class at some of these, and take any other JSON for an answer of the API.
    if (answer.status !== 200 || !/^\s*\{/.test(answer.body)) throw failureOfAnswer(answer, SLACK);
    return new Response(answer.body);
  };
}

function tell(client: WebClient, { address, message, perJob }: Outgoing): Promise<Receipt> {
  const call = async (method: string, args: object): Promise<Receipt> => {
    try {
      return receiptOf(address, await client.apiCall(method, { ...LITERAL, ...args }));
    } catch (error) {
      throw slackFailureOf(error);
    }
  };
  const { text: words, blocks } = message as SlackMessage;
  // A lone surrogate would keep the form from being encoded at all.
  const text = words.toWellFormed();
  const isPlain = blocks === undefined || text.trim() === '';
  const say = (method: string, args: object) =>
    sendOrPlain(
      () => call(method, { ...args, text, blocks }),
      isPlain ? undefined : () => call(method, { ...args, text }),
    );
  const postNew = (more: object = {}) =>
    say('chat.postMessage', { ...NO_PREVIEWS, channel: address, ...more });
  const edit = (root: object) => say('chat.update', root);
  return perJob?.root === undefined ? postNew() : tellOfJob(perJob, perJob.root, postNew, edit);
}

/** A root that takes no reply or edit any more: the message is posted anew. */
const GONE: ReadonlySet<string> = new Set(
  (
    'thread_not_found message_not_found cannot_reply_to_message restricted_action_thread_locked ' +
    'restricted_action_non_threadable_channel cant_update_message edit_window_closed block_mismatch'
  ).split(' '),
);

async function tellOfJob(
  { mode, isLoud }: PerJob,
  { channel, ts }: Receipt,
  post: (more?: object) => Promise<Receipt>,
  edit: (root: object) => Promise<Receipt>,
): Promise<Receipt> {
  // What was no message of Slack's, such as an outbox's.
  if (channel === undefined || ts === undefined) return { ...(await post()), [ROOT_GONE]: 'no_ts' };
  try {
    if (mode === 'thread') return await post({ thread_ts: ts, reply_broadcast: isLoud });
    const edited = await edit({ channel, ts });
    return isLoud ? await post() : edited;
  } catch (error) {
    if (!(error instanceof DeliveryFailure && GONE.has(error.code))) throw error;
    return { ...(await post()), [ROOT_GONE]: error.code };
  }
}

function receiptOf(address: string, answer: object): Receipt {
  const channel: unknown = Reflect.get(answer, 'channel');
  const ts: unknown = Reflect.get(answer, 'ts');
  const where = typeof channel === 'string' ? channel : address;
  return typeof ts === 'string' ? { channel: where, ts } : { channel: where };
}

const ignore = (): void => undefined;

/** The client's logger would print to the console, request bodies included. */
const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
  setName: ignore,
};
