/** LINE WORKS by the Incoming Webhook app, with one URL per room, or by a bot of Bot API 2.0. */
import { object } from 'yup';
import type { ChannelType } from '../channel.ts';
import { chat } from '../chat/chat.ts';
import { hooksOf, type HookSettings } from '../chat/hooks.ts';
import { lineworksBot } from './bot.ts';
import { lineworksHooks } from './hook.ts';
import { BOT_FIELDS, type BotSettings } from './token.ts';

const BOT_KEYS = ['client_id', 'client_secret', 'service_account', 'private_key', 'bot_id'] as const;

const settings = object({ hooks: hooksOf().optional(), ...BOT_FIELDS })
  .noUnknown()
  .strict()
  .test('way', `needs either hooks, or ${BOT_KEYS.join(', ')}: make two channels of both`, (value) => {
    const isThere = (key: (typeof BOT_KEYS)[number]) => value[key] !== undefined;
    return value.hooks === undefined ? BOT_KEYS.every(isThere) : !BOT_KEYS.some(isThere);
  });

type LineworksSettings = BotSettings & Partial<HookSettings>;

const byBot: ChannelType<LineworksSettings> = chat(lineworksBot);
const byHooks = chat(lineworksHooks) as ChannelType<LineworksSettings>;

function wayOf(known?: LineworksSettings): ChannelType<LineworksSettings> {
  return known?.hooks === undefined ? byBot : byHooks;
}

export const lineworksChannel: ChannelType<LineworksSettings> = {
  ...byBot,
  settings,
  formatOf: (known) => wayOf(known).formatOf(known),
  parseAddress: (address, known) => wayOf(known).parseAddress(address, known),
  secretsOf: (known) => wayOf(known).secretsOf(known),
  warningsOf: (known) => wayOf(known).warningsOf(known),
  open: (known, environment) => wayOf(known).open(known, environment),
};
