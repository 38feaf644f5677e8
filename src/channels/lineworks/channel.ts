/** LINE WORKS by the Incoming Webhook app, with one URL per room, or by a bot of Bot API 2.0. */
import { cutEnd } from '../../text/cut.ts';
import { faultSaid } from '../../text/fault.ts';
import { GONE } from '../answers.ts';
import type { ChannelType } from '../channel.ts';
import { chat, type Chat } from '../chat/chat.ts';
import { type Drawn, drawnFormat } from '../chat/draw.ts';
import { hooks, type HookSettings, hooksOf } from '../chat/hooks.ts';
import { markedUp } from '../lines.ts';
import { rule, settingsOf } from '../settings.ts';
import { BOT_FIELDS, type BotSettings, lineworksBot, MARKUP, TENANT, withoutMentions } from './bot.ts';

interface LineworksHookMessage {
  readonly title: string;
  readonly body: { readonly text: string };
  readonly button?: { readonly label: string; readonly url: string };
}

/** Only users of the app can see its limits, so these are far below the limits of a bot's messages. */
const MAX = { title: 100, text: 1000, label: 20, url: 2000 } as const;

const cut = (words: string, most: number) => cutEnd(withoutMentions(words), most, '…');

function messageOf({ title, link }: Pick<Drawn, 'title' | 'link'>, text: string): LineworksHookMessage {
  const button = link !== undefined &&
    link.url.length <= MAX.url && { label: cut(link.text, MAX.label) || '…', url: link.url };
  return { title: cut(title, MAX.title), body: { text: text || '–' }, ...(button && { button }) };
}

/** Matches the body of a 400 for a URL that was never issued, or was revoked. */
const INVALID_URL =
  /(?:webhook|url)\b.{0,40}\b(?:invalid|not (?:found|exist|valid))|invalid.{0,40}\b(?:webhook|url)/is;

export const lineworksHooks: Chat<LineworksHookMessage, HookSettings> = {
  ...TENANT,
  calls: 5,
  format: drawnFormat<LineworksHookMessage>({
    name: 'lineworks_hook',
    markup: MARKUP,
    parts: ['text', 'message', 'outputs', 'facts'],
    titleOf: (title) => cut(title, MAX.title),
    limit: { most: MAX.text, of: ({ body }) => body.text.length },
    message: (drawn) => messageOf(drawn, drawn.text()),
    plain: ({ title, lines }) => messageOf({ title, link: undefined }, markedUp(lines.slice(1), MARKUP)),
  }),
  address: hooks<LineworksHookMessage>({
    whole: {
      is: ({ pathname }) => /^\/message\/[\w-]{8,}$/.test(pathname),
      like: 'webhook.worksmobile.com/message/…',
      host: /\.worksmobile\.com$/,
    },
  }),
  kindOf: ({ status, body }) => (status === 400 && INVALID_URL.test(body) ? 'invalid_url' : undefined),
  meanings: { invalid_url: GONE },
  receiptOf: ({ status }) => (status === 200 || status === 201 ? { answered: String(status) } : undefined),
};

const BOT_KEYS = ['client_id', 'client_secret', 'service_account', 'private_key', 'bot_id'] as const;

const NO_WAY = faultSaid(
  `needs either hooks, or ${BOT_KEYS.join(', ')}: make two channels of both`,
  `hooks か、${BOT_KEYS.join('、')} のどちらかを書いてください。両方使うには、チャネルを2つに分けます`,
);

const settings = settingsOf({ hooks: hooksOf().optional(), ...BOT_FIELDS }).test(
  rule(NO_WAY, (value: LineworksSettings) => {
    const isThere = (key: (typeof BOT_KEYS)[number]) => value[key] !== undefined;
    return value.hooks === undefined ? BOT_KEYS.every(isThere) : !BOT_KEYS.some(isThere);
  }),
);

type LineworksSettings = BotSettings & Partial<HookSettings>;

const byBot: ChannelType<LineworksSettings> = chat(lineworksBot);
const byHooks = chat(lineworksHooks) as ChannelType<LineworksSettings>;

function wayOf(known?: LineworksSettings): ChannelType<LineworksSettings> {
  return known?.hooks === undefined ? byBot : byHooks;
}

export const lineworksChannel: ChannelType<LineworksSettings> = {
  ...byBot,
  settings,
  needsSettings: true,
  formatOf: (known) => wayOf(known).formatOf(known),
  parseAddress: (address, known) => wayOf(known).parseAddress(address, known),
  secretsOf: (known) => wayOf(known).secretsOf(known),
  warningsOf: (known) => wayOf(known).warningsOf(known),
  open: (known, environment) => wayOf(known).open(known, environment),
};
