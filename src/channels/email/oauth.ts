/** Access tokens for SMTP by client credentials (RFC 6749, 4.4), which nodemailer's own OAuth 2 does not have. */
import type { SMTPPoolOptions } from 'nodemailer';
import { NothingSent, type OpenPool } from '../../outbound/exchange.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { FORM_HEADERS, openRemote } from '../chat/remote.ts';
import { DeliveryFailure } from '../failure.ts';
import type { OauthSettings } from './settings.ts';
import { SmtpFailure } from './smtp-errors.ts';
import { MOST_CONNECTIONS } from './smtp-url.ts';

/** Less than an attempt in a POST has, so that the failure names the token server. */
const TIMEOUT_MS = 4_000;

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

type Provide = (error: Error | null, token?: string) => void;

interface Token {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** One token for all connections of a channel, kept until it expires or the mail server refuses it. */
export function accessTokens(settings: OauthSettings, openPool: OpenPool) {
  const remote = openRemote(ANSWERS.title, openPool);
  /** The latest ones, which a mail server may quote. */
  let latest: readonly string[] = [];
  const kept = new KeptToken(async () => {
    const token = await fetchToken(settings, remote);
    latest = [token.text, ...latest].slice(0, MOST_CONNECTIONS);
    return token;
  });
  const provisionCallback = (_user: string, isRenewal: boolean, provide: Provide) => {
    kept.text(isRenewal).then(
      (token) => provide(null, token),
      (error: unknown) => {
        const cause = error instanceof DeliveryFailure ? error : remote.failureOf(new NothingSent(error));
        provide(new Error('There is no token', { cause }));
      },
    );
  };
  return {
    auth: { type: 'OAuth2', user: settings.user, provisionCallback } satisfies SMTPPoolOptions['auth'],
    renewed: <T>(work: () => Promise<T>) => kept.renewed(work),
    /** Removes the tokens from a text, in every encoding. */
    hide: (words: string): string => secretsHidden(latest)(words),
    close: remote.free,
  };
}

/** @throws {DeliveryFailure} the token server gives none @throws {Error} it cannot be reached */
async function fetchToken(
  { token_url, client_id, client_secret, scope }: OauthSettings,
  remote: ReturnType<typeof openRemote>,
): Promise<Token> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
  const call = {
    url: new URL(token_url),
    headers: { ...FORM_HEADERS, accept: 'application/json' },
    body: form.toString(),
  };
  const answer = await remote.call(call, performance.now() + TIMEOUT_MS);
  const { access_token: text, expires_in: seconds } = jsonOf(answer);
  if (answer.status !== 200 || typeof text !== 'string' || text === '')
    throw failureOfAnswer(answer, ANSWERS);
  return { text, lifetimeMs: (Number(seconds) || UNSPECIFIED_LIFETIME_S) * 1000 };
}

class KeptToken {
  readonly #fetch: () => Promise<Token>;
  #text: Promise<string> | undefined;
  #expiresAt = Infinity;
  /** How often nodemailer has renewed the token itself, as it does after an answer 334. */
  #renewals = 0;

  constructor(fetch: () => Promise<Token>) {
    this.#fetch = fetch;
  }

  text(isRenewal: boolean): Promise<string> {
    if (isRenewal) this.#renewals += 1;
    if (isRenewal || performance.now() >= this.#expiresAt) this.#text = undefined;
    this.#text ??= this.#fetched();
    return this.#text;
  }

  /** Does the work once more, with a new token, if the mail server refuses the one that was kept. */
  async renewed<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#renewals;
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error) || this.#renewals !== before) throw error;
      this.#text = undefined;
      return work();
    }
  }

  async #fetched(): Promise<string> {
    this.#expiresAt = Infinity;
    try {
      const { text, lifetimeMs } = await this.#fetch();
      this.#expiresAt = performance.now() + lifetimeMs * KEPT_SHARE;
      return text;
    } catch (error) {
      this.#text = undefined;
      throw error;
    }
  }
}

/** "Authentication credentials invalid" (RFC 4954). */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof SmtpFailure ? error.cause : undefined;
  return Reflect.get(Object(cause), 'responseCode') === 535;
}
