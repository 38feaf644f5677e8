/** Posts, replies to and edits Slack messages with one token over one connection pool. Loaded when a Slack channel opens. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { type Channel, type Outgoing, type PerJob, type Receipt, ROOT_GONE } from '../channel.ts';
import { DeliveryFailure } from '../failure.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import { exchange } from '../../outbound/exchange.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { failureOfAnswer } from '../answers.ts';
import { SLACK, slackFailureOf } from './errors.ts';
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
  const open = (timeoutMs: number) => clientOver(pool, token, api, timeoutMs);
  // A client has one time limit for all its calls, so attempts with the same limit share a client.
  const opened = new Map<number, WebClient>();
  return openedChannel({
    send: (outgoing) => {
      const { timeoutMs } = outgoing;
      const client = opened.get(timeoutMs) ?? open(timeoutMs);
      opened.set(timeoutMs, client);
      return tell(client, open, outgoing);
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
    // The pool limits concurrency, and calls that wait for it keep their deadlines.
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
    const answer = await exchange(pool, request);
    // Given such an answer, the client would throw an unclassified error or take foreign JSON as an answer of the API.
    if (answer.status !== 200 || !/^\s*\{/.test(answer.body)) throw failureOfAnswer(answer, SLACK);
    return answeredWith(address, answer.body);
  };
}

const NO_HEADERS = new Headers();

/** The members of a response that the client reads; a `Response` of Node's costs as much as the rest of the call. */
function answeredWith(address: string | URL, body: string): Awaited<ReturnType<FetchFunction>> {
  const whole = () => new Response(body);
  return {
    ok: true,
    status: 200,
    statusText: 'OK',
    url: String(address),
    headers: NO_HEADERS,
    text: () => Promise.resolve(body),
    json: () => whole().json(),
    arrayBuffer: () => whole().arrayBuffer(),
  };
}

/** @param open makes a client with the remaining time as its limit, for the calls after the first */
function tell(
  client: WebClient,
  open: (timeoutMs: number) => WebClient,
  { address, message, perJob, timeoutMs }: Outgoing,
): Promise<Receipt> {
  const until = performance.now() + timeoutMs;
  let calls = 0;
  const call = async (method: string, args: object): Promise<Receipt> => {
    calls += 1;
    const by = calls === 1 ? client : open(until - performance.now());
    try {
      return receiptOf(address, await by.apiCall(method, { ...LITERAL, ...args }));
    } catch (error) {
      throw slackFailureOf(error);
    }
  };
  const { text: words, blocks } = message as SlackMessage;
  // A form with a lone surrogate cannot be encoded.
  const text = words.toWellFormed();
  const isPlain = blocks === undefined || text.trim() === '';
  // The form needs a string anyway, and the client copies any other value for log lines that are never written.
  const written = JSON.stringify(blocks);
  const say = (method: string, args: object) =>
    sendOrPlain(
      (parts) => call(method, { ...args, ...parts }),
      { text, blocks: written },
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
