/** The Slack channel: one token, chat.postMessage over one connection pool. */
import { WebClient } from '@slack/web-api';
import type { Logger } from '@slack/web-api';
import { object, string } from 'yup';
import type { InferType } from 'yup';
import type { Channel, ChannelType, Receipt, SettingWarning } from './channel.ts';
import { InFlight } from './in-flight.ts';
import { parseSlackAddress } from './slack-address.ts';
import { essentialsOf } from './slack-answer.ts';
import { slackFailureOf } from './slack-errors.ts';
import { slackFormat } from './slack-format.ts';
import { mentionSchema } from './slack-mentions.ts';
import type { SlackMessage } from './slack-message.ts';
import { type Dispatches, encodeFields, type Luggage, UndiciFetch } from './undici-fetch.ts';

const DEFAULT_API_URL = 'https://slack.com/api/';

const VERIFY_TIMEOUT_MS = 5_000;

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
  const { openSlackPool } = await import('./slack-pool.ts');
  const pool = openSlackPool(api);
  const slack = new SlackApi(settings.token, api, pool);
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
    const fields = fieldsOf(address, message);
    return receiptOf(address, await slack.call('chat.postMessage', { deadline, fields }));
  } catch (error) {
    const failure = slackFailureOf(error);
    const { text, blocks } = message;
    if (blocks === undefined || failure.class !== 'permanent' || text.trim() === '') throw failure;
    return { ...(await post(slack, address, { text }, deadline)), blocks_refused: failure.code };
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
