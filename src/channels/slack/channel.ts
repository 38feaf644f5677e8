/** The Slack channel: its settings, and its addresses: a channel by name, or a conversation or user by ID. */
import { type InferType, object, string } from 'yup';
import { shortLine } from '../../text/cut.ts';
import { warningsOfApi } from '../api-url.ts';
import { AddressError, type SettingWarning } from '../channel.ts';
import { type Address, chat } from '../chat/chat.ts';
import { tokenSettings } from '../chat/token-api.ts';
import { SLACK } from './answers.ts';
import { slackFormat } from './format.ts';
import type { SlackMessage } from './message.ts';

const DEFAULT_API_URL = 'https://slack.com/api/';

const text = () => string().strict().typeError('${path} must be a string');

const slackSettings = object({
  ...tokenSettings({
    what: 'the bot token of the Slack app (xoxb-…)',
    pattern: /^(?!https?:)[\x21-\x7e]+$/i,
    rule: 'the bot token of a Slack app (xoxb-…): no URL, no spaces, no line breaks, ASCII alone',
    example: 'xoxb-not-set-here',
  }),
  username: text().matches(/^\S(?:.{0,78}\S)?$/, '${path} must be a name of at most 80 characters'),
  icon_emoji: text().matches(/^:[\w+'-]{1,100}:$/, '${path} must be an emoji, such as :robot_face:'),
})
  .noUnknown()
  .strict();

type SlackSettings = InferType<typeof slackSettings>;

/** Tokens that cannot post as the app, or that nobody has put in yet. */
const DOUBTS: readonly (readonly [RegExp, string])[] = [
  [/^xapp-/, 'this is an app-level token, which cannot post: put the Bot User OAuth Token (xoxb-…) here'],
  [/^xoxp-/, 'this is a user token, which posts as that person: put the Bot User OAuth Token (xoxb-…) here'],
  [
    /^xoxe\./,
    'this token ends after twelve hours: switch off token rotation in the app, install it anew, and put its Bot User OAuth Token (xoxb-…) here',
  ],
  [/^xoxb-your-/, 'this is the placeholder: put the Bot User OAuth Token of your app (xoxb-…) here'],
];

function warningsOf({ token, api_url }: SlackSettings): readonly SettingWarning[] {
  const doubts = DOUBTS.filter(([kind]) => kind.test(token));
  return [...doubts.map(([, message]) => ({ key: 'token', message })), ...warningsOfApi({ api_url })];
}

const address: Address<SlackMessage, SlackSettings> = {
  settings: slackSettings,
  parseAddress: parseSlackAddress,
  secretsOf: ({ token }) => [token],
  warningsOf,
  open: async (_chat, settings, { openPool }) => {
    const api = new URL(settings.api_url ?? DEFAULT_API_URL);
    const { openSlackClient } = await import('./client.ts');
    return openSlackClient(settings, api, await openPool(api.origin));
  },
};

export const slackChannel = chat({
  ...SLACK,
  type: 'slack',
  /** "1 per second per channel", several hundred a minute per workspace (docs.slack.dev/apis/web-api/rate-limits). */
  pace: { addressMs: 1000, channelMs: 200 },
  calls: 50,
  perJob: ['thread', 'update'],
  format: slackFormat,
  address,
});

/** Slack: conversations.create, "name". */
const LONGEST_NAME = 80;

/** Every ID has a digit; a text without one is a name in capitals. */
const ID = /^[CDGUW](?=[A-Z]*\d)[A-Z0-9]{5,}$/;

/** Letters and digits of any script, hyphens and underscores; Slack refuses spaces, periods and other punctuation. */
const NAME = new RegExp(`^(?:[a-z0-9_-]|[^\\p{ASCII}\\p{White_Space}\\p{C}]){1,${LONGEST_NAME}}$`, 'u');

const ACCEPTED = `write a channel as "#name" (${LONGEST_NAME} characters at most, no spaces or punctuation) or by its ID (C…) without the "#", a person by a user ID (U…)`;

/** `#name` in lower case, or the ID unchanged. @throws {AddressError} */
export function parseSlackAddress(text: string): string {
  const address = text.trim().normalize('NFC');
  if (ID.test(address)) return address;
  // Japanese input methods type the full-width sign.
  const name = address.replace(/^[#＃]/u, '');
  if (ID.test(name) || !NAME.test(name.toLowerCase()))
    throw new AddressError(
      `${JSON.stringify(shortLine(text, LONGEST_NAME))} is no Slack address: ${ACCEPTED}`,
    );
  return `#${name.toLowerCase()}`;
}
