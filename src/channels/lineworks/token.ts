/** The login of a bot: its settings, and access tokens of its service account (developers.worksmobile.com/jp/docs/auth-jwt). */
import { createPrivateKey, createSign } from 'node:crypto';
import { type InferType, object, string } from 'yup';
import { KeptToken } from '../../outbound/token.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { baseUrl, originUrl } from '../api-url.ts';
import { formCall, type Remote } from '../chat/remote.ts';

/** The placeholder for secrets that are not set when a config is checked. */
const NOT_SET = 'not-set-here';

const text = (what: string, example = NOT_SET) => {
  const rule = `\${path} must be ${what}`;
  return string().strict().typeError(rule).min(1, rule).meta({ example });
};

/** All of them but the URLs are present if the channel is a bot. */
export const BOT_FIELDS = {
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
  auth_url: originUrl(),
  api_url: originUrl(),
};

export const botSettings = object(BOT_FIELDS).noUnknown().strict();

export type BotSettings = InferType<typeof botSettings>;

const LIFETIME_SECONDS = 1800;

const ANSWERS: Answers = {
  title: { en: 'LINE WORKS', ja: 'LINE WORKS' },
  limits: 'channel',
  concerns: 'channel',
  hasNoMessage: true,
  codeOf: (answer) => codeAt(jsonOf(answer), 'error'),
  meanings: {
    '4xx': meaning(
      'config',
      'the login refuses the app; check its scope "bot", client_id, client_secret, service_account and private_key',
      '認証に失敗しました。スコープ「bot」、client_id、client_secret、service_account、private_key を確認してください',
    ),
  },
};

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

export function accessToken(remote: Remote, settings: BotSettings): KeptToken {
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
    refusalOf: (answer) => failureOfAnswer(answer, ANSWERS),
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
