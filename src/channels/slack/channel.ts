/** The Slack channel: its settings, and its addresses: a channel by name, or a conversation or user by ID. */
import { type InferType, object, string } from 'yup';
import { shortLine } from '../../text/cut.ts';
import { apiUrl, warningsOfApi } from '../api-url.ts';
import { AddressError, type ChannelType } from '../channel.ts';
import { slackFormat } from './format.ts';
import { slackMentions } from './mentions.ts';

const DEFAULT_API_URL = 'https://slack.com/api/';

const slackSettings = object({
  token: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the bot token of the Slack app (xoxb-…)')
    .matches(
      /^(?!https?:)[\x21-\x7e]+$/i,
      '${path} must be the bot token of a Slack app (xoxb-…): no URL, no spaces, no line breaks, ASCII alone',
    )
    .meta({ example: 'xoxb-not-set-here' }),
  api_url: apiUrl(),
})
  .noUnknown()
  .strict();

type SlackSettings = InferType<typeof slackSettings>;

export const slackChannel: ChannelType<SlackSettings> = {
  type: 'slack',
  /**
   * "1 per second per channel … several hundred messages per minute per workspace" for chat.postMessage
   * (docs.slack.dev/apis/web-api/rate-limits).
   */
  pace: { addressMs: 1000, channelMs: 200 },
  perJob: ['thread', 'update'],
  settings: slackSettings,
  optionsOf: () => ({ mention_on_error: slackMentions }),
  formatOf: () => slackFormat,
  parseAddress: parseSlackAddress,
  secretsOf: ({ token }) => [token],
  warningsOf: ({ api_url }) => warningsOfApi({ api_url }),
  open: async ({ token, api_url = DEFAULT_API_URL }, { openPool }) => {
    const api = new URL(api_url);
    const { openSlackClient } = await import('./client.ts');
    return openSlackClient(token, api, await openPool(api.origin));
  },
};

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
