/** Discord by the URL of a webhook: one embed, and only the destination's own mentions. */
import { CLOSED, GONE, HOURLY, jsonOf, meaning, TRY_LATER } from '../answers.ts';
import { hookChannel, jsonCall } from '../hooks/hook-channel.ts';
import { discordFormat, discordMentions, type DiscordMessage, plainDiscord } from './compose.ts';

/** "10,000 invalid requests in 10 minutes" ban an IP address (discord.com/developers, "Rate limits"): retry gone hooks hourly. */
const REMOVED = { ...GONE, ...HOURLY };
const DENIED = { ...CLOSED, ...HOURLY };
const NEEDS_THREAD = meaning(
  'config',
  'the channel is a forum, whose messages need a thread; write the address as name/THREAD_ID',
  'フォーラムチャンネルにはスレッドの指定が必要です。宛先を「名前/スレッドID」の形で書いてください',
  HOURLY,
);
const NO_THREAD = meaning(
  'config',
  'there is no such thread; check the ID behind the name of the hook',
  'スレッドが見つかりません。宛先の「名前/スレッドID」のIDを確認してください',
  HOURLY,
);
const HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;

export const discordChannel = hookChannel<DiscordMessage>({
  type: 'discord',
  title: { en: 'Discord', ja: 'Discord' },
  /** A limit of five in two seconds was seen; Discord says not to rely on fixed numbers, so 429 decides. */
  paceMs: 500,
  format: discordFormat,
  options: { mention_on_error: discordMentions },
  suffix: /^\d{5,25}$/,
  /** discord.com/developers/docs/topics/opcodes-and-status-codes, "JSON error codes": codes that say more than the status. */
  meanings: {
    404: REMOVED,
    401: REMOVED,
    403: DENIED,
    10003: NO_THREAD,
    220001: NEEDS_THREAD,
    130000: TRY_LATER,
    40333: TRY_LATER,
  },
  codeOf: (answer) => {
    const { code } = jsonOf(answer);
    return typeof code === 'number' && code > 0 ? String(code) : undefined;
  },
  waitOf: (answer) => jsonOf(answer)['retry_after'],
  warningOf: ({ hostname, pathname }) =>
    HOST.test(hostname) && !/^\/api\/(?:v\d+\/)?webhooks\/\d{17,20}\/[\w-]{60,}$/.test(pathname)
      ? 'this is not the whole URL of a webhook, in which a number and a key follow "webhooks"'
      : undefined,
  callOf: (url, { address, message }) => jsonCall(waitingAt(url, address.split('/')[1]), message),
  receiptOf: ({ status, ...answer }) => {
    const { id } = jsonOf(answer);
    return status === 200 && typeof id === 'string' ? { message_id: id } : undefined;
  },
  plainOf: plainDiscord,
  isAsked: true,
});

/** Without `wait`, Discord answers before it has stored the message. */
function waitingAt(hook: URL, thread: string | undefined): URL {
  const url = new URL(hook);
  url.searchParams.set('wait', 'true');
  if (thread !== undefined) url.searchParams.set('thread_id', thread);
  return url;
}
