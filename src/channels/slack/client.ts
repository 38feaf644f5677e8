/** Talks to Slack: one token, chat.postMessage over one connection pool. Loaded only where somebody is told on Slack. */
import { setFlagsFromString } from 'node:v8';
import { WebClient } from '@slack/web-api';
import type { Logger } from '@slack/web-api';
// Not undici as a whole, most of which is for fetch, caches and WebSockets: it would cost each start time and memory.
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Channel, Receipt } from '../channel.ts';
import { InFlight } from '../in-flight.ts';
import { essentialsOf } from './answer.ts';
import { slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';
import { type Dispatches, encodeFields, type Luggage, UndiciFetch } from './undici-fetch.ts';

/** Calls at the same time: Slack takes about one message a second and channel, so this is far above what it allows. */
const MAX_CONNECTIONS = 50;
const CONNECT_TIMEOUT_MS = 5_000;
const VERIFY_TIMEOUT_MS = 5_000;
/** Slack answers with some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Foreign text must never become a mention, a link or a preview. */
const NO_PARSING = encodeFields({
  parse: 'none',
  link_names: 'false',
  unfurl_links: 'false',
  unfurl_media: 'false',
});

/** Connects only when first asked. */
export function openSlackClient(token: string, api: URL): Channel {
  const pool = openPool(api);
  const slack = new SlackApi(token, api, pool);
  const inFlight = new InFlight();
  return {
    send: ({ address, message, timeoutMs }) =>
      inFlight.run(() => post(slack, address, message as SlackMessage, performance.now() + timeoutMs)),
    verify: () => inFlight.run(() => verify(slack)),
    close: async () => {
      await inFlight.close();
      await pool.destroy();
    },
  };
}

/** No time limits of its own: each call bears its deadline. */
function openPool(api: URL): Pool {
  leaveParserUnoptimised();
  return new Pool(api.origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
}

/**
 * undici parses HTTP by WebAssembly. To optimise it, as V8 would after the first answer, takes 42 MB for a moment, of
 * which the C library often keeps 10 for good; what it saves is less than can be measured of a message.
 */
function leaveParserUnoptimised(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** The client, and what takes its calls to Slack. */
class SlackApi {
  readonly #transport: UndiciFetch;
  readonly #client: WebClient;

  constructor(token: string, api: URL, pool: Dispatches) {
    this.#transport = new UndiciFetch(pool, api.origin, essentialsOf);
    this.#client = new WebClient(token, {
      slackApiUrl: api.href,
      // The client says so of every call anyway; where it must add that to its headers, V8 is slow to copy them.
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      fetch: this.#transport.fetch,
      // The pool is the queue: there a call's deadline runs on while it waits, in the client's own queue it would not.
      maxRequestConcurrency: Infinity,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: silentLogger,
    });
  }

  /** @throws {Error} for `slackFailureOf` to read */
  call(method: string, luggage: Luggage): Promise<object> {
    return this.#client.apiCall(this.#transport.checkIn(method, luggage));
  }
}

/** @throws {DeliveryFailure} */
async function verify(slack: SlackApi): Promise<void> {
  const deadline = performance.now() + VERIFY_TIMEOUT_MS;
  try {
    await slack.call('auth.test', { deadline, fields: '' });
  } catch (error) {
    throw slackFailureOf(error);
  }
}

/** Posts the message; where Slack refuses its blocks, the text alone, within the same attempt. */
async function post(
  slack: SlackApi,
  address: string,
  message: SlackMessage,
  deadline: number,
): Promise<Receipt> {
  try {
    const answer = await slack.call('chat.postMessage', { deadline, fields: fieldsOf(address, message) });
    return receiptOf(address, answer);
  } catch (error) {
    const failure = slackFailureOf(error);
    const { text, blocks } = message;
    if (blocks === undefined || failure.class !== 'permanent' || text.trim() === '') throw failure;
    const receipt = await post(slack, address, { text }, deadline);
    return { ...receipt, blocks_refused: failure.code, blocks_refused_reason: failure.message };
  }
}

function fieldsOf(channel: string, { text, blocks }: SlackMessage): string {
  // A lone surrogate would keep the form from being encoded at all.
  const fields = `${NO_PARSING}&${encodeFields({ channel, text: text.toWellFormed() })}`;
  return blocks === undefined ? fields : `${fields}&${encodeFields({ blocks: JSON.stringify(blocks) })}`;
}

/** What is read of Slack's answer to a message, if it is there. */
interface PostAnswer {
  readonly channel?: unknown;
  readonly ts?: unknown;
}

function receiptOf(address: string, { channel, ts }: PostAnswer): Receipt {
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
