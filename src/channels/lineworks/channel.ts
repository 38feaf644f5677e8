/** LINE WORKS by the Incoming Webhook app, with one URL per room, or by a bot of Bot API 2.0. */
import { object, type Schema, string } from 'yup';
import { apiUrl, warningsOfApi } from '../api-url.ts';
import { AddressError, type ChannelType } from '../channel.ts';
import { type HookSettings, hookChannel, hooksOf } from '../hooks/hook-channel.ts';
import { botFormat, lineworksMentions } from './compose.ts';
import { openBot } from './bot.ts';
import { lineworksHooks } from './hook.ts';
import { type BotSettings, isPrivateKey } from './token.ts';

/** The placeholder for secrets that are not set when a config is checked. */
const NOT_SET = 'not-set-here';

const text = (what: string, example = NOT_SET) => {
  const rule = `\${path} must be ${what}`;
  return string().strict().typeError(rule).min(1, rule).meta({ example });
};

/** The settings that a bot needs, all of them. */
const BOT_KEYS = ['client_id', 'client_secret', 'service_account', 'private_key', 'bot_id'] as const;

const settings = object({
  hooks: hooksOf().optional(),
  client_id: text('the client ID of the app'),
  client_secret: text('the client secret of the app'),
  service_account: text('the service account of the app'),
  private_key: text('the private key of the service account').test(
    'key',
    '${path} must be the private key of the service account in PEM, with its first and last line',
    (key) => !key || key === NOT_SET || isPrivateKey(key),
  ),
  bot_id: text('the number of the bot, in quotes', '1').matches(
    /^\d*$/,
    '${path} must be the number of the bot',
  ),
  auth_url: apiUrl(),
  api_url: apiUrl(),
})
  .noUnknown()
  .strict()
  .test('way', `needs either hooks, or ${BOT_KEYS.join(', ')}: make two channels of both`, (value) => {
    const isThere = (key: (typeof BOT_KEYS)[number]) => value[key] !== undefined;
    return value.hooks === undefined ? BOT_KEYS.every(isThere) : !BOT_KEYS.some(isThere);
  });

type LineworksSettings = BotSettings & Partial<HookSettings>;

const hookType = hookChannel(lineworksHooks);

/** A talk room's ID, or a member's by `user:` and the ID that the member signs in with. */
const CHANNEL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const USER = /^user:[^\s/]{1,100}$/;

function botAddress(address: string): string {
  if (CHANNEL.test(address)) return address.toLowerCase();
  if (USER.test(address)) return address;
  throw new AddressError(
    `${JSON.stringify(address.slice(0, 80))} is neither the ID of a channel (8-4-4-4-12 digits) nor user: and a member's ID`,
  );
}

export const lineworksChannel: ChannelType<LineworksSettings> = {
  type: 'lineworks',
  /** Per tenant, 240 a minute on paid plans and 60 on free ones, half of that in the long run; five at once. */
  pace: { addressMs: 1000, channelMs: 1000 },
  settings,
  optionsOf: (known): Readonly<Record<string, Schema>> =>
    known?.hooks === undefined ? { mention_on_error: lineworksMentions } : {},
  formatOf: (known) => (known?.hooks === undefined ? botFormat : lineworksHooks.format),
  parseAddress: (address, known) =>
    known?.hooks === undefined
      ? botAddress(address.trim())
      : hookType.parseAddress(address, { hooks: known.hooks }),
  secretsOf: ({ hooks, client_secret: secret, private_key: key }) => [
    ...(hooks === undefined ? [] : hookType.secretsOf({ hooks })),
    ...(secret === undefined ? [] : [secret]),
    ...(key === undefined ? [] : [key, ...key.split(/\n|\\n/).filter((line) => line.length > 30)]),
  ],
  warningsOf: ({ hooks, auth_url, api_url }) =>
    hooks === undefined ? warningsOfApi({ auth_url, api_url }) : hookType.warningsOf({ hooks }),
  open: (known, environment) =>
    known.hooks === undefined
      ? Promise.resolve(openBot(known, environment.openPool))
      : hookType.open({ hooks: known.hooks }, environment),
};
