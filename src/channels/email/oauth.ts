/** Access tokens for SMTP by client credentials (RFC 6749, 4.4), which nodemailer's own OAuth 2 does not have. */
import type { SMTPPoolOptions } from 'nodemailer';
import { NothingSent, type OpenPool } from '../../outbound/exchange.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { FORM_HEADERS, Remote } from '../chat/remote.ts';
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
export class AccessTokens {
  readonly auth: SMTPPoolOptions['auth'];
  readonly close: () => Promise<void>;
  readonly #settings: OauthSettings;
  readonly #remote: Remote;
  /** The latest first. */
  #tokens: readonly string[] = [];

  constructor(settings: OauthSettings, openPool: OpenPool) {
    this.#settings = settings;
    this.#remote = new Remote(ANSWERS.title, openPool);
    this.close = this.#remote.free;
    const provisionCallback = (_user: string, _isRenewal: boolean, provide: Provide) => {
      this.#fetch().then(
        (token) => provide(null, token),
        (error: unknown) => provide(new Error('There is no token', { cause: this.#failureOf(error) })),
      );
    };
    this.auth = { type: 'OAuth2', user: settings.user, provisionCallback };
  }

  /** Removes the tokens of today's connections from a text, in every encoding. */
  hide(words: string): string {
    return secretsHidden(this.#tokens)(words);
  }

  #failureOf(error: unknown): DeliveryFailure {
    return error instanceof DeliveryFailure ? error : this.#remote.failureOf(new NothingSent(error));
  }

  async #fetch(): Promise<string> {
    const { token_url, client_id, client_secret, scope } = this.#settings;
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
    const answer = await this.#remote.call({
      url: new URL(token_url),
      headers: { ...FORM_HEADERS, accept: 'application/json' },
      body: form.toString(),
      deadline: performance.now() + TIMEOUT_MS,
    });
    const { access_token: token } = jsonOf(answer);
    if (answer.status !== 200 || typeof token !== 'string' || token === '')
      throw failureOfAnswer(answer, ANSWERS);
    this.#tokens = [token, ...this.#tokens].slice(0, MOST_CONNECTIONS);
    return token;
  }
}
