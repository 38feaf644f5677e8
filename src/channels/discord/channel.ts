/** Discord by the URL of a webhook: one embed, and mentions only of whom the destination calls. */
import { CLOSED, GONE, jsonOf, meaning, type Meanings, TRY_LATER } from '../answers.ts';
import { type HookChat, hookChannel, jsonCall, URL_ALONE } from '../hooks/hook-channel.ts';
import { discordFormat, discordMentions, type DiscordMessage, plainDiscord } from './compose.ts';

/** "10,000 invalid requests in 10 minutes" ban an address (discord.com/developers, "Rate limits"): what is gone is tried hourly. */
const HOUR_MS = 3_600_000;

const HOURLY = { retryAfterMs: HOUR_MS };
const REMOVED = { ...GONE, ...HOURLY };
const DENIED = { ...CLOSED, ...HOURLY };
const NEEDS_THREAD = meaning(
  'config',
  'the channel is a forum, whose messages need a thread; write the address as name/THREAD_ID',
  'フォーラムチャンネルにはスレッドの指定が必要です。宛先を「名前/スレッドID」の形で書いてください',
  HOURLY,
);
/** discord.com/developers/docs/topics/opcodes-and-status-codes, "JSON error codes". */
const MEANINGS: Meanings = {
  10015: REMOVED,
  50027: REMOVED,
  404: REMOVED,
  401: REMOVED,
  50013: DENIED,
  403: DENIED,
  220001: NEEDS_THREAD,
  130000: TRY_LATER,
  40333: TRY_LATER,
  20028: meaning(
    'rate_limited',
    'the channel takes no more messages for now',
    'チャンネルのレート制限を受けました',
  ),
};

const HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;

const discord: HookChat<DiscordMessage> = {
  type: 'discord',
  title: { en: 'Discord', ja: 'Discord' },
  /** Five in two seconds were seen; Discord asks for no fixed numbers, so that 429 decides. */
  paceMs: 500,
  format: discordFormat,
  options: { mention_on_error: discordMentions },
  hook: URL_ALONE,
  suffix: /^\d{5,25}$/,
  meanings: MEANINGS,
  limits: 'address',
  codeOf: (answer) => {
    const { code } = jsonOf(answer);
    return typeof code === 'number' && code > 0 ? String(code) : undefined;
  },
  waitOf: (answer) => jsonOf(answer)['retry_after'],
  warningOf: ({ hostname, pathname }) =>
    HOST.test(hostname) && !/^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+$/.test(pathname)
      ? 'this is not the URL of a webhook: https://discord.com/api/webhooks/…/…'
      : undefined,
  callOf: (url, { address, message }) => jsonCall(waitingAt(url, address.split('/')[1]), message),
  receiptOf: ({ status, ...answer }) => {
    const { id } = jsonOf(answer);
    return status === 200 && typeof id === 'string' ? { message_id: id } : undefined;
  },
  plainOf: plainDiscord,
  checkOf: (url) => ({ method: 'GET', url }),
};

/** Without `wait`, Discord answers before it has stored the message. */
function waitingAt(hook: URL, thread: string | undefined): URL {
  const url = new URL(hook);
  url.searchParams.set('wait', 'true');
  if (thread !== undefined) url.searchParams.set('thread_id', thread);
  return url;
}

export const discordChannel = hookChannel(discord);
