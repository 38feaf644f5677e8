/** Talks to Slack: one token, chat.postMessage over one connection pool. Loaded only where a route names such a channel. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import type { Channel, Outgoing, Receipt } from '../channel.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import { post } from '../../outbound/post.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { failureOfAnswer } from '../answers.ts';
import { SLACK, slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';

const VERIFY_TIMEOUT_MS = 5_000;

/** Foreign text must never become a mention, a link or a preview. */
const NO_PARSING = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const;

/**
 * Connects only when first asked.
 * @param pool to the origin of the API; destroyed when the channel is closed
 */
export function openSlackClient(token: string, api: URL, pool: HttpPool): Channel {
  const open = (timeoutMs: number) => clientOver(pool, token, api, timeoutMs);
  // The client has one time limit for all of its calls; deliveries share theirs.
  const opened = new Map<number, WebClient>();
  return openedChannel({
    send: (outgoing) => {
      const { timeoutMs } = outgoing;
      const client = opened.get(timeoutMs) ?? open(timeoutMs);
      opened.set(timeoutMs, client);
      return postMessage(client, open, outgoing);
    },
    verify: async () => void (await open(VERIFY_TIMEOUT_MS).apiCall('auth.test')),
    free: () => pool.destroy(),
    failureOf: slackFailureOf,
  });
}

function clientOver(pool: HttpPool, token: string, api: URL, timeoutMs: number): WebClient {
  return new WebClient(token, {
    slackApiUrl: api.href,
    fetch: fetchOver(pool, timeoutMs),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool has its own limit, and what waits there keeps its deadline.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
}

function fetchOver(pool: HttpPool, timeoutMs: number): FetchFunction {
  return async (address, { headers = {}, body: form } = {}) => {
    const { pathname, search } = new URL(address);
    const deadline = performance.now() + timeoutMs;
    const request = {
      path: pathname + search,
      headers,
      body: typeof form === 'string' ? form : '',
      deadline,
    };
    const answer = await post(pool, request);
    // The client would fail without a class at some of these, and take any other JSON for an answer of the API.
    if (answer.status !== 200 || !/^\s*\{/.test(answer.body)) throw failureOfAnswer(answer, SLACK);
    return new Response(answer.body);
  };
}

/** @param open a client with another time limit */
async function postMessage(
  client: WebClient,
  open: (timeoutMs: number) => WebClient,
  { address: channel, message, timeoutMs }: Outgoing,
): Promise<Receipt> {
  const until = performance.now() + timeoutMs;
  const { text: words, blocks } = message as SlackMessage;
  // A lone surrogate would keep the form from being encoded at all.
  const text = words.toWellFormed();
  const post = async (by: WebClient, parts: object): Promise<Receipt> => {
    try {
      const args = { ...NO_PARSING, channel, text, ...parts };
      return receiptOf(channel, await by.apiCall('chat.postMessage', args));
    } catch (error) {
      throw slackFailureOf(error);
    }
  };
  if (blocks === undefined) return post(client, {});
  const postText = () => post(open(until - performance.now()), {});
  return sendOrPlain(() => post(client, { blocks }), text.trim() === '' ? undefined : postText);
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
