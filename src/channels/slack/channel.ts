/** The Slack channel: its settings, and its addresses: a channel by name, or a conversation or user by ID. */
import { type InferType, string } from 'yup';
import { type Fault, faultSaid } from '../../text/fault.ts';
import { noAddress, type SettingWarning } from '../channel.ts';
import { type Address, chat } from '../chat/chat.ts';
import { openRemote } from '../chat/remote.ts';
import { tokenSettings } from '../chat/token-api.ts';
import { settingsOf, warningsOfApi } from '../settings.ts';
import { SLACK } from './answers.ts';
import { slackFormat } from './format.ts';
import type { SlackMessage } from './message.ts';

const DEFAULT_API_URL = 'https://slack.com/api/';

const slackSettings = settingsOf({
  ...tokenSettings({
    what: ['the bot token of the Slack app (xoxb-…)', 'Slackアプリのボットトークン（xoxb-…）'],
    pattern: /^(?!https?:)[\x21-\x7e]+$/i,
    rule: [
      'the bot token of a Slack app (xoxb-…): no URL, no spaces, no line breaks, ASCII alone',
      'Slackアプリのボットトークン（xoxb-…）を書いてください。URLではなく、空白や改行のないASCIIです',
    ],
    example: 'xoxb-not-set-here',
  }),
  username: string()
    .strict()
    .matches(/^\S(?:.{0,78}\S)?$/, () =>
      faultSaid('must be a name of at most 80 characters', '80文字以内の名前にしてください'),
    ),
  icon_emoji: string()
    .strict()
    .matches(/^:[^\s:]{1,100}:$/, () =>
      faultSaid('must be an emoji, such as :robot_face:', '絵文字を書いてください（例：:robot_face:）'),
    ),
});

export type SlackSettings = InferType<typeof slackSettings>;

/** Tokens that cannot post as the app, and placeholders that nobody has replaced yet. */
// prettier-ignore
const DOUBTS: readonly (readonly [RegExp, Fault])[] = [
  [/^xapp-/, faultSaid('this is an app-level token, which cannot post: put the Bot User OAuth Token (xoxb-…) here', 'アプリレベルトークンでは投稿できません。Bot User OAuth Token（xoxb-…）を書いてください')],
  [/^xoxp-/, faultSaid('this is a user token, which posts as that person: put the Bot User OAuth Token (xoxb-…) here', 'ユーザートークンでは、その人の名前で投稿されます。Bot User OAuth Token（xoxb-…）を書いてください')],
  [/^xoxe\./, faultSaid('this token ends after twelve hours: switch off token rotation in the app, install it anew, and put its Bot User OAuth Token (xoxb-…) here', '12時間で無効になるトークンです。アプリのトークンローテーションを無効にしてインストールし直し、Bot User OAuth Token（xoxb-…）を書いてください')],
  [/^(?!xoxb-|xapp-|xoxp-|xoxe\.)/, faultSaid('no token of a Slack app begins so: put its Bot User OAuth Token (xoxb-…) here', 'Slackアプリのトークンではありません。Bot User OAuth Token（xoxb-…）を書いてください')],
  [/^xoxb-your-/i, faultSaid('this is the placeholder: put the Bot User OAuth Token of your app (xoxb-…) here', '記入例のままです。自分のアプリのBot User OAuth Token（xoxb-…）を書いてください')],
];

function warningsOf({ token, api_url }: SlackSettings): readonly SettingWarning[] {
  const doubts = DOUBTS.filter(([kind]) => kind.test(token));
  return [...doubts.map(([, fault]) => ({ key: 'token', fault })), ...warningsOfApi({ api_url })];
}

const address: Address<SlackMessage, SlackSettings> = {
  settings: slackSettings,
  parseAddress: parseSlackAddress,
  secretsOf: ({ token }) => [token],
  warningsOf,
  open: async (_chat, settings, { openPool }) => {
    const api = new URL(settings.api_url ?? DEFAULT_API_URL);
    const { openSlackClient } = await import('./client.ts');
    return openSlackClient(settings, api, openRemote(SLACK.title, openPool));
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

/** Letters and digits of any script, hyphens and underscores; Slack refuses spaces, quotes, periods and other punctuation. */
const NAME = new RegExp(
  `^(?:[a-z0-9_-]|[^\\p{ASCII}\\p{White_Space}\\p{C}\\p{Pi}\\p{Pf}]){1,${LONGEST_NAME}}$`,
  'u',
);

/** `#name` in lower case, or the ID unchanged. @throws {AddressError} */
function parseSlackAddress(text: string): string {
  const address = text.trim().normalize('NFC');
  if (ID.test(address)) return address;
  // Japanese input methods type the full-width sign.
  const name = address.replace(/^[#＃]/u, '');
  if (ID.test(name) || !NAME.test(name.toLowerCase()))
    throw noAddress(
      text,
      `is no Slack address: write a channel as "#name" (${LONGEST_NAME} characters at most, no spaces or punctuation) or by its ID (C…) without the "#", a person by a user ID (U…)`,
      `はSlackの宛先ではありません。チャンネルは「#名前」（${LONGEST_NAME}文字まで、空白や句読点なし）か、# なしのID（C…）で、人はユーザーID（U…）で書いてください`,
    );
  return `#${name.toLowerCase()}`;
}
