/** Talks to Slack: one token, chat.postMessage over one connection pool. Loaded only where a route names such a channel. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { type Channel, InFlight, type Receipt } from '../channel.ts';
import { type HttpAnswer, post } from '../../outbound/post.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { type AskedPause, askedPause } from '../failure.ts';
import { slackFailureOf } from './errors.ts';
import type { SlackMessage } from './message.ts';

const VERIFY_TIMEOUT_MS = 5_000;

/** Foreign text must never become a mention, a link or a preview. */
const NO_PARSING = { parse: 'none', link_names: 'false', unfurl_links: 'false', unfurl_media: 'false' };

/** What one call needs that the client does not hand on to its `fetch`. */
interface CallContext {
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
  /** `application/x-www-form-urlencoded`. The client's own encoding would walk through the message twice more, for its log. */
  readonly body: string;
}

type Call = (method: string, context: CallContext) => Promise<object>;

/**
 * Connects only when first asked.
 * @param pool to the origin of the API; destroyed when the channel is closed
 */
export function openSlackClient(token: string, api: URL, pool: HttpPool): Channel {
  const call = callsOver(pool, token, api);
  const inFlight = new InFlight();
  return {
    send: ({ address, message, timeoutMs }) =>
      inFlight.run(() => postMessage(call, address, message as SlackMessage, performance.now() + timeoutMs)),
    verify: () => inFlight.run(() => verify(call)),
    close: async () => {
      await inFlight.close();
      await pool.destroy();
    },
  };
}

/**
 * The client hands nothing of a single call to its `fetch` but URL, headers and a body of its own encoding. So each client
 * makes one call at a time, whose context is its own, and is used again for the next one: there are as many clients as calls
 * are made at once.
 * @returns what calls a method of the API; it throws what `slackFailureOf` reads
 */
function callsOver(pool: HttpPool, token: string, api: URL): Call {
  const idle: Call[] = [];
  return async (method, context) => {
    const call = idle.pop() ?? oneCallAtATime(pool, token, api);
    try {
      return await call(method, context);
    } finally {
      idle.push(call);
    }
  };
}

function oneCallAtATime(pool: HttpPool, token: string, api: URL): Call {
  let context: CallContext | undefined;
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: async (url, { headers = {} } = {}) => {
      if (context === undefined) throw new TypeError('a call to Slack without its context');
      const path = String(url).slice(api.origin.length);
      return responseOf(String(url), await post(pool, { path, headers, ...context }));
    },
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: silentLogger,
  });
  return (method, own) => {
    context = own;
    return client.apiCall(method);
  };
}

/** Only what the client reads. */
function responseOf(url: string, { status, headers, body }: HttpAnswer): Awaited<ReturnType<FetchFunction>> {
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url,
    headers: {
      get: (name) =>
        (name === 'retry-after' ? retryAfter(status, headers[name]) : headers[name]?.toString()) ?? null,
      entries: () => [],
    },
    // Of other JSON than an object the client would ask for its members; what is no JSON is no answer of the API either.
    text: () => Promise.resolve(/^\s*\{/.test(body) ? body : ''),
    json: () => Promise.reject(new TypeError('only text is read')),
    arrayBuffer: () => Promise.reject(new TypeError('only text is read')),
  };
}

/** The client fails without a class at a 429 that does not say how long in whole seconds, and takes a date for its day. */
function retryAfter(status: number, asked: string | string[] | undefined): string | undefined {
  if (status !== 429 && asked === undefined) return undefined;
  return String(secondsOf(askedPause(asked?.toString(), Date.now())));
}

/** What was asked for, even where less of it is obeyed: the log says so. */
function secondsOf({ ms, overlongMs = ms }: AskedPause): number {
  return Math.ceil(overlongMs / 1000);
}

/** @throws {DeliveryFailure} */
async function verify(call: Call): Promise<void> {
  try {
    await call('auth.test', { deadline: performance.now() + VERIFY_TIMEOUT_MS, body: '' });
  } catch (error) {
    throw slackFailureOf(error);
  }
}

/** Posts the message; where Slack refuses its blocks, the text alone, within the same attempt. */
async function postMessage(
  call: Call,
  address: string,
  message: SlackMessage,
  deadline: number,
): Promise<Receipt> {
  try {
    return receiptOf(address, await call('chat.postMessage', { deadline, body: bodyOf(address, message) }));
  } catch (error) {
    const failure = slackFailureOf(error);
    const { text, blocks } = message;
    if (blocks === undefined || failure.class !== 'permanent' || text.trim() === '') throw failure;
    const receipt = await postMessage(call, address, { text }, deadline);
    return { ...receipt, blocks_refused: failure.code, blocks_refused_reason: failure.message };
  }
}

function bodyOf(channel: string, { text, blocks }: SlackMessage): string {
  // A lone surrogate would keep the form from being encoded at all.
  const fields = { ...NO_PARSING, channel, text: text.toWellFormed() };
  return formOf(blocks === undefined ? fields : { ...fields, blocks: JSON.stringify(blocks) });
}

/** As `URLSearchParams` writes it, which takes a tenth of a notification's CPU more. */
function formOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
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
