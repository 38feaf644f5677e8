/** Talks to Slack: one token, chat.postMessage over one connection pool. Loaded only where a route names such a channel. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { type Channel, InFlight, type Outgoing, type Receipt } from '../channel.ts';
import { post } from '../../outbound/post.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { askedPause } from '../failure.ts';
import { slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';

const VERIFY_TIMEOUT_MS = 5_000;

/** Foreign text must never become a mention, a link or a preview. */
const NO_PARSING = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const;

type ClientFor = (timeoutMs: number) => WebClient;

/**
 * Connects only when first asked.
 * @param pool to the origin of the API; destroyed when the channel is closed
 */
export function openSlackClient(token: string, api: URL, pool: HttpPool): Channel {
  const clientFor = clientsOver(pool, token, api);
  const inFlight = new InFlight();
  const classed = <T>(work: () => Promise<T>): Promise<T> =>
    inFlight.run(work).catch((error: unknown) => {
      throw slackFailureOf(error);
    });
  return {
    send: (outgoing) => classed(() => postMessage(clientFor(outgoing.timeoutMs), outgoing)),
    verify: async () => void (await classed(() => clientFor(VERIFY_TIMEOUT_MS).apiCall('auth.test'))),
    close: async () => {
      await inFlight.close();
      await pool.destroy();
    },
  };
}

/** The client has one time limit for all of its calls: all deliveries share theirs, and so one client. */
function clientsOver(pool: HttpPool, token: string, api: URL): ClientFor {
  const clients = new Map<number, WebClient>();
  return (timeoutMs) => {
    const client = clients.get(timeoutMs) ?? clientOver(pool, token, api, timeoutMs);
    clients.set(timeoutMs, client);
    return client;
  };
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
    const { status, headers: answered, body } = await post(pool, request);
    const asked = answered['retry-after'];
    const response = new Response(textOf(body), { status });
    if (status === 429 || asked !== undefined) response.headers.set('retry-after', secondsOf(asked));
    return response;
  };
}

/** The client would ask for members of whatever JSON it is; what is no object is no answer of the API. */
function textOf(body: string): string | null {
  return /^\s*\{/.test(body) ? body : null;
}

/**
 * The client fails without a class at a 429 that does not say how long in whole seconds, and takes a date for its day.
 * @returns what was asked for, even where less of it is obeyed: the log says so
 */
function secondsOf(asked: string | string[] | undefined): string {
  const { ms, overlongMs = ms } = askedPause(asked?.toString(), Date.now());
  return String(Math.ceil(overlongMs / 1000));
}

/** Posts the message; where Slack refuses its blocks, the text alone, within the same attempt. */
async function postMessage(
  client: WebClient,
  { address: channel, message }: Pick<Outgoing, 'address' | 'message'>,
): Promise<Receipt> {
  const { text: words, blocks } = message as SlackMessage;
  // A lone surrogate would keep the form from being encoded at all.
  const text = words.toWellFormed();
  const send = async (parts: object): Promise<Receipt> => {
    const args = { ...NO_PARSING, channel, text, ...parts };
    return receiptOf(channel, await client.apiCall('chat.postMessage', args));
  };
  if (blocks === undefined) return send({});
  try {
    return await send({ blocks });
  } catch (error) {
    const failure = slackFailureOf(error);
    if (failure.class !== 'permanent' || text.trim() === '') throw failure;
    const receipt = await send({});
    return { ...receipt, blocks_refused: failure.code, blocks_refused_reason: failure.message };
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
