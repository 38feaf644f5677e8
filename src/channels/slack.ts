/** The Slack channel: one token, chat.postMessage over one connection pool. */
import { WebClient } from '@slack/web-api';
import type { Logger, WebAPICallResult } from '@slack/web-api';
import type { Pool } from 'undici';
import { object, string } from 'yup';
import type { InferType } from 'yup';
import type { Channel, ChannelType, Outgoing, Receipt, SettingWarning } from './channel.ts';
import { InFlight } from './in-flight.ts';
import { parseSlackAddress } from './slack-address.ts';
import { slackFailureOf } from './slack-errors.ts';
import { slackFormat } from './slack-format.ts';
import { mentionSchema } from './slack-mentions.ts';
import type { SlackMessage } from './slack-message.ts';
import { encodeFields, type Luggage, UndiciFetch } from './undici-fetch.ts';

const DEFAULT_API_URL = 'https://slack.com/api/';

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

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const slackSettings = object({
  token: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the bot token of the Slack app (xoxb-…)')
    .matches(/^[\x21-\x7e]+$/, '${path} must be a Slack token: no spaces, no line breaks, ASCII alone'),
  api_url: string()
    .typeError('${path} must be a string')
    .test('url', '${path} must be an http:// or https:// URL without user, query or fragment', isApiUrl),
})
  .noUnknown()
  .strict();

export type SlackSettings = InferType<typeof slackSettings>;

export const slackChannel: ChannelType<SlackSettings> = {
  type: 'slack',
  settings: slackSettings,
  options: { mention_on_error: mentionSchema() },
  formatOf: () => slackFormat,
  parseAddress: parseSlackAddress,
  secretsOf: ({ token }) => [token],
  warningsOf: warningsOf,
  open: openSlack,
};

function isApiUrl(text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

function warningsOf({ token, api_url = DEFAULT_API_URL }: SlackSettings): SettingWarning[] {
  const warnings: SettingWarning[] = [];
  const { protocol, hostname } = new URL(api_url);
  if (protocol === 'http:' && !LOOPBACK_HOST.test(hostname)) {
    warnings.push({ key: 'api_url', message: 'the token crosses the network in clear: use https://' });
  }
  if (/^xapp-|^https?:/.test(token)) {
    warnings.push({
      key: 'token',
      message: 'this is no bot token: messages need one that begins with xoxb-',
    });
  }
  return warnings;
}

async function openSlack(settings: SlackSettings): Promise<Channel> {
  const api = new URL(settings.api_url ?? DEFAULT_API_URL);
  const pool = await poolFor(api);
  const slack = new SlackApi(settings.token, api, pool);
  const inFlight = new InFlight();
  return {
    send: (outgoing) => inFlight.run(() => post(slack, outgoing)),
    verify: () =>
      inFlight.run(async () => {
        const deadline = performance.now() + VERIFY_TIMEOUT_MS;
        await slack.call('auth.test', { deadline, fields: '' });
      }),
    close: async () => {
      await inFlight.close();
      await pool.destroy();
    },
  };
}

/** No time limits of its own: each call bears its deadline. */
async function poolFor(api: URL): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(api.origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
}

/** The client, and what takes its calls to Slack. */
class SlackApi {
  readonly #transport: UndiciFetch;
  readonly #client: WebClient;

  constructor(token: string, api: URL, pool: Pool) {
    this.#transport = new UndiciFetch(pool, api.origin);
    this.#client = new WebClient(token, {
      slackApiUrl: api.href,
      fetch: this.#transport.fetch,
      // The pool is the queue: there a call's deadline runs on while it waits, in the client's own queue it would not.
      maxRequestConcurrency: Infinity,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: silentLogger,
    });
  }

  /** @throws {DeliveryFailure} */
  async call(method: string, luggage: Luggage): Promise<WebAPICallResult> {
    try {
      return await this.#client.apiCall(this.#transport.checkIn(method, luggage));
    } catch (error) {
      throw slackFailureOf(error);
    }
  }
}

/** Posts the message; where Slack refuses its blocks, the text alone, within the same attempt. */
async function post(slack: SlackApi, { address, timeoutMs, message }: Outgoing): Promise<Receipt> {
  const deadline = performance.now() + timeoutMs;
  const { text, blocks } = message as SlackMessage;
  // A lone surrogate would keep the form from being encoded at all.
  const plain = `${NO_PARSING}&${encodeFields({ channel: address, text: text.toWellFormed() })}`;
  const say = async (fields: string) =>
    receiptOf(address, await slack.call('chat.postMessage', { deadline, fields }));
  if (blocks === undefined) return say(plain);
  try {
    return await say(`${plain}&${encodeFields({ blocks: JSON.stringify(blocks) })}`);
  } catch (error) {
    const failure = slackFailureOf(error);
    if (failure.class !== 'permanent' || text.trim() === '') throw failure;
    return { ...(await say(plain)), blocks_refused: failure.code };
  }
}

function receiptOf(address: string, answer: WebAPICallResult): Receipt {
  const channel: unknown = Reflect.get(answer, 'channel');
  const ts: unknown = Reflect.get(answer, 'ts');
  return {
    channel: typeof channel === 'string' ? channel : address,
    ...(typeof ts === 'string' ? { ts } : {}),
  };
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
