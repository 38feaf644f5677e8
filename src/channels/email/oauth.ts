/** Access tokens for SMTP by client credentials (RFC 6749, 4.4), which nodemailer's own OAuth 2 does not have. */
import type { SMTPPoolOptions } from 'nodemailer';
import { NothingSent, type OpenPool } from '../../outbound/exchange.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { FORM_HEADERS, openRemote } from '../chat/remote.ts';
import { DeliveryFailure } from '../failure.ts';
import type { OauthSettings } from './settings.ts';
import { MOST_CONNECTIONS } from './smtp-url.ts';

const TIMEOUT_MS = 10_000;

const ANSWERS: Answers = {
  title: { en: 'The token server', ja: 'トークンサーバー' },
  limits: 'channel',
  concerns: 'channel',
  codeOf: (answer) => codeAt(jsonOf(answer), 'error'),
  // Entra's own number of the error; the rest of its text has IDs and times.
  detailOf: (answer) => {
    const [number] = /AADSTS\d+/.exec(answer.body) ?? [];
    return number === undefined ? '' : ` (${number})`;
  },
  meanings: {
    '4xx': meaning(
      'config',
      'it gives no token; check token_url, client_id, client_secret (which expires) and scope under oauth',
      'トークンを取得できません。oauth の token_url、client_id、client_secret（有効期限があります）、scope を確認してください',
    ),
    200: meaning(
      'config',
      'its answer has no access_token; check token_url under oauth',
      '応答に access_token がありません。oauth の token_url を確認してください',
    ),
  },
};

type Provide = (error: Error | null, token?: string) => void;

/** nodemailer asks for a token for each connection, and keeps it as long as that. */
export function accessTokens(
  { token_url, client_id, client_secret, scope, user }: OauthSettings,
  openPool: OpenPool,
) {
  const remote = openRemote(ANSWERS.title, openPool);
  /** Of today's connections, the latest first. */
  let tokens: readonly string[] = [];
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
  const call = {
    url: new URL(token_url),
    headers: { ...FORM_HEADERS, accept: 'application/json' },
    body: form.toString(),
  };
  const fetchToken = async (): Promise<string> => {
    const answer = await remote.call(call, performance.now() + TIMEOUT_MS);
    const { access_token: token } = jsonOf(answer);
    if (answer.status !== 200 || typeof token !== 'string' || token === '')
      throw failureOfAnswer(answer, ANSWERS);
    tokens = [token, ...tokens].slice(0, MOST_CONNECTIONS);
    return token;
  };
  const provisionCallback = (_user: string, _isRenewal: boolean, provide: Provide) => {
    fetchToken().then(
      (token) => provide(null, token),
      (error: unknown) => {
        const cause = error instanceof DeliveryFailure ? error : remote.failureOf(new NothingSent(error));
        provide(new Error('There is no token', { cause }));
      },
    );
  };
  return {
    auth: { type: 'OAuth2', user, provisionCallback } satisfies SMTPPoolOptions['auth'],
    /** Removes the tokens from a text, in every encoding. */
    hide: (words: string): string => secretsHidden(tokens)(words),
    close: remote.free,
  };
}
