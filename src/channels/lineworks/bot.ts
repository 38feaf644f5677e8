/** A bot of LINE WORKS: text messages, by a token of its service account (developers.worksmobile.com/jp/docs/auth-jwt). */
import { createPrivateKey, createSign } from 'node:crypto';
import type { InferType } from 'yup';
import { KeptToken } from '../../outbound/token.ts';
import { faultSaid } from '../../text/fault.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, means } from '../answers.ts';
import { noAddress } from '../channel.ts';
import { type Address, type Call, type Chat, receiptFrom } from '../chat/chat.ts';
import { drawnFormat } from '../chat/draw.ts';
import { formCall, jsonCall, openRemote, type Remote, VERIFY_TIMEOUT_MS } from '../chat/remote.ts';
import { unmarked } from '../lines.ts';
import { loginPauseMs, notLetIn } from '../login-pause.ts';
import { mentionsOf } from '../mention-option.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { baseUrl, NOT_SET, originUrl, rule, settingsOf, textSetting, warningsOfApi } from '../settings.ts';
import { CARD_PARTS } from '../show-card.ts';

const TITLE = { en: 'LINE WORKS', ja: 'LINE WORKS' };

export interface LineworksMessage {
  readonly content: { readonly type: 'text'; readonly text: string };
}

/** developers.worksmobile.com/jp/docs/bot-send-text: "text", String, up to 2,000 characters. */
const MAX_CHARACTERS = 2000;

export const MARKUP = unmarked(withoutMentions);

/** `<m userId="…">` is a mention anywhere, also over two lines, and refused if the user is outside the room. */
export function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*(?:\/\s*)?(?:m|$))/gi, '＜');
}

/** At most ten, since each has an ID of up to a hundred characters. */
const MENTIONS = mentionsOf(
  ['the ID of a member or all', 'all か、メンバーのID'],
  /^[^\s"<>]{1,100}$/,
  (id) => `<m userId="${id}">`,
  10,
);

function messageOf(text: string): LineworksMessage {
  return { content: { type: 'text', text } };
}

/** A talk room's ID, or a member's by `user:` and the ID that the member signs in with. */
const CHANNEL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const USER = /^user:[^\s/]{1,100}$/;

function botAddress(text: string): string {
  const address = text.trim();
  if (CHANNEL.test(address)) return address.toLowerCase();
  if (USER.test(address)) return address;
  throw noAddress(
    text,
    "is neither the ID of a channel (8-4-4-4-12 digits) nor user: and a member's ID",
    'は、トークルームのID（8-4-4-4-12桁）でも「user:メンバーのID」でもありません',
  );
}

const text = (...said: Parameters<typeof textSetting>) => textSetting(...said).optional();

const NO_KEY = faultSaid(
  'must be the private key of the service account in PEM, with its first and last line',
  'Service Accountの秘密鍵（PEM形式）を、最初と最後の行も含めて書いてください',
);

/** If the channel is a bot, all of these are set; only the URLs are optional. */
export const BOT_FIELDS = {
  client_id: text('the client ID of the app', 'アプリのClient ID'),
  client_secret: text('the client secret of the app', 'アプリのClient Secret'),
  service_account: text('the service account of the app', 'アプリのService Account'),
  private_key: text('the private key of the service account', 'Service Accountの秘密鍵').test(
    rule(NO_KEY, (key) => !key || key === NOT_SET || isPrivateKey(key)),
  ),
  bot_id: text('the number of the bot, in quotes', 'Botの番号（引用符で囲みます）', '1').matches(
    /^\d*$/,
    () => faultSaid('must be the number of the bot', 'Botの番号を書いてください'),
  ),
  auth_url: originUrl(),
  api_url: originUrl(),
};

const botSettings = settingsOf(BOT_FIELDS);

export type BotSettings = InferType<typeof botSettings>;

const LIFETIME_SECONDS = 1800;

const TOKEN_SERVER = { en: 'The token server of LINE WORKS', ja: 'LINE WORKSのトークンサーバー' };

const answersAfter = (refusals: number): Answers => ({
  title: TOKEN_SERVER,
  limits: 'channel',
  concerns: 'channel',
  hasNoMessage: true,
  codeOf: (answer) => codeAt(jsonOf(answer), 'error'),
  meanings: {
    '4xx': notLetIn(
      means.config(
        'the login refuses the app; check its scope "bot", client_id, client_secret, service_account and private_key',
        '認証に失敗しました。スコープ「bot」、client_id、client_secret、service_account、private_key を確認してください',
      ),
      loginPauseMs(refusals),
    ),
    200: means.config(
      'its answer has no access_token; check auth_url',
      '応答に access_token がありません。auth_url を確認してください',
    ),
  },
});

/** Keys from environment variables often have a literal `\n` for each line end. */
function pemOf(key: string): string {
  return key.replaceAll('\\n', '\n');
}

function isPrivateKey(key: string): boolean {
  try {
    return createPrivateKey(pemOf(key)).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function accessToken(remote: Remote, settings: BotSettings): KeptToken {
  const { auth_url = 'https://auth.worksmobile.com', client_id = '', client_secret = '' } = settings;
  const url = new URL('oauth2/v2.0/token', baseUrl(auth_url));
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const form = () => ({
    grant_type,
    assertion: assertionOf(settings),
    client_id,
    client_secret,
    scope: 'bot',
  });
  return new KeptToken({
    ask: (deadline) => remote.call(formCall(url, form()), deadline),
    failureOf: (error) => networkFailureOf(TOKEN_SERVER, networkErrorOf(error)),
    refusalOf: (answer, refusals) => failureOfAnswer(answer, answersAfter(refusals)),
  });
}

function assertionOf({ client_id, service_account, private_key = '' }: BotSettings): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: client_id, sub: service_account, iat: now, exp: now + LIFETIME_SECONDS };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createSign('RSA-SHA256').update(signed).sign(pemOf(private_key), 'base64url');
  return `${signed}.${signature}`;
}

const LOGIN: Address<LineworksMessage, BotSettings> = {
  settings: botSettings,
  parseAddress: botAddress,
  secretsOf: ({ client_secret: secret = '', private_key: key = '' }) => [
    ...[secret, key].filter((each) => each !== ''),
    ...key.split(/\n|\\n/).filter((line) => line.length > 30),
  ],
  warningsOf: ({ auth_url, api_url }) => warningsOfApi({ auth_url, api_url }),
  open: (chat, settings, { openPool }) => {
    const { bot_id: bot = '', api_url: api = 'https://www.worksapis.com' } = settings;
    const remote = openRemote(chat.title, openPool);
    const token = accessToken(remote, settings);
    const post = async ({ address, message, deadline, onHandedOver }: Call<LineworksMessage>) => {
      const url = new URL(`v1.0/bots/${bot}/${pathOf(address)}`, baseUrl(api));
      const headers = { authorization: `Bearer ${await token.text(deadline)}` };
      return remote.call(jsonCall(url, message, headers), deadline, onHandedOver);
    };
    const answers = { ...chat, hide: (words: string) => token.hide(chat.hide?.(words) ?? words) };
    return {
      ...remote,
      send: async (call) => {
        const answer = await post(call);
        if (answer.status !== 401) return receiptFrom(answer, answers);
        token.forget();
        return receiptFrom(await post(call), answers);
      },
      verify: async () => void (await token.text(performance.now() + VERIFY_TIMEOUT_MS)),
    };
  },
};

function pathOf(address: string): string {
  const [, user] = /^user:(.*)$/s.exec(address) ?? [];
  return user === undefined ? `channels/${address}/messages` : `users/${encodeURIComponent(user)}/messages`;
}

/** The published rates are per minute. */
const WAIT_SECONDS = 60;

/** The limits apply to a tenant; the header has seconds. */
export const TENANT = {
  type: 'lineworks',
  title: TITLE,
  about: {
    name: 'LINE WORKS',
    en: {
      from: 'a URL of the Incoming Webhook app, or a bot',
      address: "the hook's name; of a bot a channel ID, `user:ID`",
      mentions: "a bot's only: a member's ID, `all`",
    },
    ja: {
      from: 'Incoming WebhookアプリのURL、またはBot',
      address: 'フックの名前。BotではチャンネルIDまたは `user:ID`',
      mentions: 'Botのみ：メンバーID、`all`',
    },
  },
  /** Per tenant, 240 a minute on paid plans and 60 on free ones, half of that in the long run. */
  pace: { addressMs: 1000, channelMs: 1000 },
  limits: 'channel',
  waitOf: ({ headers }) => headers['ratelimit-reset']?.toString(),
} satisfies Omit<Answers, 'meanings'> & Pick<Chat<never, never>, 'type' | 'about' | 'pace'>;

export const lineworksBot: Chat<LineworksMessage, BotSettings> = {
  ...TENANT,
  /** For a tenant, five requests at once are too many. */
  calls: 1,
  waitOf: (answer) => TENANT.waitOf(answer) ?? WAIT_SECONDS,
  format: drawnFormat<LineworksMessage>({
    name: 'lineworks',
    mentions: MENTIONS,
    markup: MARKUP,
    parts: CARD_PARTS,
    limit: { most: MAX_CHARACTERS, of: ({ content }) => content.text.length },
    message: ({ whole }) => messageOf(whole()),
    // IDs as text, no mentions: LINE WORKS refuses a message that mentions a member who is not in the room.
    plain: ({ called, text }) => messageOf(`${called.map((id) => `@${id}`).join(' ')}\n${text()}`.trim()),
  }),
  address: LOGIN,
  codeOf: (answer) => codeAt(jsonOf(answer), 'code'),
  meanings: {
    401: means.config(
      'the token is refused, although it is new; check that the app has the scope "bot", and that bot_id is a bot of the same app',
      '取得したばかりのトークンが拒否されました。アプリのスコープ「bot」と、bot_id が同じアプリのBotかどうかを確認してください',
    ),
    404: means.config(
      'there is no such bot, channel or member; check bot_id and the address',
      'Bot、トークルームまたはメンバーが見つかりません。bot_id と宛先を確認してください',
    ),
    403: means.config(
      'the bot may not post there; publish it to the member, or invite it to the room',
      'Botが投稿できません。Botをメンバーに公開するか、トークルームに招待してください',
    ),
  },
  receiptOf: ({ status }) => (status === 201 ? { answered: '201' } : undefined),
};
