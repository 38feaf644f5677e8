/** Access tokens for SMTP by client credentials (RFC 6749, 4.4), which nodemailer's own OAuth 2 does not have. */
import type { SMTPPoolOptions } from 'nodemailer';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { exchange, NothingSent, type OpenPool } from '../../outbound/exchange.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import type { OauthSettings } from './settings.ts';
import { SmtpFailure } from './smtp-errors.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 65_536;

/** The share of its lifetime for which a token is kept, so that it does not expire on the way. */
const KEPT_SHARE = 0.9;
const UNSPECIFIED_LIFETIME_S = 3600;

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

type Provide = (error: Error | null, token?: string, expires?: number) => void;

/** One token for all connections of a channel, kept until it expires or the mail server refuses it. */
export class AccessTokens {
  readonly #settings: OauthSettings;
  readonly #openPool: OpenPool;
  #pool: Promise<HttpPool> | undefined;
  #token: Promise<string> | undefined;
  #expiresAt = Infinity;
  /** How often nodemailer has renewed the token itself, as it does after an answer 334. */
  #renewals = 0;
  #hide = (words: string): string => words;

  constructor(settings: OauthSettings, openPool: OpenPool) {
    this.#settings = settings;
    this.#openPool = openPool;
  }

  get auth(): SMTPPoolOptions['auth'] {
    const provisionCallback = (_user: string, isRenewal: boolean, provide: Provide) => {
      if (isRenewal) this.#renewals += 1;
      this.#text(isRenewal).then(
        (token) => provide(null, token),
        (error: unknown) => provide(new Error('There is no token', { cause: error })),
      );
    };
    return { type: 'OAuth2', user: this.#settings.user, provisionCallback };
  }

  /** Removes the token from a text, in every encoding. Bound, so that it can be passed as a function. */
  readonly hide = (words: string): string => this.#hide(words);

  /** Does the work once more, with a new token, if the mail server refuses the one that was kept. */
  async renewed<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#renewals;
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error) || this.#renewals !== before) throw error;
      this.#token = undefined;
      return work();
    }
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  #text(isRenewal: boolean): Promise<string> {
    if (isRenewal || performance.now() >= this.#expiresAt) this.#token = undefined;
    this.#token ??= this.#fetch().catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  /** @throws {DeliveryFailure} */
  async #fetch(): Promise<string> {
    this.#expiresAt = Infinity;
    const { token_url, client_id, client_secret, scope } = this.#settings;
    const { origin, pathname, search } = new URL(token_url);
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
    this.#pool ??= this.#openPool(origin);
    const answer = await exchange(await this.#pool, {
      path: pathname + search,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
      deadline: performance.now() + TIMEOUT_MS,
      mostBytes: MOST_BYTES,
    }).catch((error: unknown) => {
      throw networkFailureOf(ANSWERS.title, networkErrorOf(new NothingSent(error)));
    });
    const { access_token: token, expires_in: seconds } = jsonOf(answer);
    if (answer.status !== 200 || typeof token !== 'string' || token === '')
      throw failureOfAnswer(answer, ANSWERS);
    const lifetimeMs = (Number(seconds) || UNSPECIFIED_LIFETIME_S) * 1000;
    this.#expiresAt = performance.now() + lifetimeMs * KEPT_SHARE;
    this.#hide = secretsHidden([token]);
    return token;
  }
}

/** "Authentication credentials invalid" (RFC 4954). */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof SmtpFailure ? error.cause : undefined;
  return Reflect.get(Object(cause), 'responseCode') === 535;
}
